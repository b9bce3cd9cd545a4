"""The routes of the contract, with who may call them and a good body."""

from dataclasses import dataclass

SESSION, KEY, TOKEN, TICKET = "session", "key", "token", "ticket"
OWNER = (SESSION, KEY)
READER = (SESSION, KEY, TOKEN)


@dataclass(frozen=True)
class Route:
    method: str
    path: str
    callers: tuple = ()
    body: dict | None = None
    scopes: tuple = ()

    def __str__(self):
        return f"{self.method} {self.path}"

    def at(self, **ids):
        """The path with these ids in it; `nothing` stands for those not given."""
        path = self.path
        for name in NOUNS:
            path = path.replace(f"<{name}>", ids.get(name, "nothing"))
        return path

    def call(self, person, headers=(), query="", **ids):
        """The route, called well."""
        more = {} if self.body is None else {"json": self.body}
        return person.request(self.method, self.at(**ids) + query, headers=headers, **more)


NOUNS = (
    "document",
    "collection",
    "token",
    "link",
    "key",
    "session",
    "webhook",
    "delivery",
    "space",
    "user_id",
    "upload",
)
ACCOUNT = {"email": "route@example.org", "password": "long enough"}
CHANGE = {"currentPassword": "long enough", "newPassword": "longer still"}
UPLOAD = {"payload": "", "contentType": "text/plain"}
WEBHOOK = {"url": "https://hook.example/in"}
OPENINGS = ("documents:read", "events:read")
READ, WRITE, DELETE = ("documents:read",), ("documents:write",), ("documents:delete",)

