"""A space with a value of each kind in it, and what each of its people is answered.

`Shown` has made one of everything that has a value to show or to hide, each value with a text that
occurs nowhere else. `answers` fetches each GET route with all ids that there are.
"""

import html
import re
import secrets
from dataclasses import dataclass
from io import BytesIO
from itertools import product
from urllib.parse import unquote

from blueprints.http import DOCUMENT_TOKEN, NOBODY
from blueprints.http.declarations import declaration_of
from models import SCOPES, DocumentToken, Session, User, WebhookDelivery, connected
from models.accounts import Identity
from models.core import now
from models.links import Recipient, target_of
from models.records import SealedRow
from tests.formats import b64
from tests.people import PASSWORD
from tests.tus import metadata

OF_SPACE, OF_MIA = "of the space", "of Mia's own"
HERE = {"Sec-Fetch-Site": "same-origin"}
PAGE = HERE | {"Accept": "text/html"}
JSON = HERE | {"Accept": "application/json"}
WITHOUT_VALUES = {  # routes of files that are the same for everybody
    "/app/console-<version>.<any(css,js):kind>",
    "/app/<any('icon.svg','icon-192.png','icon-512.png'):name>",
    "/openapi.json",
    "/docs",
    "/metrics",
}


@dataclass(frozen=True)
class Role:
    """Somebody with a session of their own, and perhaps one of the space; or with a key or link."""

    name: str
    token: str = ""
    space_token: str = ""
    key: str = ""
    whose: str = OF_SPACE  # the values that the role asks for

    def __str__(self):
        return self.name

    @property
    def credentials(self):
        """The headers of each credential, for the API."""
        if self.key:
            return [{"X-API-Key": self.key}]
        return [by(token) for token in (self.token, self.space_token) if token] or [{}]

    @property
    def cookies(self):
        """The headers of the pages; nobody has no cookie."""
        pairs = {"session": self.token, "space": self.space_token}
        return {"Cookie": "; ".join(f"{name}={value}" for name, value in pairs.items() if value)}


def by(token):
    return {"Authorization": f"Bearer {token}"}


