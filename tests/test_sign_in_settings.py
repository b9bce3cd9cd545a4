"""The settings of logins by a proxy or a provider: what contradicts stops the start."""

import re
from pathlib import Path

import pytest

from settings import WrongSetting, read_settings

PROXY = {"AUTH_HEADER": "Remote-Email", "TRUSTED_PROXY": "127.0.0.1"}
PROVIDER = {
    "OIDC_ISSUER": "https://login.example.org/realm/",
    "OIDC_CLIENT_ID": "documents",
    "OIDC_CLIENT_SECRET": "secret",
    "BASE_URL": "https://docs.example.org",
}


def read(**given):
    return read_settings({}, given, Path("/nowhere"))


def test_an_issuer_is_taken_letter_by_letter():
    assert read(**PROVIDER).oidc_issuer == "https://login.example.org/realm/"
    assert read(**PROVIDER | {"OIDC_ISSUER": "http://[::1]:9000"}).oidc_issuer is not None


def test_domains_and_groups_are_read_with_domains_in_lower_case():
    allowed = read(**PROXY, SIGN_IN_ALLOW="@Example.ORG, group:Staff").sign_in_allow
    assert allowed == ("@example.org", "group:Staff")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"AUTH_HEADER": "Remote-Email"}, "AUTH_HEADER needs DOCSERVICE_TRUSTED_PROXY"),
        (PROXY | {"TRUSTED_PROXY": "*"}, "with * anybody could send the header"),
        (PROXY | {"AUTH_HEADER": "Remote_Email"}, "the name of a header"),
        (PROXY | {"CONSOLE": "off"}, "need DOCSERVICE_CONSOLE=on"),
        (PROXY | {"SIGN_IN_ALLOW": "example.org"}, "domains and groups"),
        (PROXY | {"SIGN_IN_ALLOW": "@"}, "domains and groups"),
        ({"PASSWORDS": "off"}, "needs another way in"),
        (PROVIDER | {"OIDC_CLIENT_SECRET": ""}, "are set together, or none"),
        (PROVIDER | {"BASE_URL": ""}, "OIDC_ISSUER needs DOCSERVICE_BASE_URL"),
        (PROVIDER | {"OIDC_ISSUER": "http://login.example.org"}, "http to this machine only"),
        (PROVIDER | {"OIDC_ISSUER": "https://a.example/?x"}, "an address like"),
        (PROVIDER | {"OIDC_ISSUER": "javascript:alert(1)"}, "an address like"),
    ],
)
def test_settings_that_cannot_work_are_refused_with_a_sentence(given, says):
    with pytest.raises(WrongSetting, match=re.escape(says)) as refused:
        read(**given)
    assert "secret" not in str(refused.value).replace("OIDC_CLIENT_SECRET", "")


def test_a_proxy_before_a_unix_socket_needs_no_address():
    assert read(**PROXY | {"TRUSTED_PROXY": "*", "LISTEN": "unix:/run/docs"}).auth_header
