"""A right that is lost while a request is served: nothing is changed, and it is refused.

These tests walk every route that writes, with every credential that it accepts, through every way
to lose what it needs, between the moment at which the caller is resolved and the commit. A new
route has to be among `REQUESTS`.
"""

import re
import threading
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property, partial

import pytest

from app import app_with_routes
from blueprints.http.credentials import (
    API_KEY,
    COOKIE,
    DOCUMENT_TOKEN,
    SESSION,
    TICKET,
    UPLOAD_TICKET,
)
from blueprints.http.declarations import declaration_of
from crypto import password_file
from models import (
    ApiKey,
    Document,
    DocumentToken,
    Event,
    Issued,
    connected,
    current_runtime,
    database,
)
from models.accounts import PERMISSIONS_OF_ROLES, ROLES
from models.core import now
from models.documents import uploads
from models.links import UPLOAD
from testing import service_in_process
from tests.forms import FORM, body, file
from tests.people import PASSWORD
from tests.tus import STREAM
from tests.waiting import join_threads, start_threads, until
from tests.walks.scene import READER, Scene, Stage, beside

MEMBERS = "members"  # the permission to change a space
ALONE, IN_SPACE = False, True
OWNERS = (SESSION, COOKIE, API_KEY, TICKET)  # a link counts what it is used for
ALL = (*OWNERS, DOCUMENT_TOKEN)
REMOVED, LOWERED = "member removed", "role lowered"
ENDED, DISABLED = "session ended", "account disabled"
REVOKED, OFF, TAKEN_BACK = "key revoked", "link off", "link revoked"


@dataclass(frozen=True)
class Request:
    """A good request of a route; words in braces stand for ids of the scene.

    `needs` are permissions beside those that the route declares. It changes nothing where it
    `reads_for` these kinds of callers. It acts `on_team` where a person acts on a space, by a
    membership. It `is_for` a person alone, or in a space, if not for both. `earlier` are answers of
    a handler that finds out about a loss by itself, before it changes something: the status by the
    loss.
    """

    line: str
    json: dict | None = None
    form: dict | None = None
    query: dict = field(default_factory=dict)
    sends_file: bool = False
    headers: dict = field(default_factory=dict)
    data: bytes = b""
    needs: frozenset = frozenset()
    reads_for: tuple = ()
    on_team: bool = False
    is_for: tuple = (ALONE, IN_SPACE)
    earlier: dict = field(default_factory=dict)
    permissions: tuple = ("view", "download")  # of the link that sends it
    names: str = ""

    def __str__(self):
        return f"{self.line} {self.names}".strip()

    def writes_for(self, caller):
        """Whether it changes something if this kind of caller sends it."""
        return caller not in self.reads_for

    @property
    def method(self):
        return self.line.partition(" ")[0]

    @property
    def path(self):
        return self.line.partition(" ")[2]

    def options(self, scene):
        """The path and the body, for the test client."""
        options = {"path": self.path.format_map(scene), "query_string": self.query}
        if self.json is not None:
            options["json"] = _filled(scene, self.json)
        if self.form is not None:
            options["data"] = _filled(scene, self.form)
        if self.data:
            options["data"] = self.data
        if self.sends_file:
            options |= {"data": body(file("a.txt", b"What is sent")), "content_type": FORM}
        return options


def _filled(scene, value):
    """The value, with ids of the scene in place of words in braces."""
    if isinstance(value, dict):
        return {name: _filled(scene, one) for name, one in value.items()}
    if isinstance(value, list):
        return [_filled(scene, one) for one in value]
    return value.format_map(scene) if isinstance(value, str) else value


