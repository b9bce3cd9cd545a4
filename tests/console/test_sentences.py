"""Sentences of the pages about who can open something, until when, and what is stored.

All states of a link and a document are tried with all sentences; and no template and no script
says such a thing itself.
"""

import re
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import pytest

from blueprints.console import sentences as say
from models.links import LinksOfTarget, LinkState

ROOT = Path(__file__).parents[2]
HOUR = 3_600_000
LED_AT = 5 * HOUR  # when the link was led to its target
USES = {"never": None, "before it was replaced": LED_AT - HOUR, "since": LED_AT + HOUR}
STATES = {
    LinkState.LIVE: {},
    LinkState.OFF: {"disabled_at": 9 * HOUR},
    LinkState.EXPIRED: {"expires_at": 8 * HOUR},
    LinkState.TARGET_GONE: {},
    LinkState.USED_UP: {"max_views": 3, "views": 3},
    LinkState.REVOKED: {"revoked_at": 9 * HOUR},
}
CLAIMS = (  # words of sentences about who can open something, until when, and what is stored
    r"only (you|members)",
    r"nobody|no one|anyone with it|anyone with the link|for the members",
    r"can (only )?(open|view|download|send)\b",
    r"not opened|never opened|opened it|has opened|opened \{",
    r"won.t see it again|shown (this )?once",
    r"until you turn|used up",
    r"\bstored\. ",
    r"link\.label or",
)
CHOICES = {  # what a form offers and would make, and help about a setting; no state of a thing
    "console/link_fields.html",
    "console/scripts/terms.js",
}


def link(state, use, **more):
    """A link in this state, and used at this time."""
    last = USES[use]
    facts = {
        "state": state,
        "revoked_at": None,
        "expires_at": None,
        "max_views": None,
        "views": 0 if last is None else 3,
        "last_used_at": last,
        "has_opened_target": last is not None and last > LED_AT,
        "disabled_at": None,
        "permissions": "view download",
        "recipients": (),
        "agreement": None,
        "watermark": False,
        "has_password": False,
        "sent_at": {},
    }
    return SimpleNamespace(**facts | STATES[state] | more)


def plain(markup):
    return re.sub(r"<[^>]+>", "", str(markup))


def possible():
    """The pairs of a state and a use: what is used up was used."""
    for state, use in product(STATES, USES):
        if (state, use) != (LinkState.USED_UP, "never"):
            yield state, use


@pytest.mark.parametrize(("state", "use"), list(possible()))
def test_the_sentences_of_a_link_say_no_more_than_is_so(state, use):
    one = link(state, use)
    sentences = say.standing_of_link, say.times_opened, say.times_and_last_opened, say.no_openings
    told = [sentence_of(one) for sentence_of in sentences]
    everything = " ".join(map(plain, told))
    assert ("Active" in everything) == (state is LinkState.LIVE and use != "since")
    never = "not opened yet" in everything or "Nobody has opened it yet" in everything
    assert never == (use == "never")
    is_before = "before it was replaced" in everything
    assert is_before == (use == "before it was replaced")
    if use == "before it was replaced":
        assert "last " not in everything
        assert "Nothing is known" not in everything
    assert say.has_switch(one) == (state in {LinkState.LIVE, LinkState.OFF})


@pytest.mark.parametrize("in_space", [False, True])
def test_in_a_space_nobody_is_told_that_they_alone_can_open_something(in_space):
    told = [
        say.only(in_space),
        say.nobody_else("document", in_space),
        say.keep(in_space),
        say.kept(False, in_space),
        say.kept(True, in_space),
        say.received_by(in_space),
        say.seen_by(in_space),
        plain(say.standing(document(), None, False, in_space)),
        plain(say.standing_of_collection(None, in_space)),
    ]
    for sentence in told:
        assert bool(re.search(r"\byou|private", sentence)) == (not in_space), sentence
        assert bool(re.search("member|the space", sentence)) == in_space, sentence


