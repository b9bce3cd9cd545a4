"""People who send requests to a running service, and the answers they get.

Every answer that a person gets is held against the service's own OpenAPI description.
"""

import contextlib
import http.client
import json as json_format
from urllib.parse import urlencode

from tests.formats import b64

PASSWORD = "correct horse battery staple"
ABSENT = object()


def at(document, more=""):
    """The path of a document or collection, or of something below it."""
    noun = "collections" if document["id"].startswith("col_") else "documents"
    return f"/v1/{noun}/{document['id']}{more}"


class Answer:
    """The status, the headers and the whole body of an answer."""

    def __init__(self, response, body):
        self.status, self.headers, self.body = response.status, response.headers, body

    @property
    def text(self):
        return self.body.decode()

    @property
    def json(self):
        return json_format.loads(self.body)

    @property
    def kind(self):
        """The media type without parameters."""
        return self.headers.get("Content-Type", "").partition(";")[0]

    @property
    def policy(self):
        """The Content-Security-Policy as directive -> sources."""
        directives = [part.split() for part in self.headers["Content-Security-Policy"].split(";")]
        return {words[0]: words[1:] for words in directives if words}

    def __repr__(self):
        return f"<{self.status} {self.kind} {self.body[:300]!r}>"


class Person:
    """A client with one credential, or with none; `address` is the one it connects from."""

    def __init__(self, service, credential=None, address=None):
        self.service, self.credential, self.address = service, credential or {}, address
        self.record, self.password = None, None

    def with_token(self, token):
        return Person(self.service, {"Authorization": f"Bearer {token}"})

    def with_api_key(self, key):
        return Person(self.service, {"X-API-Key": key})

    @property
    def secret(self):
        """The credential itself."""
        return next(iter(self.credential.values())).removeprefix("Bearer ")

    def request(
        self, method, path, *, json=ABSENT, form=None, data=None, headers=(), chunks=None, errors=()
    ):
        """Send one request on a connection of its own, and return its answer.

        `form` are the fields of a form, as a browser sends them without a file.
        `headers` (a mapping or pairs) are added to the credential's, even where they double one.
        A status of 500 or above fails the test unless it is among `errors`; so do a redirect and
        an answer that the service's description does not allow.
        """
        added = list(headers.items() if isinstance(headers, dict) else headers)
        if json is not ABSENT:
            data = json_format.dumps(json).encode()
            if "content-type" not in {name.lower() for name, _ in added}:
                added.append(("Content-Type", "application/json"))
        if form is not None:
            data = urlencode(form).encode()
            added.append(("Content-Type", "application/x-www-form-urlencoded"))
        answer = self.exchange(method, path, [*self.credential.items(), *added], data, chunks)
        assert answer.status < 500 or answer.status in errors, (method, path, answer)
        assert answer.status not in range(300, 304), (method, path, answer)
        self.service.description.check(method, path, answer)
        return answer

    def exchange(self, method, path, headers=(), data=None, chunks=None):
        """Send exactly this request, and return its answer unchecked."""
        with contextlib.closing(self.connect()) as connection:
            connection.putrequest(method, path, skip_accept_encoding=True)
            for name, value in headers:
                connection.putheader(name, value)
            if chunks is not None:
                connection.putheader("Transfer-Encoding", "chunked")
                connection.endheaders(chunks, encode_chunked=True)
            else:
                if data is not None or method in {"POST", "PATCH", "PUT"}:
                    connection.putheader("Content-Length", str(len(data or b"")))
                connection.endheaders(data)
            response = connection.getresponse()
            return Answer(response, response.read())

    def begin(self, method, path, headers=()):
        """Return a connection with the head of a request; `endheaders` and a body may follow."""
        connection = self.connect()
        connection.putrequest(method, path)
        for name, value in (self.credential | dict(headers)).items():
            connection.putheader(name, value)
        return connection

    def connect(self):
        source = (self.address, 0) if self.address else None
        return http.client.HTTPConnection(
            "127.0.0.1", self.service.port, timeout=60, source_address=source
        )

    def get(self, path, **more):
        return self.request("GET", path, **more)

    def head(self, path, **more):
        return self.request("HEAD", path, **more)

    def post(self, path, **more):
        return self.request("POST", path, **more)

    def put(self, path, **more):
        return self.request("PUT", path, **more)

    def patch(self, path, **more):
        return self.request("PATCH", path, **more)

    def delete(self, path, **more):
        return self.request("DELETE", path, **more)

    def register(self, email, password=PASSWORD, **fields):
        """The answer to the registration of an account."""
        return self.post("/v1/auth/register", json={"email": email, "password": password, **fields})

    def log_in(self, email, password=PASSWORD, **more):
        """The answer to a login."""
        return self.post("/v1/auth/login", json={"email": email, "password": password}, **more)

    def create_api_key(self, **fields):
        """Create an API key, and return a person who holds it; `record` is the answer."""
        record = self._created("/v1/api-keys", fields)
        machine = self.with_api_key(record["key"])
        machine.record = record
        return machine

    def upload(self, content=b"a document", content_type="text/plain", **fields):
        """Upload a document, and return its record."""
        fields = {"payload": b64(content), "contentType": content_type, **fields}
        return self._created("/v1/documents", fields)

    def collect(self, *documents, **fields):
        """Make a collection of documents, and return its record."""
        ids = [document["id"] for document in documents]
        return self._created("/v1/collections", {"title": "Offer", "documentIds": ids, **fields})

    def share(self, document, **fields):
        """Create a link to a document or collection, and return its record with the token."""
        return self._created(at(document, "/tokens"), fields)

    def _created(self, path, fields):
        answer = self.post(path, json=fields)
        assert answer.status == 201, answer
        return answer.json

    def links(self, document):
        """The records of the links to a document, newest first."""
        return self.get(at(document, "/tokens")).json["tokens"]

    def views(self, document, link):
        """How often a link was opened."""
        return next(
            record["views"] for record in self.links(document) if record["id"] == link["id"]
        )

    def change(self, document, link, **fields):
        """The answer to a change of a link."""
        return self.patch(at(document, f"/tokens/{link['id']}"), json=fields)

    def revoke(self, document, link):
        """The answer to the revocation of a link."""
        return self.delete(at(document, f"/tokens/{link['id']}"))

    def open(self, url, method="GET", **more):
        """Follow a link of the service without a credential, as a browser would."""
        assert url.startswith(self.service.url + "/"), url
        return Person(self.service).request(method, url.removeprefix(self.service.url), **more)

    def submit(self, link, call="view", headers=(), **fields):
        """Send the form of the page that a link with a password or a number of views shows."""
        url, form = link[f"{call}Url"].partition("?")[0], {"token": link["token"], **fields}
        return self.open(url, "POST", form=form, headers=headers)

    def pages(self, path):
        """Yield the records of every page of a list."""
        cursor, joined = "", "&" if "?" in path else "?"
        while cursor is not None:
            answer = self.get(path + (cursor and f"{joined}cursor={cursor}"))
            assert answer.status == 200, answer
            (name,) = answer.json.keys() - {"nextCursor"}
            yield answer.json[name]
            cursor = answer.json["nextCursor"]

    def events(self, query=""):
        """Yield all events of a person, oldest first, page by page."""
        after = ""
        while after is not None:
            page = self.get(f"/v1/events?limit=3{query}{after and '&after=' + after}").json
            yield from page["events"]
            after = page["nextCursor"]

    def event_types(self, query=""):
        return [event["type"] for event in self.events(query)]