ADDRESS, LABEL, WORD = {"email": READER}, {"label": "another"}, {"password": "a word"}
KEY = {"key": "a key of the form"}
CHANGE = {"currentPassword": PASSWORD, "newPassword": "long enough"}
UPLOADED = {"payload": "", "contentType": "text/plain"}
TYPES = {"url": "https://hook.example/other", "events": "document.created"}
TERMS = {"permissions": "view", "ends": "7"}
TAKES = {"permissions": "upload", "ends": "7", "maxViews": "5"}
WRITES, DELETES = frozenset({"documents:write"}), frozenset({"documents:delete"})
PERSON = {"on_team": True}
ADDRESSED = {"is_for": (ALONE,)}  # a space has no address for notices
UNKNOWN = {DISABLED: 404, REMOVED: 404}  # all sessions have ended
LEFT = {ENDED: 303, DISABLED: 303}  # the session of the space has ended already
NO_PASSWORD = {DISABLED: 401}  # no password is right
MANAGES = {"on_team": True, "needs": frozenset({MEMBERS})}
MANAGES_HERE = MANAGES | {"earlier": {REMOVED: 404}}
BEGINS = {"headers": {"Upload-Length": "3"}}
BEGINS_WITH_ALL = {"headers": {"Upload-Length": "3"} | STREAM, "data": b"abc"}
GOES_ON = {"headers": {"Upload-Offset": "0"} | STREAM, "data": b"ab"}
SENDS_ALL = {"headers": {"Upload-Offset": "0"} | STREAM, "data": b"abc"}
API = [
    Request("PATCH /v1/auth/me", {"name": "another"}),
    Request("POST /v1/auth/logout"),
    Request("POST /v1/auth/password", CHANGE, earlier=NO_PASSWORD),
    Request("DELETE /v1/auth/sessions/{session}", earlier=UNKNOWN),
    Request("POST /v1/api-keys", {}),
    Request("DELETE /v1/api-keys/{key}"),
    Request("POST /v1/api-keys/{key}/rotate", {}),
    Request("POST /v1/documents", UPLOADED),
    Request("POST /v1/documents", sends_file=True, names="as a form"),
    Request("POST /v1/uploads", **BEGINS),
    Request("POST /v1/uploads", **BEGINS_WITH_ALL, names="with a body"),
    Request("PATCH /v1/uploads/{upload}", **GOES_ON),
    Request("PATCH /v1/uploads/{upload}", **SENDS_ALL, names="with the last byte"),
    Request("DELETE /v1/uploads/{upload}"),
    Request("PATCH /v1/documents/{document}", {"name": "another"}),
    Request(
        "PATCH /v1/documents/{document}",
        {"expiresAt": "2999-01-01T00:00:00Z"},
        needs=DELETES,
        earlier={LOWERED: 403},
        names="that ends it earlier",
    ),
    Request("DELETE /v1/documents/{document}"),
    Request("POST /v1/documents/{document}/tokens", LABEL),
    Request("POST /v1/documents/{document}/tokens", WORD, names="with a password"),
    Request("PATCH /v1/documents/{document}/tokens/{token}", LABEL),
    Request("DELETE /v1/documents/{document}/tokens/{token}"),
    Request("POST /v1/documents/{document}/view", {}, reads_for=OWNERS),
    Request("POST /v1/documents/{document}/codes", ADDRESS),
    Request("POST /v1/documents/{document}/download", WORD, reads_for=OWNERS),
    Request("POST /v1/documents/{pdf}/pages", WORD, reads_for=ALL),
    Request("POST /v1/documents/{pdf}/pages/1", WORD, reads_for=ALL),
    Request("POST /v1/collections", {"title": "Offer", "documentIds": ["{document}"]}),
    Request("PATCH /v1/collections/{collection}", {"title": "Another", "add": ["{other}"]}),
    Request("DELETE /v1/collections/{collection}"),
    Request("POST /v1/collections/{collection}/download", WORD, reads_for=OWNERS),
    Request("POST /v1/collections/{collection}/tokens", LABEL),
    Request("PATCH /v1/collections/{collection}/tokens/{link}", LABEL),
    Request("DELETE /v1/collections/{collection}/tokens/{link}"),
    Request("PATCH /v1/tokens/{token}", LABEL),
    Request("DELETE /v1/tokens/{token}"),
    Request("POST /v1/tokens/{token}/send", {}),
    Request("POST /v1/webhooks", {"url": "https://hook.example/other"}),
    Request("PATCH /v1/webhooks/{webhook}", {"description": "another"}),
    Request("DELETE /v1/webhooks/{webhook}"),
    Request("POST /v1/webhooks/{webhook}/test"),
    Request("POST /v1/webhooks/{webhook}/rotate-secret"),
    Request("POST /v1/webhooks/{webhook}/deliveries/{delivery}/redeliver"),
    Request("POST /v1/spaces", {"name": "Office"}),
    Request("PATCH /v1/spaces/{space}", {"name": "Office"}, **MANAGES),
    Request("DELETE /v1/spaces/{space}", **MANAGES),
    Request("POST /v1/spaces/{space}/members", {"email": "{dora}", "role": "read"}, **MANAGES),
    Request("PATCH /v1/spaces/{space}/members/{user_id}", {"role": "read"}, **MANAGES),
    Request("DELETE /v1/spaces/{space}/members/{user_id}", **MANAGES),
    Request("POST /v1/spaces/{space}/sessions", **PERSON),
    Request("POST /s", {}, reads_for=OWNERS),
    Request("POST /s", sends_file=True, permissions=(UPLOAD,), names="with a file"),
    Request("POST /s/codes", ADDRESS),
    Request("POST /s/uploads", permissions=(UPLOAD,), **BEGINS),
    Request("POST /s/uploads", permissions=(UPLOAD,), **BEGINS_WITH_ALL, names="with a body"),
    Request("PATCH /s/uploads/{sent}", permissions=(UPLOAD,), **GOES_ON),
    Request(
        "PATCH /s/uploads/{sent}", permissions=(UPLOAD,), **SENDS_ALL, names="with the last byte"
    ),
    Request("DELETE /s/uploads/{sent}", permissions=(UPLOAD,)),
    Request("POST /s/download", WORD, reads_for=OWNERS),
]
PAGES = [
    Request("POST /app/account", form={"name": "another"}),
    Request("POST /app/account/delete", form={"password": PASSWORD}, earlier=NO_PASSWORD),
    Request("POST /app/account/export", form={}),
    Request("POST /app/account/identities", form={}),
    Request("POST /app/account/identities/{identity}/remove", form={}),
    Request("POST /app/account/notices", form={"notices": "1"}),
    Request("POST /app/account/password", form=CHANGE),
    Request("POST /app/account/sessions/{session}/end", form={}, earlier=UNKNOWN),
    Request("POST /app/account/sessions/end", form={}),
    Request("POST /app/bin", form={"id": "{binned}"}),
    Request("POST /app/bin/{binned}/delete", form={}),
    Request("POST /app/collections", form={"title": "Offer"}),
    Request("POST /app/collections/{collection}", form={"add": "{other}"}),
    Request("POST /app/collections/{collection}/delete", form={"title": "Offer"}),
    Request("POST /app/collections/{collection}/download", form=WORD, reads_for=OWNERS),
    Request("POST /app/collections/{collection}/links", form=TERMS),
    Request("POST /app/collections/{collection}/requests", form=TAKES),
    Request("POST /app/documents", sends_file=True, query=KEY, needs=WRITES),
    Request(
        "POST /app/documents", form={"id": "{document}", "act": "bin"}, needs=DELETES, names="bin"
    ),
    Request(
        "POST /app/documents",
        form={"id": ["{document}", "{other}"], "act": "collect"},
        needs=WRITES,
        names="collect",
    ),
    Request(
        "POST /app/documents",
        form={"id": ["{document}", "{other}"], "act": "share", **TERMS},
        needs=WRITES,
        names="share",
    ),
    Request("POST /app/documents/{document}", form={"name": "another"}),
    Request("POST /app/documents/{document}/download", form=WORD, reads_for=OWNERS),
    Request("POST /app/documents/{document}/end", form={"sure": "kept.txt"}),
    Request("POST /app/documents/{document}/end", form={"act": "tomorrow"}, names="tomorrow"),
    Request("POST /app/documents/{document}/links", form=TERMS),
    Request("POST /app/documents/{document}/newer", sends_file=True, query=KEY),
    Request("POST /app/keys", form={"scopes": "documents:read", "ends": "never"}),
    Request("POST /app/keys/{key}/revoke", form={}),
    Request("POST /app/keys/{key}/rotate", form={}),
    Request("POST /app/links", form={"id": ["{token}"], "notifyOwner": "yes"}, **ADDRESSED),
    Request("POST /app/links/{token}", form=TERMS | LABEL),
    Request("POST /app/links/{token}/enabled", form={"enabled": "no"}),
    Request("POST /app/links/{token}/notify", form={"notifyOwner": "yes"}, **ADDRESSED),
    Request("POST /app/links/{token}/revoke", form={}),
    Request("POST /app/links/{token}/send", form={}),
    Request("POST /app/logout", form={}),
    Request("POST /app/requests", form=TAKES | {"title": "Receipts"}),
    Request("POST /app/share", sends_file=True),
    Request("POST /app/spaces", form={"name": "Office"}),
    Request("POST /app/spaces/{space}", form={"name": "Office"}, **MANAGES_HERE),
    Request("POST /app/spaces/{space}/delete", form={}, **MANAGES),
    Request("POST /app/spaces/{space}/enter", form={}, **PERSON),
    Request("POST /app/spaces/{space}/invitations/{invitation}/delete", form={}, **MANAGES),
    Request("POST /app/spaces/{space}/leave", form={}, is_for=(IN_SPACE,), earlier=LEFT),
    Request(
        "POST /app/spaces/{space}/members", form={"email": "{dora}", "role": "read"}, **MANAGES_HERE
    ),
    Request(
        "POST /app/spaces/{space}/members",
        form={"email": "nobody@example.org", "role": "read"},
        **MANAGES_HERE,
        names="by an invitation",
    ),
    Request("POST /app/spaces/{space}/members/{user_id}", form={"role": "read"}, **MANAGES_HERE),
    Request("POST /app/spaces/{space}/members/{user_id}/remove", form={}, **MANAGES_HERE),
    Request("POST /app/uploads", **BEGINS),
    Request("POST /app/uploads", **BEGINS_WITH_ALL, names="with a body"),
    Request("PATCH /app/uploads/{upload}", **GOES_ON),
    Request("PATCH /app/uploads/{upload}", **SENDS_ALL, names="with the last byte"),
    Request("DELETE /app/uploads/{upload}"),
    Request("POST /app/webhooks", form=TYPES),
    Request("POST /app/webhooks/{webhook}", form=TYPES),
    Request("POST /app/webhooks/{webhook}/delete", form={}),
    Request("POST /app/webhooks/{webhook}/deliveries/{delivery}/redeliver", form={}),
    Request("POST /app/webhooks/{webhook}/rotate", form={}),
    Request("POST /app/webhooks/{webhook}/test", form={}),
]
REQUESTS = [*API, *PAGES]
SETTINGS = {
    "SMTP_URL": "smtp://127.0.0.1:9?from=docs@example.org",
    "BASE_URL": "https://docs.example.org",
}
APP = app_with_routes(console=True)


