"""An OpenID Connect provider on this machine, whose tokens and answers a test forges."""

import base64
import hashlib
import json
import secrets
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, parse_qsl, unquote_plus, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

CLIENT, SECRET = "documents", "a secret: of the client"
_RSA = rsa.generate_private_key(public_exponent=65537, key_size=2048)  # slow: made once


def rsa_key():
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def _encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Signer:
    """A key with its id and algorithm, as the provider publishes and uses it."""

    OF = {
        "RS256": lambda: _RSA,
        "ES256": lambda: ec.generate_private_key(ec.SECP256R1()),
        "EdDSA": ed25519.Ed25519PrivateKey.generate,
        "Ed25519": ed25519.Ed25519PrivateKey.generate,
    }

    def __init__(self, algorithm="RS256", kid="one", key=None):
        self.algorithm, self.kid, self.key = algorithm, kid, key or self.OF[algorithm]()

    @property
    def public(self):
        family = "EdDSA" if self.algorithm == "Ed25519" else self.algorithm
        jwk = jwt.get_algorithm_by_name(family).to_jwk(self.key.public_key(), as_dict=True)
        return {**jwk, "kid": self.kid, "use": "sig", "alg": self.algorithm}

    def sign(self, claims, **header):
        if self.algorithm == "Ed25519":  # a name that PyJWT does not know
            parts = {"alg": "Ed25519", "kid": self.kid, **header}, claims
            text = ".".join(_encoded(json.dumps(part).encode()) for part in parts)
            return f"{text}.{_encoded(self.key.sign(text.encode()))}"
        return jwt.encode(claims, self.key, self.algorithm, {"kid": self.kid, **header})


class Provider:
    """A running provider. What it says of somebody is in `person`; `token` may forge the rest."""

    def __init__(self):
        self.signer = Signer()
        self.person = {"sub": "p-1", "email": "ana@example.org", "email_verified": True}
        self.discovery = {}  # that replaces parts of the document
        self.published = None  # keys in place of the signer's
        self.token = None  # a function of the claims in place of the signer's own
        self.token_answer = None  # a function of the handler in place of the answer with tokens
        self.answer = {}  # that replaces parts of the answer in the browser
        self.asked = []  # the paths, in order
        self.forms = []  # that the token endpoint got, with the header Authorization
        self.codes = {}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    @property
    def issuer(self):
        return f"http://127.0.0.1:{self._server.server_port}/realm"

    def settings(self, **more):
        names = {"OIDC_ISSUER": self.issuer, "OIDC_CLIENT_ID": CLIENT, "OIDC_CLIENT_SECRET": SECRET}
        return {**names, "OIDC_NAME": "Acme", **more}

    def document(self):
        made = {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
            "end_session_endpoint": f"{self.issuer}/logout",
            **self.discovery,
        }
        return {name: value for name, value in made.items() if value is not None}

    def log_in_at(self, address):
        """Log in at the address of a redirect; return the query that the browser takes back."""
        asked = dict(parse_qsl(urlsplit(address).query))
        code = secrets.token_urlsafe(8)
        self.codes[code] = asked
        answer = {"code": code, "state": asked["state"], **self.answer}
        return urlencode({name: value for name, value in answer.items() if value is not None})

    def claims_for(self, asked):
        moment = int(time.time())
        return {
            "iss": self.issuer,
            "aud": asked["client_id"],
            "nonce": asked["nonce"],
            "iat": moment,
            "exp": moment + 300,
            **self.person,
        }

    def close(self):
        self._server.shutdown()
        self._server.server_close()

    def _tokens(self, form, authorization):
        self.forms.append({**form, "Authorization": authorization})
        asked = self.codes.pop(form["code"])
        digest = hashlib.sha256(form["code_verifier"].encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        assert asked["code_challenge"] == challenge
        assert asked["redirect_uri"] == form["redirect_uri"]
        sign = self.token or self.signer.sign
        return {"id_token": sign(self.claims_for(asked)), "token_type": "Bearer"}

    def _handler(provider):  # noqa: N805
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                provider.asked.append(self.path)
                if self.path.endswith("/.well-known/openid-configuration"):
                    self.reply(provider.document())
                elif self.path.endswith("/keys"):
                    self.reply({"keys": provider.published or [provider.signer.public]})
                else:
                    self.send(200, b"a page of the provider")

            def do_POST(self):
                provider.asked.append(self.path)
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                if provider.token_answer:
                    provider.token_answer(self)
                    return
                form = {name: one for name, (one,) in parse_qs(body).items()}
                self.reply(provider._tokens(form, self.headers["Authorization"]))

            def reply(self, content):
                self.send(200, json.dumps(content).encode())

            def send(self, status, body, **headers):
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        return Handler


def basic_of(header):
    """The name and the secret of a header `Authorization`."""
    text = base64.b64decode(header.removeprefix("Basic ")).decode()
    return [unquote_plus(one) for one in text.split(":")]
