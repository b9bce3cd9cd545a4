"""Logins by programs that nobody here has written: a provider, and two proxies.

The proxies run the lines that docs/operating.md shows.
"""

import importlib.util
import re
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlencode
from urllib.request import HTTPRedirectHandler, Request, build_opener

import pytest

from tests import proxies
from tests.console.visitor import Visitor
from tests.people import Person
from tests.requirements import skip_unless_required
from tests.service import free_port

pytestmark = pytest.mark.slow
PORTAL = "portal=of-ana"  # the cookie by which the stand-in for Authelia knows Ana
ANA = "ana@example.org"
PROVIDER = """
import sys
from datetime import timedelta
from oidc_provider_mock import User, app
ana = User(sub="ana", claims={"email": "ana@example.org", "email_verified": True, "name": "Ana"})
eve = User(sub="eve", claims={"email": "ana@example.org", "email_verified": False})
app(require_nonce=True, user_claims=[ana, eve]).run("127.0.0.1", int(sys.argv[1]))
"""


class _NoRedirect(HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


@pytest.fixture(scope="module")
def issuer():
    """The address of a real provider, on this machine."""
    if importlib.util.find_spec("oidc_provider_mock") is None:
        skip_unless_required("provider", "no provider here: pip install -e '.[provider]'")
    port = free_port()
    with proxies.running(port, sys.executable, "-c", PROVIDER, str(port)):
        yield f"http://127.0.0.1:{port}"


def allowed_at_provider(address, subject):
    """Log in at the provider, and return where it leads back to."""
    opener = build_opener(_NoRedirect)
    try:
        opener.open(Request(address, urlencode({"sub": subject}).encode()))
    except OSError as error:
        return error.headers["Location"].partition("8000")[2]
    raise AssertionError("the provider leads nowhere")


def test_a_real_provider_logs_people_in_and_out(start_service, issuer):
    service = start_service(
        OIDC_ISSUER=issuer,
        OIDC_CLIENT_ID="documents",
        OIDC_CLIENT_SECRET="a secret",
        BASE_URL="http://localhost:8000",
        SIGN_IN_ALLOW="@example.org",
    )
    ana = Visitor(service)
    back = allowed_at_provider(ana.get("/app/oidc?next=/app/links").headers["Location"], "ana")
    assert ana.get(back).headers["Location"] == "/app/links"
    assert 'value="Ana"' in ana.get("/app/account").text
    assert f"{issuer}/" in ana.post("/app/logout").text
    eve = Visitor(service)
    back = allowed_at_provider(eve.get("/app/oidc").headers["Location"], "eve")
    assert eve.get(back).status == 403
    assert eve.get("/app/documents").status == 303


@pytest.fixture(scope="module")
def portal():
    """The port of a stand-in for Authelia: it answers by the cookie who somebody is."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            knows = PORTAL in self.headers.get("Cookie", "")
            self.send_response(200 if knows else 401)
            if knows:
                self.send_header("Remote-Email", ANA)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield server.server_port
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def service(start_service):
    return start_service(
        AUTH_HEADER="Remote-Email", TRUSTED_PROXY="127.0.0.1", SIGN_IN_ALLOW="@example.org"
    )


def documented(language, service, portal):
    """The lines of the documentation, with the ports of this test."""
    lines = proxies.documented(language, "The proxy's header")
    return lines.replace(":8000", f":{service.port}").replace(":9091", f":{portal}")


@pytest.fixture
def caddy(service, portal, tmp_path):
    with proxies.caddy(documented("caddyfile", service, portal), tmp_path) as port:
        yield port


@pytest.fixture
def nginx(service, portal, tmp_path):
    server = proxies.documented("nginx", "Any other proxy").replace(":8000", f":{service.port}")
    lines = documented("nginx", service, portal)
    text = server.replace("    location / {", f"{lines}\n    location / {{", 1)
    with proxies.nginx(text, tmp_path) as port:
        yield port


class _At:
    """Another port as a service, for people who send requests."""

    def __init__(self, port):
        self.port = port


@pytest.mark.parametrize("proxy", ["caddy", "nginx"])
def test_a_real_proxy_names_people_and_nobody_else_can(request, proxy, service):
    port = request.getfixturevalue(proxy)
    forged = [("Remote-Email", "eve@example.org")]
    person = Person(_At(port))
    answer = person.exchange("GET", "/app/account", [*forged, ("Cookie", PORTAL)])
    assert answer.status == 200, answer
    assert ANA in answer.text
    assert "eve@" not in answer.text
    refused = person.exchange("GET", "/app/account", forged)
    assert refused.status in {302, 401}
    assert "session=v4" not in str(refused.headers)
    public = person.exchange("GET", "/healthz", forged)
    assert (public.status, "session=v4" in str(public.headers)) == (200, False)
    session = re.search(r"session=(v4\S+?);", str(answer.headers))[1]
    cookies = f"{PORTAL}; session={session}"
    assert person.exchange("GET", "/app/documents", [("Cookie", cookies)]).status == 200
    direct = Person(service).exchange("GET", "/app/documents", [("Cookie", cookies)])
    assert direct.status == 303  # without the header the session has ended