def rule_of(request):
    """The method and the rule of the route that a request is for, with its declaration."""
    path = re.sub(r"[{}]", "", request.path)
    rule, _ = APP.url_map.bind("").match(path, request.method, return_rule=True)
    return request.method, rule.rule, declaration_of(APP.view_functions[rule.endpoint])


def writing_routes():
    """Method and rule of each route that may change something for somebody with a credential."""
    for rule in APP.url_map.iter_rules():
        is_for_anybody = declaration_of(APP.view_functions[rule.endpoint]).is_public
        for method in rule.methods - {"GET", "HEAD", "OPTIONS"}:
            if not is_for_anybody:
                yield method, rule.rule


def test_every_route_that_writes_is_walked():
    walked = {rule_of(request)[:2] for request in REQUESTS}
    missing = set(writing_routes()) - walked
    assert missing == set(), "give a good request of it in REQUESTS"


@dataclass(frozen=True)
class Walk:
    """One way to call a route, and one way to lose what it needs meanwhile."""

    caller: str
    in_space: bool
    loss: str
    role: str = ""

    def __str__(self):
        space = " in a space" if self.in_space else ""
        return f"{self.caller}{space}, {self.loss} {self.role}".strip()

    def lose(self, scene, link):
        """Take the right away, as another request or the operator does."""
        losses = {
            REMOVED: scene.remove_member,
            LOWERED: partial(scene.lower_role, self.role),
            ENDED: scene.end_session,
            DISABLED: scene.disable_account,
            REVOKED: scene.revoke_key,
            OFF: partial(_turn_off, link),
            TAKEN_BACK: link and link.row.revoke,
        }
        losses[self.loss]()


