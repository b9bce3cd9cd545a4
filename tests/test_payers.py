"""For whom something counts: all limits, and all kinds of callers.

A new limit has to stand in `LIMITS`, or the first test fails: it says what the limit counts by. Of
those that count by the payer the last tests show that somebody has no more by making spaces, keys
and links.
"""

import ast
from collections import Counter
from contextlib import suppress
from dataclasses import fields, replace
from itertools import cycle, islice
from pathlib import Path
from types import SimpleNamespace

import pytest

from app import create_app
from blueprints.http.idempotency import count_for_payer
from models import User, connected, current_runtime
from models.account_deletion import delete_account, finish_deletions
from models.core import By, Limit, Payer, TooManyRequests, rate_limits
from models.events import mail_limit, payers_of
from models.runtime.previews import PreviewQueue
from models.runtime.quota import Quota
from models.runtime.rate_limiter import RateLimiter
from models.runtime.slots import Slot, Slots
from models.runtime.state import Runtime
from models.storage import engine
from server.shares import Shares
from settings import Settings
from tests.formats import b64
from tests.payers import paid_by
from tests.people import PASSWORD
from tests.trees import nodes_of, tree_of
from webhooks.senders import caller_of

ROOT = Path(__file__).parents[1]
PRODUCT = ("app.py", "blueprints", "models", "operations", "server", "webhooks")
MADE = {"Slots", "OneAtATime", "PasswordSlots", "Shares", "MemoryBudget"}
MADE |= {"DeliverySenders", "MailSenders", "_Line"}
REFUSING = {"Busy", "TooManyRequests", "QuotaExceeded", "refuse_if_full", "refuse_if_spent"}
SPACES = 10

PAYER = "the payer"  # of a request: the person, whatever they act for; see `payer_of`
PART = "the payer, and with a share of its own each link"
OWNER = "the owner of the rows: what is stored counts for the space that has it"
PERSON = "the person alone"
NETWORK, LINK, PAGE, MAILBOX = "the network", "the link", "the opened page", "the mailbox"
THING = "the thing itself: a document, a preview, an upload, a webhook"
ALL = "nothing: all together"

