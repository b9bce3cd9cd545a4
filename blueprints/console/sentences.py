"""The sentences of the pages about who can open something, until when, and what is stored.

Each such sentence is made here, from the facts that make it true or false: whether the owner is a
person or a space, how the link stands, and whether it was opened since it opens its present target.
A test tries all states, and finds the words of such sentences in no template and no script.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from markupsafe import Markup

from models.core import counted, rfc3339
from models.links import LinksOfTarget, LinkState, named_people

from ..views.links import visible

MOST_NAMED = 3  # addresses in a sentence
DONE: Mapping[str, str] = {  # by the key in the address of the page that an act leads to
    "added": "They find the space under “Spaces”, and are a member once they enter it.",
    "apart": "The collection is deleted. Its documents stay.",
    "asked": "A mail is on its way. It leads to the button that switches the notices on.",
    "collected": "Collection created. Give it a name.",
    "declined": "You declined. You are not a member.",
    "deleted": "The document is deleted for good.",
    "elsewhere": "All other sessions have ended.",
    "ended": "The session has ended.",
    "gone": "The account is deleted, with all that it held.",
    "invited": "The invitation is on its way to them.",
    "joined": "You’re in the space now.",
    "left": "You left the space.",
    "linked": "The login is added. You can log in with it from now on.",
    "made": "Collection created.",
    "newer": "Replaced. Its links open the new file now.",
    "off": "The link is off. Nobody can open it until you turn it on again.",
    "old": "Your session is older than ten minutes. Log out and in again, then add the login.",
    "on": "The link is on again, at the same address.",
    "out": "You’re no longer in the space: you left it, or someone removed you.",
    "out_of_it": "They’re no longer in the space.",
    "password": "Your new password is set. All other sessions have ended.",
    "removed": "The webhook is deleted.",
    "resent": "It was sent again.",
    "restored": "Restored, with its links.",
    "revoked": "The key is revoked.",
    "saved": "Saved.",
    "sent": "It is on its way to them.",
    "share": "Log in, then share it again.",
    "space_gone": "The space is deleted.",
    "taken": "The link is deleted. Its address never opens again.",
    "tested": "A test is on its way. Its delivery is listed below.",
    "unasked": "Notices are off.",
    "uninvited": "The invitation is withdrawn.",
    "unlinked": "The login is removed, and the sessions that it began have ended.",
    "unsent": "Not everyone gets a mail now: a limit of mails is reached. Try again in a minute.",
    "uploaded": "The files are stored.",
}
COPY_IT_NOW = "Copy it now: once you leave this page, nobody can show it again."
LOG_IN_FIRST = "You’re not logged in any more, or not yet. Log in to go on."
SENT_APART = "Send it separately."
ANYONE_WITH_LINK = "Anyone with the link"  # a link for nobody by name
LINKS = "Links need no account. Turn one off, and it stops working right away."
GONE_FOR_GOOD = "It can’t be restored then, not even by the person who runs this service."
ACCOUNT_GONE = (
    "Everything in it is deleted right away. It can’t be restored, except from an earlier backup."
)


class State(NamedTuple):
    """The state of a link, a key or a webhook, as a page shows it."""

    look: str  # a class of the stylesheet: `live`, `soon` or `over`
    words: str
    moment: int | None  # until when, or since when


def time(moment: int | None, otherwise: str = "–", form: str = "") -> Markup | str:
    """Return the element of a moment, in milliseconds, or `otherwise` without one.

    It is in UTC to the minute; the script words it anew in the zone of the browser, by `form`, one
    of those in `moments.js`.
    """
    if not moment:
        return otherwise
    second = rfc3339(moment)[:19]
    shows = f' data-shows="{form}"' if form else ""
    minute = second[:16].replace("T", " ")
    return Markup(f'<time{shows} datetime="{second}Z">{minute} UTC</time>')  # noqa: S704


# Without a link


def only(in_space: bool) -> str:
    """Return who alone opens what no link leads to."""
    return "Only members" if in_space else "Only you"


def nobody_else(noun: str, in_space: bool) -> str:
    """Return the sentence of a document or a collection that no link leads to."""
    who = "members of the space" if in_space else "you"
    return f"Only {who} can open this {noun}."


def keep(in_space: bool) -> str:
    """Return the words of the button that stores documents without a link."""
    return "Keep in the space" if in_space else "Keep private"


def kept(several: bool, in_space: bool) -> str:
    """Return the sentence of documents that were stored without a link just now."""
    who = "Members of the space" if in_space else "Only you"
    return f"Stored. {who} can open {'them' if several else 'it'}."


def seen_by(in_space: bool) -> str:
    """Return who sees the words by which an owner distinguishes links, requests and webhooks."""
    return f"{only(in_space)} see this."


def received_by(in_space: bool) -> str:
    """Return whom the files are for that a request brings in."""
    return "for the members alone" if in_space else "yours alone"


# Links


def link_state(link: Any) -> State:
    """Return the state of a link, with the moment at which the link ends or has ended."""
    shown: Mapping[LinkState, State] = {
        LinkState.REVOKED: State("over", "deleted", link.revoked_at),
        LinkState.EXPIRED: State("over", "ended", link.expires_at),
        LinkState.TARGET_GONE: State("over", "ended", None),
        LinkState.USED_UP: State("over", "used up", link.last_used_at),
        LinkState.OFF: State("over", "off", link.disabled_at),
        LinkState.LIVE: State("live", "active", link.expires_at),
    }
    return shown[link.state]


def has_switch(link: Any) -> bool:
    """Return whether the link can be turned off, or on: it has not ended."""
    return not link.state.has_ended


def whom(link: Any) -> str:
    """Return for whom a link is: its label, else its people; '' for anyone."""
    return link.label or ", ".join(link.recipients)


def who_opens(people: Sequence[str], has_password: bool) -> str:
    """Return who may open a link with these terms: `Only 3 people, with the password`."""
    if not people:
        return "Anyone with the password" if has_password else ANYONE_WITH_LINK
    named = people[0] if len(people) == 1 else counted(len(people), "person", "people")
    return f"Only {named}, with the password" if has_password else f"Only {named}"


def times_opened(link: Any, with_limit: bool = True) -> Markup:
    """Return how often a link was used: `opened 2 of 3 times`, `not opened yet`.

    Where only a former target was opened, they say so. `with_limit` is whether they name the limit.
    """
    if link.permissions == "upload":
        return Markup("{} of {} received").format(link.views, counted(link.max_views, "file"))
    if not link.views:
        return Markup("not opened yet")
    times = counted(link.views, "time")
    if link.max_views and with_limit:
        times = f"{link.views:,} of {counted(link.max_views, 'time')}"
    if not link.has_opened_target:
        return Markup("opened {} before it was replaced").format(times)
    return Markup("opened {}").format(times)


def times_and_last_opened(link: Any) -> Markup:
    """Return how often a link was used, and when it was used last."""
    said = times_opened(link)
    if link.permissions == "upload" or not link.has_opened_target:
        return said
    return Markup("{}, last {}").format(said, time(link.last_used_at))


def standing_of_link(link: Any) -> Markup:
    """Return how a link to one target stands, in a line below whom it is for."""
    look, words, moment = link_state(link)
    if look != "live":
        at = Markup(" {}").format(time(moment, form="day")) if moment else ""
        often = Markup(" · {}").format(times_opened(link, False)) if link.views else ""
        return _state(look, Markup("{}{}").format(words.capitalize(), at)) + often
    if link.permissions == "upload":
        return _state(look, times_opened(link))
    if not link.has_opened_target:
        until = Markup(" until {}").format(time(moment, form="day")) if moment else ""
        active = _state(look, Markup("Active{}").format(until))
        return active + Markup(", {}").format(times_opened(link))
    often = ""
    if link.max_views:
        often = f", {link.views:,} of {counted(link.max_views, 'time')}"
    elif link.views > 1:
        often = f", {counted(link.views, 'time')}"
    return _state(look, Markup("Opened {}").format(time(link.last_used_at))) + often


def no_openings(link: Any) -> str:
    """Return the sentence below a link of whose openings nothing is listed."""
    if not link.views:
        return "Nobody has opened it yet."
    if not link.has_opened_target:
        return "Nobody has opened the new file yet."
    return "Nothing is known of its openings any more."


def standing(
    document: Any, link: LinksOfTarget | None, in_collection: bool, in_space: bool
) -> Markup:
    """Return how a document stands, in a line of the list.

    `link` are the facts of its links, if it has any; `in_collection` is whether a live link opens a
    collection with it.
    """
    sender = document.metadata.get("from")
    if link and link.used_at:
        who = "Opened"
        if link.used_by:
            who = Markup("<b><bdi>{}</bdi></b> opened it").format(visible(link.used_by))
        over = "" if link.live else ", ended"
        said = Markup("{} {}{}").format(who, time(link.used_at), over)
        return _state("live" if link.live else "over", said)
    if link and link.live:
        active = "Active"
        if link.live > 1:
            active = f"{counted(link.live, 'link')} active"
        until = Markup(" until {}").format(time(link.ends_at, form="day")) if link.ends_at else ""
        unopened = "new file not opened yet" if link.used_before else "not opened yet"
        return _state("live", Markup("{}{}, {}").format(active, until, unopened))
    if in_collection:
        return _state("live", "Shared in a collection")
    if document.came_by or sender:
        whom = Markup(" from <bdi>{}</bdi>").format(visible(sender)) if sender else ""
        return Markup('<span class="dim">Received{}</span>').format(whom)
    if link:
        return _state("over", "Ended, new file never opened" if link.used_before else _UNOPENED)
    return Markup('<span class="dim">{}</span>').format(only(in_space))


_UNOPENED = "Ended, never opened"


def standing_of_collection(link: LinksOfTarget | None, in_space: bool) -> Markup:
    """Return how a collection stands, in a line of its tile."""
    if link and link.used_at:
        who = "Used"
        if link.used_by:
            who = Markup("<bdi>{}</bdi> used it").format(visible(link.used_by))
        said = Markup("{} {}").format(who, time(link.used_at))
        return _state("live" if link.live else "over", said)
    if link and link.live:
        return _state("live", f"{counted(link.live, 'link')} active")
    return Markup("{}").format(only(in_space))


def _state(look: str, words: str) -> Markup:
    return Markup('<span class="state {}">{}</span>').format(look, words)


def deed(link: Any, what: str, several: bool = False) -> Markup:
    """Return what a live link does, in sentences: who can do what to `what`, until when.

    `several` is for links that are alike, each to its own target.
    """
    anyone = "Anyone with a link" if several else "Anyone with it"
    takes = link.permissions == "upload"
    parts = [Markup("{} {} {}{}.").format(_who(link, anyone), _may(link), what, _until(link))]
    if link.max_views and not takes:
        times = "once" if link.max_views == 1 else counted(link.max_views, "time")
        parts.append(Markup("It opens {}.").format(times))
    if link.agreement:
        parts.append(Markup("They agree to your text first."))
    if link.watermark:
        parts.append(Markup("A watermark is on every page."))
    if link.recipients:
        parts.append(Markup("A code by e-mail lets them in."))
    if link.has_password:
        parts.append(Markup("Send the password separately."))
    return Markup(" ").join(parts)


def _who(link: Any, anyone: str) -> Markup:
    if link.recipients:
        whom = counted(len(link.recipients), "person", "people")
        if len(link.recipients) == 1:
            whom = Markup("<bdi>{}</bdi>").format(link.recipients[0])
        with_password = " with the password" if link.has_password else ""
        return Markup("Only {}{}").format(whom, with_password)
    return Markup("{}{}").format(anyone, " and the password" if link.has_password else "")


def _may(link: Any) -> str:
    may = link.permissions.split()
    if may == ["upload"]:
        return f"can send {counted(link.max_views, 'file')} to"
    if may == ["download"]:
        return "can download"
    return "can view and download" if "download" in may else "can only view"


def _until(link: Any) -> Markup:
    if link.expires_at:
        return Markup(" until {}").format(time(link.expires_at, form="long"))
    return Markup(" until you turn it off")


def address_unknown(masked: str) -> Markup:
    """Return the sentence of an old link, whose address was not kept; it begins like `masked`."""
    return Markup(
        "Its address was shown once, when it was created (it begins with <code>{}</code>). Newer "
        "links can be copied again."
    ).format(masked)


def nobody_until_on() -> str:
    """Return the sentence of a link that is off."""
    return "Nobody can open it until you turn it on again, at the same address."


def sent(link: Any) -> Markup:
    """Return to whom of its people a link was sent by mail, and when last; '' if to nobody."""
    sent_at = {one: at for one, at in link.sent_at.items() if one in named_people(link)}
    if not sent_at:
        return Markup()
    named = [Markup("<bdi>{}</bdi>").format(visible(one)) for one in list(sent_at)[:MOST_NAMED]]
    others = len(sent_at) - len(named)
    if others:
        named.append(Markup("{}").format(counted(others, "other")))
    whom = Markup(", ").join(named)
    return Markup("Sent to {}, {}.").format(whom, time(max(sent_at.values())))