def _turn_off(link):
    DocumentToken.edit(link.row.owner_id, link.row.id, enabled=False)


def lower_roles(needed):
    """The roles that lack something that is needed."""
    return [role for role in ROLES if not needed <= PERMISSIONS_OF_ROLES[role]]


def walks(request):
    """Yield every way to call the route, with every way to lose what it needs."""
    _, _, route = rule_of(request)
    needed = request.needs | set(route.scopes)
    lowered = [(LOWERED, role) for role in lower_roles(needed)[-1:]]
    of_team = [(REMOVED,), *lowered] if request.on_team else []
    in_space = [] if route.from_anywhere and not route.scopes else [(REMOVED,), *lowered]
    losses = {
        (SESSION, ALONE): [(ENDED,), (DISABLED,), *of_team],
        (COOKIE, ALONE): [(ENDED,), (DISABLED,), *of_team],
        (API_KEY, ALONE): [(REVOKED,), (DISABLED,)],
        (DOCUMENT_TOKEN, ALONE): [(OFF,), (TAKEN_BACK,), (DISABLED,)],
        (TICKET, ALONE): [(OFF,), (TAKEN_BACK,), (DISABLED,)],
        (UPLOAD_TICKET, ALONE): [(OFF,), (TAKEN_BACK,), (DISABLED,)],
    }
    if route.scopes or route.for_members:
        losses |= {
            (SESSION, IN_SPACE): [(ENDED,), (DISABLED,), *in_space],
            (COOKIE, IN_SPACE): [(ENDED,), (DISABLED,), *in_space],
        }
    for (caller, where), ways in losses.items():
        if caller in route.accepts and where in request.is_for:
            most = len(ways) if request.writes_for(caller) else 1  # what only reads is not refused
            yield from (Walk(caller, where, *way) for way in ways[:most])