LIMITS = {
    # slots, threads and memory, by what holds them
    "models/runtime/state.py search_slots": PAYER,
    "models/runtime/state.py export_slots": PAYER,
    "models/runtime/state.py account_passwords": PART,
    "models/runtime/state.py link_passwords": PART,
    "models/runtime/state.py idempotent_requests": THING,
    "models/runtime/password_slots.py admitted": PART,
    "models/runtime/password_slots.py running": ALL,
    "models/runtime/long_bodies.py slots": PART,
    "models/runtime/previews.py _shared": PART,
    "models/runtime/previews.py _same": THING,
    "models/runtime/previews.py _processes": ALL,
    "models/runtime/provider.py _readers": ALL,
    "models/runtime/provider.py waiting": ALL,
    "models/runtime/provider.py _exchanges": PAYER,
    "models/runtime/slots.py _slots": THING,
    "models/runtime/state.py upload_slots": THING,
    "models/storage/sqlite_engine.py line": PAYER,
    "server/context.py shares": PART,
    "server/context.py body_memory": ALL,
    "server/context.py response_memory": ALL,
    "webhooks/dispatcher.py deliveries": PAYER,
    "webhooks/dispatcher.py mail": PAYER,
    # rates, by their names
    "login": NETWORK,
    "login-address": NETWORK,
    "register": NETWORK,
    "reset": NETWORK,
    "sign-in": NETWORK,
    "member": PAYER,
    "code": NETWORK,
    "idempotency": PAYER,
    "idempotency-link": LINK,
    "original-load": PAGE,
    "opening": LINK,
    "upload": PAYER,
    "upload-link": LINK,
    "mail-owner": PAYER,
    "mail-notices": PAYER,
    "mail-questions": PAYER,
    "mail-openings": LINK,
    "mail-reader": LINK,
    "mail-question": MAILBOX,
    "mail-link": LINK,
    "mail-resets": ALL,
    "mail-resets-young": ALL,
    "mail-service": ALL,
    "mail-service-young": ALL,
    "mail-{kind}-{seconds}": MAILBOX,
    # refusals, by the function that decides
    "blueprints/http/problems.py handle_lost_right": THING,  # a right that was lost meanwhile
    "blueprints/http/serving.py reserve_memory": ALL,
    "blueprints/views/uploads.py require_received": PART,  # a body that found no slot
    "blueprints/views/targets.py judge_body": PART,  # a body that found no slot
    "blueprints/views/targets.py on_target": PART,  # a preview that found none
    "models/accounts/api_key.py _make_room": OWNER,
    "models/accounts/identity.py link": PERSON,
    "models/accounts/invitation.py issue_for_space": OWNER,
    "models/accounts/space.py _add": OWNER,
    "models/accounts/space.py _lock_memberships": THING,
    "models/accounts/space.py _require_room_for": PERSON,
    "models/accounts/space.py _require_room_to_wait": PERSON,
    "models/accounts/space.py make_space": PERSON,
    "models/documents/collection.py _refuse_if_in_many": THING,
    "models/documents/collection.py make": OWNER,
    "models/documents/shown.py _make": ALL,  # conversions, by the memory that there is
    "models/documents/unreferenced_payload.py begin_upload": THING,
    "models/documents/unreferenced_payload.py end_upload": THING,
    "models/events/mail_limit.py wait_ms": THING,  # a lock, while a mail is counted
    "models/events/notices.py ask": MAILBOX,
    "models/events/webhook.py _register": OWNER,
    "models/links/agreements.py keep_text": THING,
    "models/links/document_token.py _refuse_if_many": OWNER,
    "models/links/document_token.py _refuse_if_target_has_many": THING,
    "models/links/opening.py store_with_events": LINK,
    "models/runtime/previews.py begin": PART,
    "models/runtime/quota.py refuse_if_full": OWNER,  # or what its callers say, above
    "models/runtime/quota.py require": OWNER,
    "models/runtime/rate_limiter.py refuse_if_many": NETWORK,
    "models/runtime/rate_limiter.py refuse_if_spent": ALL,  # whatever the limit counts by
    "models/runtime/rate_limiter.py spend": ALL,  # the same
    "models/storage/sqlite_engine.py _acquire": PAYER,
    "models/storage/sqlite_engine.py _failures_after_reset": ALL,
    "models/storage/postgres_engine.py service_error": ALL,
    "models/uploads/beginning.py _refuse_if_many": OWNER,
    "operations/payloads.py _require_all_rows": ALL,
    "operations/payloads.py _require_place": ALL,
    "webhooks/one_pass.py send_due": OWNER,  # the one whose rows a test sends
}
BY = {
    By.PAYER: PAYER,
    By.NETWORK: NETWORK,
    By.LINK: LINK,
    By.PAGE: PAGE,
    By.MAILBOX: MAILBOX,
    By.SERVICE: ALL,
}


def product_files():
    for name in PRODUCT:
        path = ROOT / name
        yield from [path] if path.is_file() else sorted(path.rglob("*.py"))


def name_of(call):
    """The last part of the name of what is called."""
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


class Found(ast.NodeVisitor):
    """The limits of a file: what is made, and what refuses."""

    def __init__(self, path):
        self.path, self.names, self.limits = path, [""], set()

    def visit_FunctionDef(self, node):
        self._within(node, node.name)

    def visit_Assign(self, node):
        target = node.targets[0]
        self._within(node, getattr(target, "attr", getattr(target, "id", self.names[-1])))

    def visit_Call(self, node):
        name = name_of(node)
        if name == "Limit":
            self.limits.add(self._text(node.args[0]))
        elif name in MADE | REFUSING:
            self.limits.add(f"{self.path} {self.names[-1]}")
        self.generic_visit(node)

    def visit_Raise(self, node):
        raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        if getattr(raised, "id", "") in REFUSING:
            self.limits.add(f"{self.path} {self.names[-1]}")
        self.generic_visit(node)

    def _within(self, node, name):
        self.names.append(name)
        self.generic_visit(node)
        self.names.pop()

    @staticmethod
    def _text(node):
        return node.value if isinstance(node, ast.Constant) else ast.unparse(node)[2:-1]


def found_limits():
    limits = set()
    for file in product_files():
        found = Found(str(file.relative_to(ROOT)))
        found.visit(tree_of(file))
        limits |= found.limits
    return limits


def test_each_limit_says_what_it_counts_by():
    found = found_limits()

    assert found - LIMITS.keys() == set(), "a limit counts by something: say in LIMITS by what"
    assert LIMITS.keys() - found == set()