def document(**more):
    return SimpleNamespace(metadata={}, came_by=None, **more)


@pytest.mark.parametrize("live", [0, 1, 2])
@pytest.mark.parametrize("used_before", [False, True])
@pytest.mark.parametrize("used_at", [None, LED_AT + HOUR])
def test_a_list_says_opened_of_what_was_opened_since_it_is_there(live, used_before, used_at):
    facts = LinksOfTarget(live, "tok_1" if live else None, None, used_at, None, used_before)
    told = plain(say.standing(document(), facts, False, False))
    assert ("Opened" in told) == (used_at is not None)
    if used_at is None:
        assert ("new file" in told) == used_before
        assert ("active" in told.lower()) == (live > 0)
    assert ("nded" in told) == (live == 0)


@pytest.mark.parametrize("recipients", [(), ("ana@example.org",), ("a@b.example", "@c.example")])
@pytest.mark.parametrize("has_password", [False, True])
@pytest.mark.parametrize("expires_at", [None, 4_000_000_000_000])
def test_a_new_link_says_for_whom_and_until_when(recipients, has_password, expires_at):
    one = link(
        LinkState.LIVE,
        "never",
        recipients=recipients,
        has_password=has_password,
        expires_at=expires_at,
    )
    told = plain(say.deed(one, "it"))
    assert told.startswith("Only " if recipients else "Anyone with it")
    assert ("password" in told) == has_password
    assert ("until you turn it off" in told) == (expires_at is None)
    assert ("2096-10-02 07:06 UTC" in told) == (expires_at is not None)
    assert ("code" in told) == bool(recipients)


def test_a_link_for_named_people_is_not_said_to_be_for_anyone():
    assert (
        say.whom(link(LinkState.LIVE, "never", label=None, recipients=("ana@b.example",)))
        == "ana@b.example"
    )
    assert (
        say.whom(link(LinkState.LIVE, "never", label="Ana", recipients=("ana@b.example",))) == "Ana"
    )
    assert say.whom(link(LinkState.LIVE, "never", label=None)) == ""


def test_what_was_sent_names_those_who_are_still_among_the_people():
    one = link(
        LinkState.LIVE,
        "never",
        recipients=("ana@example.org", "ben@example.org"),
        sent_at={"ana@example.org": HOUR, "gone@example.org": 2 * HOUR},
    )
    told = plain(say.sent(one))
    assert told == "Sent to ana@example.org, 1970-01-01 01:00 UTC."
    assert say.sent(link(LinkState.LIVE, "never", recipients=("ana@example.org",))) == ""


def sources():
    folder = ROOT / "templates"
    files = [*(folder / "console").rglob("*.html"), *(folder / "console").rglob("*.js")]
    return sorted(str(path.relative_to(folder)) for path in files)


@pytest.mark.parametrize("path", [one for one in sources() if one not in CHOICES])
def test_no_template_and_no_script_says_itself_who_can_open_what(path):
    text = (ROOT / "templates" / path).read_text()
    text = re.sub(r"\{#.*?#\}|^\s*//.*?$| // .*?$", "", text, flags=re.S | re.M)
    text = re.sub(r"\{%.*?%\}|say\.\w+|\s+", " ", text, flags=re.S)
    found = [match[0] for claim in CLAIMS for match in re.finditer(f"(?i){claim}", text)]
    assert found == []


@pytest.mark.parametrize(
    ("people", "has_password", "words"),
    [
        ([], False, "Anyone with the link"),
        ([], True, "Anyone with the password"),
        (["ana@example.org"], False, "Only ana@example.org"),
        (["ana@example.org", "@example.net"], False, "Only 2 people"),
        (["ana@example.org", "@example.net"], True, "Only 2 people, with the password"),
    ],
)
def test_the_terms_of_a_link_say_who_opens_it(people, has_password, words):
    assert say.who_opens(people, has_password) == words