@pytest.fixture(scope="module")
def service_of_all(tmp_path_factory):
    """The service, with a seam between its hooks and its handlers, and a stage of all scenes."""
    folder = tmp_path_factory.mktemp("rights")
    with service_in_process(folder, RATE_LIMITS="off", **SETTINGS) as service:
        service.between = None
        service.app.before_request(lambda: service.between and service.between())
        service.stage = Stage(service.app)
        yield service


@pytest.fixture
def service(service_of_all, monkeypatch):
    monkeypatch.setattr(password_file, "ROUNDS", 1)
    yield service_of_all
    service_of_all.between = None
    service_of_all.reset_clock()


def stored():
    """All rows of all tables."""
    names = "SELECT name FROM sqlite_master WHERE type = 'table'"
    tables = [name for (name,) in database.execute_sql(names).fetchall()]
    return {
        name: Counter(database.execute_sql(f"SELECT * FROM {name}").fetchall())  # noqa: S608
        for name in tables
    }


def changed(before, after):
    """The tables with other rows than before, but those of previews, which the service makes."""
    names = after.keys() - {"preview", "piece"} if after["piece"] >= before["piece"] else after
    return sorted(name for name in names if after[name] != before[name])


@contextmanager
def meanwhile(service, act):
    """Do something as soon as the next caller was resolved."""

    def once():
        service.between = None
        beside(act)

    service.between = once
    yield
    assert service.between is None, "the request was refused before it was served"


