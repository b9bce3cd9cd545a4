"""The addresses that a webhook may have."""

import pytest

from tests.contract.webhooks import URL, create_webhook
from tests.problems import refused_field


@pytest.mark.parametrize(
    "url",
    [
        "https://127.0.0.1/",
        "https://127.0.0.1./",
        "https://127.1/",
        "https://2130706433/",
        "https://0x7f000001/",
        "https://0x7f.0.0.1/",
        "https://0177.0.0.1/",
        "https://127.0.0.0x1/",
        "https://①②⑦.⓪.⓪.①/",
        "https://%31%32%37.0.0.1/",
        "https://localhost/",
        "https://LOCALHOST/",
        "https://localhost./",
        "https://a.localhost/",
        "https://intranet/",
        "https://printer.local/",
        "https://metadata.google.internal/",
        "https://0.0.0.0/",
        "https://10.0.0.1/",
        "https://100.64.0.1/",
        "https://169.254.169.254/latest/meta-data/",
        "https://172.16.0.1/",
        "https://192.168.1.1:8443/",
        "https://224.0.0.1/",
        "https://255.255.255.255/",
        "https://[::1]/",
        "https://[::]/",
        "https://[::ffff:127.0.0.1]/",
        "https://[::ffff:7f00:1]/",
        "https://[::127.0.0.1]/",
        "https://[64:ff9b::7f00:1]/",
        "https://[2002:7f00:1::]/",
        "https://[2001:0:7f00:1::]/",
        "https://[fe80::1]/",
        "https://[fe80::1%25eth0]/",
        "https://[fc00::1]/",
        "https://[fec0::1]/",
        "https://[ff02::1]/",
        "http://example.org/",
        "http://93.184.215.14/",
        "ftp://example.org/",
        "https://user:password@example.org/",
        "https://example.org@127.0.0.1/",
        "https://example.org\\@127.0.0.1/",
        "https://example.org/#part",
        "https://example.org:0/",
        "https://example.org:65536/",
        "https://example.org/ space",
        "https://example.org/\r\nX: y",
        "https:///path",
        "https://",
        "//example.org/",
        "example.org",
    ],
)
def test_a_private_or_invalid_address_is_refused(url, alice):
    refused_field(alice.post("/v1/webhooks", json={"url": url}), "#/url")


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org",
        "https://example.org:8443/a/b?c=d&e=%20",
        "https://hooks.example.org?c=d",
        "https://xn--bcher-kva.example/",
        "https://93.184.215.14/",
        "https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/",
    ],
)
def test_a_public_address_is_accepted(url, new_user):
    assert create_webhook(new_user, url)["url"] == url


def test_an_address_has_at_most_2048_characters(new_user):
    assert create_webhook(new_user, f"{URL}/".ljust(2048, "a"))
    refused_field(new_user.post("/v1/webhooks", json={"url": f"{URL}/".ljust(2049, "a")}), "#/url")


def test_an_invalid_webhook_allow_stops_the_start(start_service):
    with pytest.raises(Exception, match="WEBHOOK_ALLOW") as stopped:
        start_service(WEBHOOK_ALLOW="10.0.0.1/8")
    assert stopped.value.exit_code == 1