ROUTES = [
    Route("POST", "/v1/auth/register", body=ACCOUNT),
    Route("POST", "/v1/auth/login", body=ACCOUNT),
    Route("GET", "/v1/auth/me", (SESSION,)),
    Route("PATCH", "/v1/auth/me", (SESSION,), {"name": "another"}),
    Route("POST", "/v1/auth/logout", (SESSION,)),
    Route("POST", "/v1/auth/password", (SESSION,), CHANGE),
    Route("GET", "/v1/auth/sessions", (SESSION,)),
    Route("DELETE", "/v1/auth/sessions/<session>", (SESSION,)),
    Route("POST", "/v1/spaces", (SESSION,), {"name": "Accounting"}),
    Route("GET", "/v1/spaces", (SESSION,)),
    Route("POST", "/v1/api-keys", (SESSION,), {}),
    Route("GET", "/v1/api-keys", (SESSION,)),
    Route("DELETE", "/v1/api-keys/<key>", (SESSION,)),
    Route("POST", "/v1/api-keys/<key>/rotate", (SESSION,), {}),
    Route("POST", "/v1/documents", OWNER, UPLOAD, WRITE),
    Route("GET", "/v1/documents", OWNER, None, READ),
    Route("GET", "/v1/documents/<document>", OWNER, None, READ),
    Route("PATCH", "/v1/documents/<document>", OWNER, {"name": "another"}, WRITE),
    Route("GET", "/v1/documents/<document>/view", READER, None, READ),
    Route("GET", "/v1/documents/<document>/download", READER, None, READ),
    Route("GET", "/v1/documents/<document>/content", READER, None, READ),
    Route("DELETE", "/v1/documents/<document>", OWNER, None, DELETE),
    Route("POST", "/v1/documents/<document>/tokens", OWNER, {}, (*READ, *WRITE)),
    Route("GET", "/v1/documents/<document>/tokens", OWNER, None, READ),
    Route("PATCH", "/v1/documents/<document>/tokens/<token>", OWNER, {}, (*READ, *WRITE)),
    Route("DELETE", "/v1/documents/<document>/tokens/<token>", OWNER, None, WRITE),
    Route("GET", "/v1/documents/<document>/tokens/<token>/openings", OWNER, None, OPENINGS),
    Route("GET", "/v1/collections/<collection>/tokens/<link>/openings", OWNER, None, OPENINGS),
    Route("POST", "/v1/collections/<collection>/tokens", OWNER, {}, (*READ, *WRITE)),
    Route("GET", "/v1/collections/<collection>/tokens", OWNER, None, READ),
    Route("PATCH", "/v1/collections/<collection>/tokens/<link>", OWNER, {}, (*READ, *WRITE)),
    Route("DELETE", "/v1/collections/<collection>/tokens/<link>", OWNER, None, WRITE),
    Route("GET", "/v1/tokens", OWNER, None, READ),
    Route("GET", "/v1/tokens/<token>", OWNER, None, READ),
    Route("PATCH", "/v1/tokens/<token>", OWNER, {}, (*READ, *WRITE)),
    Route("DELETE", "/v1/tokens/<token>", OWNER, None, WRITE),
    Route("POST", "/v1/collections", OWNER, {"title": "Offer"}, (*READ, *WRITE)),
    Route("GET", "/v1/collections", OWNER, None, READ),
    Route("GET", "/v1/collections/<collection>", OWNER, None, READ),
    Route("GET", "/v1/collections/<collection>/content", OWNER, None, READ),
    Route("GET", "/v1/collections/<collection>/download", OWNER, None, READ),
    Route("POST", "/v1/collections/<collection>/download", OWNER, {"password": "a word"}, READ),
    Route("PATCH", "/v1/collections/<collection>", OWNER, {"title": "Another"}, (*READ, *WRITE)),
    Route("DELETE", "/v1/collections/<collection>", OWNER, None, DELETE),
    Route("GET", "/v1/uploads", OWNER, None, READ),
    Route("GET", "/s", (TOKEN,)),
    Route("GET", "/s/content", (TOKEN,)),
    Route("GET", "/s/download", (TOKEN,)),
    Route("GET", "/v1/events", OWNER, None, ("events:read",)),
    Route("POST", "/v1/webhooks", (SESSION,), WEBHOOK),
    Route("GET", "/v1/webhooks", (SESSION,)),
    Route("GET", "/v1/webhooks/<webhook>", (SESSION,)),
    Route("PATCH", "/v1/webhooks/<webhook>", (SESSION,), {"description": "another"}),
    Route("DELETE", "/v1/webhooks/<webhook>", (SESSION,)),
    Route("POST", "/v1/webhooks/<webhook>/test", (SESSION,)),
    Route("POST", "/v1/webhooks/<webhook>/rotate-secret", (SESSION,)),
    Route("GET", "/v1/webhooks/<webhook>/deliveries", (SESSION,)),
    Route("POST", "/v1/webhooks/<webhook>/deliveries/<delivery>/redeliver", (SESSION,)),
    Route("GET", "/healthz"),
    Route("GET", "/readyz"),
    Route("GET", "/openapi.json"),
    Route("GET", "/docs"),
    Route("GET", "/favicon.ico"),
    Route("GET", "/apple-touch-icon.png"),
    Route("GET", "/"),
]
PASSWORD, ADDRESS = {"password": "a word"}, {"email": "route@example.org"}
BESIDE = [  # that answer well only what a link, a PDF or a setting has made before
    Route("POST", "/v1/auth/reset", body=ADDRESS),
    Route("PATCH", "/v1/spaces/<space>", (SESSION,), {"name": "Accounting"}),
    Route("GET", "/v1/spaces/<space>/members", (SESSION,)),
    Route("POST", "/v1/spaces/<space>/sessions", (SESSION,)),
    Route("DELETE", "/v1/spaces/<space>", (SESSION,)),
    Route("POST", "/v1/spaces/<space>/members", (SESSION,), ADDRESS | {"role": "read"}),
    Route("PATCH", "/v1/spaces/<space>/members/<user_id>", (SESSION,), {"role": "read"}),
    Route("DELETE", "/v1/spaces/<space>/members/<user_id>", (SESSION,)),
    Route("POST", "/v1/uploads", OWNER, None, WRITE),
    Route("GET", "/v1/uploads/<upload>", OWNER, None, WRITE),
    Route("PATCH", "/v1/uploads/<upload>", OWNER, None, WRITE),
    Route("DELETE", "/v1/uploads/<upload>", OWNER, None, WRITE),
    Route("POST", "/v1/documents/<document>/view", READER, {}, READ),
    Route("POST", "/v1/documents/<document>/codes", (TOKEN,), ADDRESS),
    Route("POST", "/v1/documents/<document>/download", READER, PASSWORD, READ),
    Route("GET", "/v1/documents/<document>/pages", READER, None, READ),
    Route("POST", "/v1/documents/<document>/pages", READER, PASSWORD, READ),
    Route("GET", "/v1/documents/<document>/pages/1", READER, None, READ),
    Route("POST", "/v1/documents/<document>/pages/1", READER, PASSWORD, READ),
    Route("GET", f"/v1/documents/<document>/agreements/{'0' * 64}", OWNER, None, READ),
    Route("GET", f"/v1/collections/<collection>/agreements/{'0' * 64}", OWNER, None, READ),
    Route("GET", "/v1/documents/<document>/openings/opn_1/receipt", OWNER, None, OPENINGS),
    Route("GET", "/v1/collections/<collection>/openings/opn_1/receipt", OWNER, None, OPENINGS),
    Route("POST", "/v1/tokens/<token>/send", OWNER, {}, (*READ, *WRITE)),
    Route("POST", "/s", (TOKEN,), {}),
    Route("POST", "/s/codes", (TOKEN,), ADDRESS),
    Route("POST", "/s/download", (TOKEN,), PASSWORD),
    Route("POST", "/s/uploads", (TOKEN,)),
    *(Route(method, "/s/uploads/<upload>", (TICKET,)) for method in ("GET", "PATCH", "DELETE")),
    *(Route("GET", path) for path in ("/embed.js", "/oembed", "/logo", "/metrics")),
]
EVERY = [*ROUTES, *BESIDE]


def who_may(route, owner, anonymous, document):
    """A person whom the route accepts; the document is the owner's."""
    if SESSION in route.callers:
        return owner
    return owner.with_token(document["token"]["token"]) if route.callers else anonymous


def among(chosen):
    """The routes for which this is so."""
    return [route for route in ROUTES if chosen(route)]


GUARDED = among(lambda route: route.callers)
PUBLIC = among(lambda route: not route.callers)
OF_OWNER = among(lambda route: KEY in route.callers)
OF_SESSION = among(lambda route: SESSION in route.callers and KEY not in route.callers)
OF_TOKEN = among(lambda route: TOKEN in route.callers)
OF_DOCUMENT = [route for route in OF_TOKEN if "<document>" in route.path]
GETS = among(lambda route: route.method == "GET")
WITH_BODY = among(lambda route: route.body is not None)