@dataclass
class Call:
    """A request that somebody sends, who may lose the right to it."""

    request: Request
    walk: Walk
    scene: Scene
    link: Issued | None = None  # by which it is sent

    @classmethod
    def of(cls, request, walk, service):
        scene = service.stage.scene(in_space=walk.in_space)
        if walk.caller in (DOCUMENT_TOKEN, TICKET, UPLOAD_TICKET):
            return cls(request, walk, scene, _link_for(request, scene))
        return cls(request, walk, scene)

    def send(self):
        """Send the request with the credential that it had first."""
        options = self.request.options(self.scene)
        caller = self.walk.caller
        options["headers"] = dict(self.request.headers)
        if caller == SESSION:
            options["headers"] |= self.scene.by_session()
        elif caller == API_KEY:
            options["headers"] |= self.scene.by_key()
        elif caller == COOKIE:
            options["headers"] |= self.scene.by_cookie()
            made_for = self.scene.team.id if self.walk.in_space else ""
            options["query_string"] = self.request.query | {"for": made_for}
            options["environ_overrides"] = {"server.identity": f"{self.scene.bob.id}@example.org"}
        elif caller in (TICKET, UPLOAD_TICKET):
            options["query_string"] = {"ticket": self.ticket}
        else:
            options["query_string"] = {"token": self.link.secret}
        return self.scene.client.open(method=self.request.method, **options)

    @cached_property
    def ticket(self):
        if self.walk.caller == UPLOAD_TICKET:
            return self.scene.upload_ticket(self.link)
        return self.scene.ticket(self.link)

    def prepare(self):
        """Make all that the request names, and the credential."""
        self.request.options(self.scene)
        _ = self.link and self.ticket
        return self


def made(request, walk, service):
    with connected():
        return Call.of(request, walk, service).prepare()


def _link_for(request, scene):
    """A link that counts its views, or one that asks for recipients, or that takes files."""
    terms = {"permissions": request.permissions, "max_views": 9}
    if request.path.endswith("/codes"):
        terms["recipients"] = [READER]
    if UPLOAD in request.permissions:
        scene.link_for_files = scene.link(scene.collection, **terms)
        return scene.link_for_files
    return scene.link(scene.pdf if "{pdf}" in request.path else scene.document, **terms)


def said(answer):
    """What an answer says: status, where it leads to, cookies that it sets, and the problem."""
    cookies = [one.partition("=")[0] for one in answer.headers.getlist("Set-Cookie")]
    problem = answer.get_json(silent=True) or {}
    return answer.status_code, answer.location, cookies, problem.get("code"), problem.get("detail")


@pytest.mark.parametrize("request_", REQUESTS, ids=str)
def test_what_a_request_needs_is_judged_when_it_is_used(request_, service):
    for walk in walks(request_):
        call = made(request_, walk, service)
        before = {}

        def lose(walk=walk, call=call, before=before):
            walk.lose(call.scene, call.link)
            Event.record_readings(all=True)  # and uses so far, which need no right
            before.update(stored())

        with meanwhile(service, lose):
            answer = call.send()
        assert changed(before, beside(stored)) == [], (walk, answer, answer.data[:300])
        if walk.loss in request_.earlier:
            assert answer.status_code == request_.earlier[walk.loss], walk
        elif request_.writes_for(walk.caller):
            assert said(answer) == said(call.send()), walk


@pytest.mark.parametrize("request_", REQUESTS, ids=str)
def test_a_request_whose_right_is_kept_is_done(request_, service):
    callers = {(walk.caller, walk.in_space): walk for walk in walks(request_)}
    for walk in callers.values():
        if not request_.writes_for(walk.caller):
            continue
        call = made(request_, walk, service)
        before = {}
        with meanwhile(service, lambda before=before: before.update(stored())):
            answer = call.send()
        assert answer.status_code < 400, (walk, answer.get_data(as_text=True)[-900:])
        assert not (answer.location or "").startswith("/app/login?next"), walk
        assert changed(before, beside(stored)), walk