def test_each_rate_counts_by_what_the_list_says():
    rates = [*vars(rate_limits).values(), *vars(mail_limit).values()]
    rates += [limit for kind in mail_limit.MAIL_KINDS.values() for limit in kind.limits]
    by_name = {one.name: BY[one.by] for one in rates if isinstance(one, Limit)}
    of_mailboxes = {name for name in by_name if name not in LIMITS}

    assert {name: LIMITS[name] for name in by_name.keys() - of_mailboxes} == {
        name: by for name, by in by_name.items() if name not in of_mailboxes
    }
    assert {by_name[name] for name in of_mailboxes} == {MAILBOX}


def test_one_function_says_for_whom_something_counts_and_three_places_ask_it():
    making, asking, told = set(), set(), set()
    for file in product_files():
        path = str(file.relative_to(ROOT))
        for call in (one for one in nodes_of(file) if isinstance(one, ast.Call)):
            if name_of(call) == "Payer":
                making.add(path)
            if name_of(call) == "payer_of":
                asking.add(path)
            if name_of(call) == "held" and call.args:
                told.add(f"{path} {ast.unparse(call.args[0])}")

    assert making == {
        "models/core/payer.py",  # nobody
        "models/records/payer.py",
        "models/runtime/slots.py",  # the id of a thing, in place of a caller
    }
    assert asking == {
        "models/links/grant.py",  # for the caller of a request
        "models/accounts/user.py",  # for a password
        "webhooks/senders.py",  # for the owner of a webhook
    }
    assert told == {
        "models/accounts/stored_response.py id",
        "models/runtime/password_slots.py payer",
        "models/runtime/previews.py id",
        "models/runtime/previews.py payer",
        "models/runtime/slots.py Payer(id)",
        "models/uploads/ending.py upload.id",
        "models/uploads/finishing.py upload.id",
        "models/uploads/steps.py upload.id",
    }


def test_a_limit_refuses_to_count_by_what_is_not_its_own():
    with pytest.raises(TypeError):
        rate_limits.UPLOADS.key("spc_01")
    with pytest.raises(TypeError):
        rate_limits.OPENINGS.key(Payer("usr_01"))
    with pytest.raises(TypeError):
        RateLimiter(rate_limits.UPLOADS, on=False).spend("spc_01")
    with pytest.raises(TypeError), Slots(1, of_caller=1).held("spc_01"):
        pass


class Callers:
    """People, strangers, and all by which they act, in one process; what `payers` are of each."""

    def __init__(self, app, seen):
        self.app, self.seen = app, seen
        self.ana, self.bob, self.cid = (self.register(name) for name in ("ana", "bob", "cid"))
        self.payers = {}
        self.spaces = []  # of ana

    def status(self, *call, **more):
        return self._answer(*call, **more).status_code

    def _answer(self, method, path, headers=None, address="192.0.2.1", **more):
        client = self.app.test_client(use_cookies=False)
        remote = {"REMOTE_ADDR": address}
        return client.open(path, method=method, headers=headers, environ_overrides=remote, **more)

    def ask(self, method, path, *call, **more):
        answer = self._answer(method, path, *call, **more)
        assert answer.status_code < 400, (method, path, answer.text)
        return answer.json if answer.is_json else answer

    def register(self, name):
        body = {"email": f"{name}@example.org", "password": PASSWORD}
        id = self.ask("POST", "/v1/auth/register", json=body)["id"]
        token = self.ask("POST", "/v1/auth/login", json=body)["accessToken"]
        return id, {"Authorization": f"Bearer {token}"}

    def space(self, person, *others):
        """A space that a person makes, in which the others are managers; return its id."""
        id = self.ask("POST", "/v1/spaces", person[1], json={"name": "A space"})["id"]
        for other in others:
            email = self.ask("GET", "/v1/auth/me", other[1])["email"]
            member = {"email": email, "role": "manage"}
            self.ask("POST", f"/v1/spaces/{id}/members", person[1], json=member)
        return id

    def entered(self, person, space_id):
        """The credential of a person who acts as a space."""
        token = self.ask("POST", f"/v1/spaces/{space_id}/sessions", person[1])["accessToken"]
        return {"Authorization": f"Bearer {token}"}

    def note(self, kind, method, path, headers=None, **more):
        """Note the payer of a request by a kind of caller."""
        self.ask(method, path, headers, **more)
        self.payers[kind] = self.seen[-1]

    def note_owner(self, kind, session):
        """Note the payers of a key and a link that an owner has made, and of opened pages."""
        key = {"X-API-Key": self.ask("POST", "/v1/api-keys", session, json={})["key"]}
        made = self.ask("POST", "/v1/documents", session, json=upload_of({}))
        path = f"/v1/documents/{made['id']}"
        self.note(f"key of {kind}", "GET", "/v1/documents", key)
        token = made["token"]["token"]
        self.note(f"link of {kind}", "GET", f"{path}/view?token={token}")
        return key