class Shown:
    """The people, the space, and all values by what they are; `ids` are those of rows by noun."""

    def __init__(self, app):
        self.app = app
        self.client = app.test_client(use_cookies=False)
        self.values = {"digest of a password": "$argon2id$"}
        self.ids = {"pages": [("", "1")]}
        self.links = {}
        self._make_people()
        self._fill(self.acting["manage"], OF_SPACE)
        self._fill(self.tokens["Mia"], OF_MIA)
        self._open_links()
        self._deliver()

    def value(self, what):
        """A new value, whose text is found wherever it is shown."""
        self.values[what] = f"q{secrets.token_hex(5)}"
        return self.values[what]

    def call(self, method, path, token="", **more):
        headers = JSON | (by(token) if token else {}) | more.pop("headers", {})
        answer = self.client.open(path, method=method, headers=headers, **more)
        assert answer.status_code < 400, (method, path, answer.text)
        return answer.json if answer.is_json else answer

    def note(self, noun, id, whose=OF_SPACE):
        self.ids.setdefault(noun, []).append((whose, id))
        return id

    def _make_people(self):
        self.tokens = {}
        self.addresses = {}
        for name in ("Mia", "Will", "Rea", "Gus"):
            email = f"{self.value(f'address of {name}')}@example.org"
            fields = {"email": email, "password": PASSWORD}
            named = fields | {"name": self.value(f"name of {name}")}
            self.call("POST", "/v1/auth/register", json=named)
            login = self.call("POST", "/v1/auth/login", json=fields)
            self.tokens[name] = self.values[f"session of {name}"] = login["accessToken"]
            self.addresses[name] = email
        mia = self.tokens["Mia"]
        space = self.call("POST", "/v1/spaces", mia, json={"name": self.value("name of the space")})
        self.space = self.note("spaces", space["id"], "")
        for name, role in (("Will", "write"), ("Rea", "read"), ("Gus", "read")):
            member = {"email": self.addresses[name], "role": role}
            self.call("POST", f"/v1/spaces/{self.space}/members", mia, json=member)
        self.acting = {}
        for name, role in (("Mia", "manage"), ("Will", "write"), ("Rea", "read")):
            login = self.call("POST", f"/v1/spaces/{self.space}/sessions", self.tokens[name])
            self.acting[role] = self.values[f"session of {name} in the space"] = login[
                "accessToken"
            ]
        cookies = Role("", mia, self.acting["manage"]).cookies
        invited = {
            "email": f"{self.value('address of who is invited')}@example.org",
            "role": "read",
        }
        path = f"/app/spaces/{self.space}/members?for={self.space}"
        self.call("POST", path, data=invited, headers=PAGE | cookies)
        with connected():
            for session in Session.select():
                Session.find(session.id).change(client=self.value(f"program of {session.id}"))
            mia_id = User.find_by_email(self.addresses["Mia"]).id
            Identity.link(mia_id, "https://login.example.org", self.value("other login of Mia"))

    def _fill(self, token, whose):
        """Make one of everything that an owner has, as the owner."""

        def value(what):
            return self.value(f"{what} {whose}")

        def made(noun, path, **fields):
            record = self.call("POST", path, token, json=fields)
            self.note(noun, record["id"], whose)
            return record

        def linked(what, path, **options):
            link = made("tokens", f"{path}/tokens", label=value(f"label of {what}"), **options)
            self.values[f"secret of {what} {whose}"] = link["token"]
            self.links[f"{what} {whose}"] = link
            return link

        document, binned = (
            made(
                "documents",
                "/v1/documents",
                payload=b64(f"{what} {whose}".encode()),
                contentType="text/plain",
                name=value(f"name of {what}"),
                metadata={value(f"key of {what}"): value(f"metadata of {what}")},
                token=None,
            )
            for what in ("a document", "a document in the bin")
        )
        self.values[f"hash of a document {whose}"] = document["sha256"]
        collection = made(
            "collections",
            "/v1/collections",
            title=value("title of a collection"),
            note=value("note of a collection"),
            documentIds=[document["id"]],
        )
        inbox = made("collections", "/v1/collections", title=value("title of a request"))
        at = f"/v1/documents/{document['id']}"
        address = value("address of a recipient")
        agreement = value("agreement")
        site = f"https://{value('site that may frame')}.example"
        linked("a link", at, permissions=["view", "download"], allowedOrigins=[site])
        linked("a link with a password", at, password=value("password of a link"))
        linked("a link that is off", at)
        self.call(
            "PATCH", f"/v1/tokens/{self.ids['tokens'][-1][1]}", token, json={"enabled": False}
        )
        linked("a guarded link", at, agreement=agreement)
        linked("a link for somebody", at, recipients=[f"{address}@example.org"])
        linked("a link without a name", at, password="a password", hideName=True)
        linked("a link to a collection", f"/v1/collections/{collection['id']}")
        linked("a request", f"/v1/collections/{inbox['id']}", permissions=["upload"], maxViews=9)
        self._begin_upload(token, whose)
        key = made("keys", "/v1/api-keys", name=value("name of a key"))
        self.values[f"secret of a key {whose}"] = key["key"]
        webhook = made(
            "webhooks",
            "/v1/webhooks",
            url=f"http://127.0.0.1:9/{value('path of a webhook')}",
            description=value("description of a webhook"),
        )
        self.values[f"secret of a webhook {whose}"] = webhook["secret"]
        self.call("POST", f"/v1/webhooks/{webhook['id']}/test", token)
        form = {"act": "bin", "id": binned["id"]}
        role = Role("", self.tokens["Mia"], token if whose == OF_SPACE else "")
        made_for = f"?for={self.space}" if role.space_token else ""
        self.call("POST", f"/app/documents{made_for}", data=form, headers=PAGE | role.cookies)

    def _begin_upload(self, token, whose):
        name = self.value(f"name of an unfinished upload {whose}")
        header = metadata(filename=name)["Upload-Metadata"]
        self.values[f"header of an unfinished upload {whose}"] = header
        sent = {"Upload-Length": "9", "Upload-Metadata": header}
        begun = self.call("POST", "/v1/uploads", token, headers=sent)
        self.note("uploads", begun.headers["Location"].rpartition("/")[2], whose)

    def _open_links(self):
        """Let readers open the guarded links, and send files."""
        for whose in (OF_SPACE, OF_MIA):
            guarded = self.links[f"a guarded link {whose}"]
            answers = {
                "name": self.value(f"name of a reader {whose}"),
                "accept": guarded["agreementSha256"],
            }
            self.call("POST", "/s", guarded["token"], json=answers)
            self._open_as_recipient(whose)
            self.note("agreements", guarded["agreementSha256"], whose)
            self.note("opened tokens", guarded["id"], whose)
            sent = {
                "file": (BytesIO(b"a file"), f"{self.value(f'name of a file {whose}')}.txt"),
                "from": self.value(f"sender of a file {whose}"),
            }
            token = self.links[f"a request {whose}"]["token"]
            self.client.post(f"/s?token={token}", data=sent, headers=JSON)
        for whose, token in ((OF_SPACE, self.acting["manage"]), (OF_MIA, self.tokens["Mia"])):
            for one in self.call("GET", "/v1/tokens", token)["tokens"]:
                noun = "documents" if one["documentId"] else "collections"
                at = f"/v1/{noun}/{one['documentId'] or one['collectionId']}"
                path = f"{at}/tokens/{one['id']}/openings"
                for opening in self.call("GET", path, token)["openings"]:
                    self.note("openings", opening["id"], whose)
                    self.values[f"salt of {opening['id']}"] = opening["salt"]

    def _open_as_recipient(self, whose):
        """Let the recipient of a link, to whom it was sent, open it."""
        link = self.links[f"a link for somebody {whose}"]
        (address,) = link["recipients"]
        with connected():
            token = DocumentToken.find(link["id"])
            token.change(sent_at={address: now()})
            code = Recipient.draw_code(
                target_of(token.owner_id, token.target_id), token.id, address
            )
        self.call("POST", "/s", link["token"], json={"email": address, "code": code})
        self.note("opened tokens", link["id"], whose)

    def _deliver(self):
        """Let the receivers have answered."""
        with connected():
            for delivery in WebhookDelivery.select():
                found = WebhookDelivery.find(delivery.webhook_id, delivery.id)
                found.change(
                    answer=self.value(f"answer to {delivery.id}"),
                    error=self.value(f"error of {delivery.id}"),
                )

    def person(self, name):
        """Somebody who opens the pages for people."""
        return {
            "who manages the space": Role(name, self.tokens["Mia"], self.acting["manage"]),
            "who writes in the space": Role(name, self.tokens["Will"], self.acting["write"]),
            "who reads in the space": Role(name, self.tokens["Rea"], self.acting["read"]),
            "who owns an account": Role(name, self.tokens["Mia"], whose=OF_MIA),
            "who has not entered the space": Role(name, self.tokens["Gus"]),
            "nobody": Role(name),
        }[name]

    def programs(self):
        """An API key of the space for each scope."""
        made = [
            (
                scope,
                self.call("POST", "/v1/api-keys", self.acting["manage"], json={"scopes": [scope]}),
            )
            for scope in SCOPES
        ]
        return [Role(f"a key for {scope}", key=record["key"]) for scope, record in made]

    def readers(self):
        """Whoever has a link, by what it is."""
        return [
            Role(what, link["token"], whose=OF_MIA if what.endswith(OF_MIA) else OF_SPACE)
            for what, link in self.links.items()
        ]

    def seen(self, role, rules):
        """What the API shows to a role, and what pages show: sets of values, by what they are.

        The pages of documents are at addresses of the API, so what is HTML is a page.
        """
        api, pages = set(), set()
        for rule in rules:
            for answer in self.answers(rule, role):
                is_page = is_for_people(rule) or answer.mimetype == "text/html"
                shown = pages if is_page else api
                shown |= self.found_in(answer.data.decode(errors="replace"))
        return api, pages

    def answers(self, rule, role):
        """The answers of a route with all ids, as a page and as JSON."""
        for headers in [role.cookies] if is_for_people(rule) else role.credentials:
            for path, accepted in product(self.paths(rule, role.whose), (PAGE, JSON)):
                if accepted is PAGE and not may_be_page(rule):
                    continue
                answer = self.client.get(path, headers=headers | accepted)
                assert answer.status_code < 500, (path, answer.data)
                yield answer

    def found_in(self, text):
        readable = unquote(html.unescape(text))
        return {what for what, value in self.values.items() if value in readable}

    def filled(self):
        """The sealed values that hold one of the values: of a table, by name."""
        texts = self.values.values()
        found = set()
        with connected():
            for table, row in rows_with_sealed_values():
                for name in table.sealed_names():
                    text = str(getattr(row, name))
                    if any(one in text for one in texts):
                        found.add((table._meta.table_name, name))
        return found

    def rules(self, wanted):
        """The routes that answer to GET, and are wanted."""
        rules = {one.rule for one in self.app.url_map.iter_rules() if "GET" in one.methods}
        return sorted(filter(wanted, rules - WITHOUT_VALUES))

    def rules_of_links(self):
        """The routes that answer to GET by the token of a link, or to anybody."""
        views = self.app.view_functions
        accepted = {
            one.rule: {*declaration_of(views[one.endpoint]).accepts}
            for one in self.app.url_map.iter_rules()
            if "GET" in one.methods
        }
        return self.rules(lambda rule: accepted[rule] & {DOCUMENT_TOKEN, NOBODY})

    def paths(self, rule, whose):
        """The addresses of a route: with each id of the noun before it, and with each query."""
        names = NOUNS_OF_OPENINGS if rule.endswith("/openings") else NOUNS
        nouns = [names.get(noun, noun) for noun in re.findall(r"(\w+)/<", rule)]
        for chosen in product(*(self.ids_of(noun, whose) for noun in nouns)):
            ids = iter(chosen)
            path = re.sub("<[^>]+>", lambda _: next(ids), rule)  # noqa: B023
            yield path
            for query in QUERIES.get(rule, ()):
                name, _, noun = query.partition("=")
                found = self.ids_of(noun, whose) if noun in self.ids else [noun]
                yield f"{path}?" + "&".join(f"{name}={one}" for one in found)

    def ids_of(self, noun, whose):
        return [id for owner, id in self.ids[noun] if owner in ("", whose)]