def test_no_link_is_made_behind_the_removal_of_its_member(service, monkeypatch):
    """Its password is hashed before its transaction begins: this takes as long as the queue."""
    with connected():
        scene = service.stage.scene(in_space=True)
        path = f"/v1/documents/{scene.document.id}/tokens"
        headers = scene.by_session()
    passwords = current_runtime().link_passwords
    hash_password = passwords.hash_password

    def hash_meanwhile(*password):
        beside(scene.remove_member)
        return hash_password(*password)

    monkeypatch.setattr(passwords, "hash_password", hash_meanwhile)
    answer = scene.client.post(path, json=WORD, headers=headers)
    assert (answer.status_code, answer.json["code"]) == (401, "session_expired")
    assert beside(lambda: DocumentToken.select().count()) == 0
    types = beside(lambda: [one.type for one in Event.feed(scene.team.id, 100, None)[0]])
    assert types[-1] == "member.removed"


def share(scene):
    """Send the form of a link with a password, with the same key each time."""
    form = TERMS | WORD | KEY | {"withPassword": "1"}
    path = f"/app/documents/{scene.document.id}/links"
    made_for = {"for": scene.team.id}
    return scene.client.post(path, data=form, headers=scene.by_cookie(), query_string=made_for)


@pytest.fixture
def in_team(service):
    with connected():
        scene = service.stage.scene(in_space=True)
        _ = scene.document
    return scene


def test_the_stored_answer_of_a_form_is_not_for_somebody_who_was_removed(service, in_team):
    assert share(in_team).location.startswith("/app/documents?made=")
    with meanwhile(service, in_team.remove_member):
        assert said(share(in_team)) == said(share(in_team))
    assert share(in_team).status_code == 409


def test_a_form_that_waited_for_its_twin_does_nothing_after_the_removal(
    service, in_team, monkeypatch
):
    """The first one fails, so that the second one, which has waited, is executed itself."""
    passwords, slots = current_runtime().link_passwords, current_runtime().idempotent_requests
    hash_password = passwords.hash_password
    hashes, may_go_on = threading.Event(), threading.Event()

    def hash_slowly(*password):
        hashes.set()
        assert may_go_on.wait(60)
        return hash_password(*password)

    monkeypatch.setattr(passwords, "hash_password", hash_slowly)
    answers = []

    def send():
        answers.append(share(in_team))

    threads = start_threads(send)
    assert hashes.wait(60)
    threads += start_threads(send)
    until(lambda: slots._slots._line)
    beside(in_team.remove_member)
    may_go_on.set()
    join_threads(threads)
    assert [said(answer) for answer in answers] == [said(share(in_team))] * 2
    assert beside(lambda: DocumentToken.select().count()) == 0


def test_what_ends_by_time_while_a_request_is_served_is_not_judged(service):
    with connected():
        scene = service.stage.scene()
        in_a_minute = now() + 60_000
        key = ApiKey.issue(scene.owner, None, "documents:read documents:write", in_a_minute).secret
        path = f"/v1/documents/{scene.document.id}"
        by_session = scene.by_session()
    for minutes, headers in ((2, {"X-API-Key": key}), (90, by_session)):
        later = timedelta(minutes=minutes)
        with meanwhile(service, partial(service.move_clock, later)):
            answer = scene.client.patch(path, json={"name": f"{minutes}"}, headers=headers)
        assert answer.status_code == 200
        assert scene.client.get(path, headers=headers).status_code == 401


def test_what_an_accepted_form_still_has_to_store_is_finished(service, in_team, monkeypatch):
    """Of files that are shared each has a transaction of its own; the first one accepts all."""
    require_room, called = uploads.require_room, []

    def remove_before_the_second(*about):
        called.append(about)
        if len(called) == 2:
            beside(in_team.remove_member)
        require_room(*about)

    monkeypatch.setattr(uploads, "require_room", remove_before_the_second)
    answer = in_team.client.post(
        "/app/share",
        data=body(file("a.txt"), file("b.txt")),
        content_type=FORM,
        headers=in_team.by_cookie(),
    )
    assert answer.location.startswith("/app/documents")
    assert beside(lambda: Document.stored_by(in_team.team.id).documents) == 3