@pytest.fixture(scope="module")
def callers(tmp_path_factory):
    """All kinds of callers, and in `payers` who paid for a request of each."""
    folder = tmp_path_factory.mktemp("payers")
    seen = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("blueprints.hooks.serve_for", lambda _, payer: seen.append(payer))
        app = create_app({"INSTANCE_PATH": str(folder), "RATE_LIMITS": "off"})
        callers = Callers(app, seen)
        note_all(callers)
        yield callers
        app.extensions["runtime"].close()


def note_all(callers):
    ana, bob, cid = callers.ana, callers.bob, callers.cid
    callers.note("session of ana", "GET", "/v1/documents", ana[1])
    cookie = ana[1]["Authorization"].removeprefix("Bearer ")
    callers.note("cookie of ana", "GET", "/app/documents", {"Cookie": f"session={cookie}"})
    callers.note_owner("ana", ana[1])
    callers.note("session of bob", "GET", "/v1/documents", bob[1])
    callers.note_owner("bob", bob[1])
    for number in range(SPACES):
        space = callers.space(ana, *([bob] if number == 0 else []))
        callers.spaces.append(space)
        session = callers.entered(ana, space)
        callers.note(f"session of ana in space {number}", "GET", "/v1/documents", session)
        in_space = session["Authorization"].removeprefix("Bearer ")
        both = {"Cookie": f"session={cookie}; space={in_space}"}
        callers.note(f"cookie of ana in space {number}", "GET", "/app/documents", both)
        callers.note_owner(f"space {number}", session)
        if number == 0:
            by_bob = callers.entered(bob, space)
            callers.note("session of bob in space 0", "GET", "/v1/documents", by_bob)
    callers.gone_id = callers.space(cid, ana)
    session = callers.entered(ana, callers.gone_id)
    callers.key_of_gone = callers.note_owner("the space of cid", session)
    callers.note("session of ana in the space of cid", "GET", "/v1/documents", session)
    callers.note("a stranger", "GET", "/openapi.json", address="198.51.100.7")


def of_ana(kind):
    """Whether a request by this kind of caller is ana's, whatever it acts for."""
    is_session = kind.startswith(("session of ana", "cookie of ana"))
    made = {"ana", *(f"space {number}" for number in range(SPACES))}
    return is_session or kind.partition(" of ")[2] in made


def test_a_person_is_one_caller_whatever_they_act_for(callers):
    ana = {kind: payer for kind, payer in callers.payers.items() if of_ana(kind)}
    others = {kind: payer for kind, payer in callers.payers.items() if not of_ana(kind)}

    assert len(ana) == 3 + 1 + SPACES * 4 + 1
    assert {payer.id for payer in ana.values()} == {callers.ana[0]}
    assert callers.ana[0] not in {payer.id for payer in others.values()}
    assert others["session of bob in space 0"] == others["session of bob"] == (callers.bob[0], "")
    assert others["key of bob"].id == others["link of bob"].id == callers.bob[0]
    assert others["key of the space of cid"].id == callers.cid[0]
    assert others["a stranger"].id == "198.51.100.7/32"


def test_each_link_is_a_part_of_its_account_and_nothing_else_is(callers):
    parts = {kind: payer.link_id for kind, payer in callers.payers.items()}
    of_links = {kind for kind, link_id in parts.items() if link_id}

    assert of_links == {kind for kind in parts if kind.startswith("link of")}
    assert len({parts[kind] for kind in of_links}) == len(of_links)


SETTINGS = Settings(oidc_issuer="https://id.example.org", oidc_client_id="a", base_url="https://a")
# by the owner of rows or of a transaction, in tests of their own below
BY_OWNER = {
    "models/storage/sqlite_engine.py line",
    "models/storage/sqlite_engine.py _acquire",
    "webhooks/dispatcher.py deliveries",
    "webhooks/dispatcher.py mail",
    "mail-owner",
    "mail-notices",
    "mail-questions",
}


