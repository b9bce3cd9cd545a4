"""The state of a link, which Python and SQL have to know alike, whatever else is so of the link."""

from dataclasses import dataclass
from itertools import product

import pytest

from models import DocumentToken, EventHead, database, transaction
from models.core import TokenSpent, now
from models.documents import Collection
from models.links import LinkOptions, LinkState, TokenGrant, links_of_owner, table_of
from models.links.state import presented_state, sql_state, state_of
from tests.uploads import upload

HOUR = 3_600_000
REVOKED = {"no": {}, "yes": {"revoked_at": 1}}
ENDS = {"never": {}, "later": {"expires_at": HOUR}, "passed": {"expires_at": -HOUR}}
VIEWS = {
    "unlimited": {"views": 5},
    "left": {"max_views": 3, "views": 2},
    "used": {"max_views": 3, "views": 3},
}
TURNED = {"on": {}, "off": {"disabled_at": 1}}
THERE = ("document", "collection")
GONE = ("binned document", "expired document", "deleted document", "deleted collection")
REASONS = {  # the first one that is so is the state
    LinkState.REVOKED: lambda facts: facts.revoked == "yes",
    LinkState.EXPIRED: lambda facts: facts.end == "passed",
    LinkState.TARGET_GONE: lambda facts: facts.target in GONE,
    LinkState.USED_UP: lambda facts: facts.views == "used",
    LinkState.OFF: lambda facts: facts.turned == "off",
    LinkState.LIVE: lambda facts: True,  # noqa: ARG005
}


@dataclass(frozen=True)
class Facts:
    """All that is so of a link, of which one thing is its state."""

    target: str
    revoked: str
    end: str
    views: str
    turned: str

    @property
    def state(self):
        return next(state for state, is_so in REASONS.items() if is_so(self))

    def columns(self):
        columns = REVOKED[self.revoked] | VIEWS[self.views] | TURNED[self.turned]
        ends = {name: now() + distance for name, distance in ENDS[self.end].items()}
        return columns | ends


ALL = [Facts(*facts) for facts in product(THERE + GONE, REVOKED, ENDS, VIEWS, TURNED)]


ON_BOTH_ENGINES = pytest.mark.parametrize(
    "runtime", ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)], indirect=True
)


@pytest.fixture
def runtime(request, configure):
    if getattr(request, "param", "sqlite") == "sqlite":
        return configure(reserve_bytes=0)
    return request.getfixturevalue("configure_on_server")()


def new_target(owner, target):
    if "collection" in target:
        return Collection.make(owner.id, title=target)
    return upload(owner)


def end_target(target, how):
    """Let a target be gone, as it is before its links are revoked."""
    if how == "binned document":
        target.change(binned_at=now())
    elif how == "expired document":
        target.change(expires_at=now() - HOUR)
    elif how in GONE:
        table = type(target)
        table.delete().where(table.id == target.id).execute()


@pytest.fixture
def links(alice):
    """A link of each kind with its secret, by what is so of it."""
    made = {}
    for kind in THERE + GONE:
        target = new_target(alice, kind)
        with transaction(alice.id), EventHead.moved_once(alice.id):
            for facts in [one for one in ALL if one.target == kind]:
                made[facts] = DocumentToken.issue(target, LinkOptions(), with_upload=True)
                made[facts].row.change(**facts.columns())
        end_target(target, kind)
    return made


def test_every_state_is_one_of_some_link():
    assert {facts.state for facts in ALL} == set(LinkState)
    assert list(REASONS) == list(LinkState)


@ON_BOTH_ENGINES
def test_python_and_sql_know_the_same_state_of_every_link(alice, links):
    of_each = DocumentToken.select(DocumentToken.id, sql_state(DocumentToken, now()))
    by_sql = dict(database.execute(of_each).fetchall())
    listed = {one.id: one.state for one in links_of_owner(alice.id, 1000, None)[0]}
    wrong = []
    for facts, issued in links.items():
        row = DocumentToken.find(issued.row.id)
        by_python = state_of(row, table_of(row.target_id).find(row.target_id))
        presented = presented_state(DocumentToken.presented("id", row.id))
        found = {by_python, LinkState(by_sql[row.id]), presented, listed[row.id]}
        if found != {facts.state}:
            wrong.append((facts, found))
    assert wrong == []


@ON_BOTH_ENGINES
def test_the_lists_of_live_and_of_ended_links_are_all_links(alice, links):
    live = {one.id for one in links_of_owner(alice.id, 1000, None, "live")[0]}
    ended = {one.id for one in links_of_owner(alice.id, 1000, None, "ended")[0]}
    assert live == {one.row.id for facts, one in links.items() if facts.state is LinkState.LIVE}
    assert live | ended == {one.row.id for one in links.values()}
    assert not live & ended


def opens(grant_of, secret):
    """Return whether a link opens something, or the cause for which it does not."""
    try:
        grant_of(secret)
    except TokenSpent as spent:
        return spent.cause
    return True


def test_a_link_opens_something_while_it_is_live_and_else_says_why(links):
    causes = {LinkState.LIVE: {True}, LinkState.TARGET_GONE: {"revoked", "expired", ""}}
    for facts, issued in links.items():
        expected = causes.get(facts.state, {facts.state.value})
        assert opens(TokenGrant.of_secret, issued.secret) in expected, facts


def test_an_opened_page_goes_on_after_the_last_view_unless_the_link_was_turned_off(links):
    tickets = {}
    for facts, issued in links.items():
        row = issued.row
        bound = {"permissions": frozenset({"view"}), "origins": (), "expires_at": None}
        opened = {"views_left": 1, "password_digest": None, "link_owner_id": row.owner_id}
        grant = TokenGrant(id=row.id, target_id=row.target_id, **bound, **opened)
        tickets[facts] = grant.ticket(shows_original=False)
    for facts, ticket in tickets.items():
        is_open = opens(TokenGrant.of_ticket, ticket) is True
        lasts = facts.state is LinkState.LIVE or (
            facts.state is LinkState.USED_UP and facts.turned == "on"
        )
        assert is_open == lasts, facts
