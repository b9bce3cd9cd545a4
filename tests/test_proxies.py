"""What real proxies write into their logs, by the lines of the documentation and of deploy/."""

import http.client
import re

import pytest

from tests import proxies
from tests.service import ROOT

pytestmark = pytest.mark.slow
SECRET = "Hq7zWk2rVb9x"
TARGETS = [
    f"/s?token=dt_{SECRET}",
    f"/s%3Ftoken=dt_{SECRET}",
    f"/S?token=dt_{SECRET}",
    f"/v1/documents/doc_1/view?token=dt_{SECRET}",
    f"/v1/documents/doc_1/content?ticket=v4.local.{SECRET}&save=1",
    f"/app/signup?invite=invite_{SECRET}",
    f"/app/documents?name={SECRET}",
    f"/app/webhooks/whk_1/confirm?code={SECRET}",
    f"/app/oidc/callback?code={SECRET}&state={SECRET}",
    f"/metrics?token=dt_{SECRET}",
    f"//s?token=dt_{SECRET}",
    f"/?{SECRET}",
    f"/s?{SECRET}?{SECRET}#{SECRET}",
]
HEADERS = {
    "X-API-Key": f"pk_live_{SECRET}",
    "Authorization": f"Bearer {SECRET}",
    "Cookie": f"session={SECRET}",
    "Referer": f"https://docs.example.org/s?token=dt_{SECRET}",
}


def caddyfile(name):
    text = (ROOT / "deploy" / name).read_text()
    return re.sub(r"documents(-\d)?:8000", "127.0.0.1:8000", text)


def with_location():
    server = proxies.documented("nginx", "Any other proxy")
    more = proxies.documented("nginx", "The proxy's header")
    return server.replace("    location / {", f"{more}\n    location / {{", 1)


SET_UPS = {
    "Caddy of the page": (
        proxies.caddy,
        lambda: proxies.documented("caddyfile", "Any other proxy"),
    ),
    "Caddy that knows people": (
        proxies.caddy,
        lambda: proxies.documented("caddyfile", "The proxy's header"),
    ),
    "Caddy of compose": (proxies.caddy, lambda: caddyfile("Caddyfile")),
    "Caddy on PostgreSQL": (proxies.caddy, lambda: caddyfile("Caddyfile.postgres")),
    "nginx of the page": (proxies.nginx, lambda: proxies.documented("nginx", "Any other proxy")),
    "nginx that knows people": (proxies.nginx, with_location),
}


def ask(port, target, method="GET"):
    """Send a request, and return the status and the request id of its answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request(method, target, headers=HEADERS)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status, answer.headers["X-Request-Id"]


@pytest.mark.parametrize("name", SET_UPS)
def test_no_log_of_a_proxy_has_a_secret_of_a_link(name, start_service, tmp_path):
    service = start_service(TRUSTED_PROXY="127.0.0.1", BASE_URL="https://docs.example.org")
    proxy, text = SET_UPS[name]
    text = re.sub(r"127\.0\.0\.1:8000", f"127.0.0.1:{service.port}", text())
    folder = tmp_path / "proxy"
    folder.mkdir()
    with proxy(text, folder) as port:
        answers = [ask(port, target, method) for target in TARGETS for method in ("GET", "HEAD")]
        service.stop()
        away = {ask(port, target)[0] for target in TARGETS}
    files = [path for path in folder.rglob("*") if path.is_file()]
    logs = {path.name: path.read_text(errors="replace") for path in files}
    logged = "".join(logs.values())
    assert len(logged) > 1000
    assert away & {500, 502, 503}
    assert [name for name, text in logs.items() if SECRET in text] == []
    assert SECRET not in service.stderr()
    ids = [request_id for _, request_id in answers if request_id]
    assert ids
    for request_id in ids:
        assert re.search(rf"127\.0\.0\.1.*{request_id}", logged), request_id
