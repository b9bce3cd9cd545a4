"""A browser as old as the documentation allows: Chromium, to which the newer features are unknown.

What a page says with their names, in its elements, styles and scripts, it says to this browser
with names that none knows. The page's policy is off, since it allows only what is unchanged.
"""

import re

NEWER = (  # than Safari 16.4: regular expressions of names
    r"(?<!-webkit-)backdrop-filter",
    "canShare",
    "checkVisibility",
    "contain-intrinsic",
    "content-visibility",
    "counter-set",
    "details-content",
    "fromBase64",
    "groupBy",
    r"light-dark(?=\()",
    "overflow-anchor",
    "[pP]opover",
    "requestIdleCallback",
    "scheduler",
    "scrollbar-width",
    "setHTML",
    "startViewTransition",
    "text-wrap",
    "trustedTypes",
    "withResolvers",
    r"content(?=:\s*(?:\"[^\"]*\"|attr\([\w-]+\))\s*/)",  # with words for a screen reader
)
NAMES = re.compile("|".join(NEWER))
CHANGED = ("document", "stylesheet", "script")

# How all that is seen looks, by its kind: colours, edges, what styles write before and after it.
LOOKS = r"""() => {
    const look = (one, part) => {
        const style = getComputedStyle(one, part);
        const written = part ? style.content.replace(/ \/ .*/, "") : "";
        if (written === "none") return "nothing";
        const { color, backgroundColor, borderTopWidth, borderTopColor, boxShadow } = style;
        const colours = [color, backgroundColor, borderTopColor, boxShadow];
        return [written, borderTopWidth, ...colours].join(" ");
    };
    const looks = {};
    for (const one of document.querySelectorAll("body, body *")) {
        if (!one.checkVisibility({ visibilityProperty: true })) continue;
        const kind = `${one.localName}.${one.className.baseVal ?? one.className}`;
        const all = [null, "::before", "::after"].map(part => look(one, part)).join("; ");
        looks[kind] = [...new Set(looks[kind]).add(all)];
    }
    return looks;
}"""


def without_newer(text):
    """Return a page, a style sheet or a script in which the newer names mean nothing."""
    return NAMES.sub(r"unknown_\g<0>", text)


def make_older(page):
    """Let the newer features be unknown to a page in whatever it opens from now on."""

    def answer(route):
        if route.request.resource_type not in CHANGED:
            return route.continue_()
        given = route.fetch()
        return route.fulfill(response=given, body=without_newer(given.text()))

    page.route("**/*", answer)


def naked(today, older):
    """Return how what both show looks in the older one alone: (kind, look)."""
    expected = today.evaluate(LOOKS)
    return [
        (kind, look)
        for kind, looks in older.evaluate(LOOKS).items()
        for look in looks
        if look not in expected.get(kind, looks)
    ]