NOUNS = {"links": "tokens"}
NOUNS_OF_OPENINGS = {"tokens": "opened tokens"}  # no other link has any
QUERIES = {  # by which a route shows more; a noun stands for its ids
    "/app/documents": ["made=tokens", "shared=documents", "id=documents", "is=shared"],
    "/app/documents/<id>": ["former=documents"],
    "/app/collections/<id>": ["find=q"],
    "/app/links": ["document=documents", "collection=collections", "state=ended", "name=q"],
    "/app/links/<id>": ["qr=1"],
    "/app/jump": ["q=q"],
    "/v1/spaces": ["waiting=true"],
}


def is_recorded(rule):
    """Whether it is recorded who asks at a route, so that pages tell others of it."""
    return rule.endswith(("/view", "/content", "/download", "/pages", "/<number>"))


def is_for_people(rule):
    return rule == "/app" or rule.startswith("/app/")


def is_about_documents(rule):
    """Whether it is a route of documents, or of whose they are."""
    nouns = ("documents", "collections", "tokens", "spaces", "auth")
    return rule.startswith(tuple(f"/v1/{noun}" for noun in nouns))


def may_be_page(rule):
    """Whether the answers of a route can be HTML."""
    return is_for_people(rule) or rule == "/s" or rule.endswith(("/view", "/download"))


def tables_with_sealed_values(base=SealedRow):
    """All classes of rows whose sealed text has values; of a table, the one with most."""
    found = {}
    for one in base.__subclasses__():
        found |= tables_with_sealed_values(one)
        if hasattr(one, "PREFIX") and one.sealed_names():
            found.setdefault(one._meta.table_name, one)
    return found


def rows_with_sealed_values():
    for table in tables_with_sealed_values().values():
        for row in table.rows(table.select()):
            yield table, row