def test_what_is_made_behind_a_request_counts_for_it(callers, monkeypatch):
    made = []
    turn = PreviewQueue.turn
    monkeypatch.setattr(
        PreviewQueue,
        "turn",
        lambda queue, id, payer, **how: made.append(payer) or turn(queue, id, payer, **how),
    )
    session = callers.entered(callers.ana, callers.spaces[0])
    uploads = [
        callers.ask("POST", "/v1/documents", session, json=text)
        for text in (upload_of(None), upload_of(None))
    ]
    ids = [one["id"] for one in uploads]
    body = {"title": "Two", "documentIds": ids, "token": {"permissions": ["view", "download"]}}
    collection = callers.ask("POST", "/v1/collections", session, json=body)
    token = collection["token"]
    answer = callers.ask("GET", f"/s/download?token={token['token']}")

    assert answer.data
    assert made == [(callers.ana[0], token["id"])] * 2


def taking(slots):
    """A function that takes a slot for a payer, and returns whether there was one."""
    return lambda payer: slots.take(Slot(*payer))


def serving(shares):
    def serve(payer):
        names = tuple(filter(None, payer))
        return shares.enter(SimpleNamespace(caller=names, counted=()))

    return serve


def spending(limit):
    return RateLimiter(replace(limit, count=7), clock=lambda: 0.0).try_spend


def rooms():
    """By the names of limits that payers share: functions by which a payer takes some of it."""
    runtime = Runtime(SETTINGS)
    queue = runtime.preview_queue
    of_previews = [queue.viewing, queue.saving, queue.waiting, runtime.beside_requests._slots]
    passwords = [runtime.account_passwords.admitted, runtime.link_passwords.admitted]
    slots = {
        "models/runtime/state.py search_slots": [runtime.search_slots],
        "models/runtime/state.py export_slots": [runtime.export_slots],
        "models/runtime/state.py account_passwords": passwords[:1],
        "models/runtime/state.py link_passwords": passwords[1:],
        "models/runtime/password_slots.py admitted": passwords,
        "models/runtime/long_bodies.py slots": [runtime.long_bodies.slots],
        "blueprints/views/targets.py judge_body": [runtime.long_bodies.slots],
        "blueprints/views/uploads.py require_received": [runtime.long_bodies.slots],
        "models/runtime/previews.py _shared": of_previews,
        "models/runtime/previews.py begin": of_previews[-1:],
        "blueprints/views/targets.py on_target": of_previews,
        "models/runtime/provider.py _exchanges": [runtime.provider._exchanges],
    }
    return {name: [taking(one) for one in some] for name, some in slots.items()} | {
        "server/context.py shares": [serving(Shares(16, 9, lambda _: None))],
        "member": [spending(rate_limits.NEW_MEMBERS)],
        "idempotency": [spending(rate_limits.STORED_RESPONSES)],
        "upload": [spending(rate_limits.UPLOADS)],
    }


def taken(take, payers):
    """How much these payers get who try in turn until nothing is left for any of them."""
    return sum(take(payer) for payer in islice(cycle(payers), 20 * len(payers)))


def test_the_walk_knows_each_limit_that_payers_share():
    shared = {name for name, by in LIMITS.items() if by in {PAYER, PART}}
    assert rooms().keys() | BY_OWNER == shared


@pytest.mark.parametrize("name", rooms())
def test_all_callers_of_one_person_have_together_what_one_account_has(callers, name):
    of_person = [payer for kind, payer in callers.payers.items() if of_ana(kind)]
    alone = [taken(take, [Payer(callers.ana[0])]) for take in rooms()[name]]
    takes = rooms()[name]

    assert all(alone)
    assert [taken(take, of_person) for take in takes] == alone
    for other in ("session of bob in space 0", "link of bob", "a stranger"):
        for take in rooms()[name]:
            taken(take, of_person)
            assert take(callers.payers[other]), other


@pytest.mark.parametrize("name", [name for name in rooms() if LIMITS[name] == PART])
def test_a_link_leaves_some_of_the_share_to_its_account(callers, name):
    of_link = callers.payers["link of space 3"]
    for take in rooms()[name]:
        if taken(take, [of_link]) > 1:  # of a single slot there is no part
            assert take(callers.payers["session of ana in space 5"])


def test_a_link_spends_half_of_the_stored_responses_of_its_account(callers):
    runtime = current_runtime()
    with pytest.MonkeyPatch.context() as patch:
        for name, limit, count in (
            ("stored_responses", rate_limits.STORED_RESPONSES, 6),
            ("stored_responses_of_link", rate_limits.STORED_RESPONSES_OF_LINK, 3),
        ):
            limiter = RateLimiter(replace(limit, count=count), clock=lambda: 0.0)
            patch.setattr(runtime, name, limiter)
        with paid_by(callers.payers["link of space 1"]):
            assert stored(10) == 3
        with paid_by(callers.payers["key of space 2"]):
            assert stored(10) == 3
        with paid_by(callers.payers["session of bob in space 0"]):
            assert stored(10) == 6

    half = rate_limits.STORED_RESPONSES.count // 2
    assert rate_limits.STORED_RESPONSES_OF_LINK.count == half


def stored(tries):
    """Of so many responses that are to be stored, how many may be."""
    count = 0
    with suppress(TooManyRequests):
        for _ in range(tries):
            count_for_payer()
            count += 1
    return count


def upload_of(token):
    return {"payload": b64(b"a text"), "contentType": "text/plain", "token": token}


STORED = {  # what has a quota of its own in each space, and a call that stores one more
    "quota_bytes": ("/v1/documents", upload_of(None)),
    "quota_documents": ("/v1/documents", upload_of(None)),
    "quota_links": ("/v1/documents/{id}/tokens", {}),
    "quota_collections": ("/v1/collections", {"title": "A collection"}),
    "quota_api_keys": ("/v1/api-keys", {}),
    "quota_webhooks": ("/v1/webhooks", {"url": "https://hook.example/in"}),
}
NEVER_REFUSED = {"quota_sessions", "quota_events", "quota_deliveries"}
OF_PERSON = {"quota_spaces"}


def test_the_walk_knows_each_quota():
    quotas = {field.name for field in fields(Settings) if field.name.startswith("quota_")}
    assert STORED.keys() | NEVER_REFUSED | OF_PERSON == quotas


@pytest.mark.parametrize("quota", STORED)
def test_what_is_stored_counts_for_the_space_that_has_it(callers, quota):
    path, body = STORED[quota]
    runtime = current_runtime()
    count = 3
    one = {"quota_bytes": len(b"a text")}.get(quota, 1)
    with pytest.MonkeyPatch.context() as patch:
        ana = callers.register(f"ana of {quota}".replace(" ", "-"))
        sessions = [ana[1], *(callers.entered(ana, callers.space(ana)) for _ in range(2))]
        small = replace(runtime.settings, **{quota: count * one})
        patch.setattr(runtime, "settings", small)
        patch.setattr(runtime, "quota", Quota(small.quota_bytes, small.quota_documents))
        for session in sessions:
            at = path
            if "{id}" in path:
                made = callers.ask("POST", "/v1/documents", session, json=upload_of(None))
                at = path.format(**made)
            statuses = [callers.status("POST", at, session, json=body) for _ in range(count + 1)]
            assert statuses == [201] * count + [403]


def test_a_person_is_one_in_the_line_of_writers_and_among_the_senders(callers):
    owners = [callers.ana[0], *callers.spaces]
    lines = set()
    for owner_id in owners:
        with paid_by(callers.payers["link of space 7"]), engine()._first_of(owner_id, 0):
            lines |= set(engine()._lines)
    with connected():
        of_rows = {caller_of(SimpleNamespace(owner_id=owner_id)) for owner_id in owners}

    assert lines == of_rows == {callers.ana[0]}


def test_what_nobody_asks_for_waits_in_the_line_of_its_owner(callers):
    with engine()._first_of(callers.spaces[0], 0):
        assert set(engine()._lines) == {callers.spaces[0]}
    stranger = callers.payers["a stranger"]
    with paid_by(stranger), engine()._first_of(callers.bob[0], 0):
        assert set(engine()._lines) == {callers.bob[0]}


@pytest.mark.parametrize("kind", mail_limit.MAIL_KINDS)
def test_each_mail_of_a_space_counts_for_its_maker_as_well(callers, kind):
    with connected():
        for space_id in callers.spaces:
            limits = mail_limit._limits(payers_of(space_id), kind, "a@example.org", "")
            counted = Counter(key for limit, key in limits if limit.by is By.PAYER)
            assert counted[callers.ana[0]] == counted[space_id] == counted.total() / 2
            assert counted.total() or kind == "reset"  # which counts for the account that gets it


def test_a_space_whose_maker_is_gone_counts_for_itself(callers):
    with connected():
        delete_account(User.get_by_id(callers.cid[0]))
        finish_deletions()
    callers.note(
        "the key of a space without its maker", "GET", "/v1/documents", callers.key_of_gone
    )

    assert callers.seen[-1] == (callers.gone_id, "")
