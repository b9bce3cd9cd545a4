"""viewer/policy.py"""

import pytest

from viewer import policy
from viewer.preview import Preview

PLAIN = Preview("text", "Text")
FOREIGN = Preview("web", "HTML", foreign_style=True)


def directives(text):
    return dict(part.partition(" ")[::2] for part in text.split("; "))


def test_nothing_is_allowed_that_is_not_named():
    rules = directives(policy.served(PLAIN, (), None))

    assert rules["default-src"] == "'none'"
    assert rules["base-uri"] == rules["form-action"] == "'none'"
    assert rules["require-trusted-types-for"] == "'script'"
    assert rules["frame-ancestors"] == "'self'"
    assert "connect-src" not in rules
    assert "frame-src" not in rules


def test_scripts_run_by_hash_alone():
    rules = directives(policy.served(FOREIGN, (), None))

    assert rules["script-src"].startswith("'sha256-")
    assert " " not in rules["script-src"]
    assert rules["style-src"] == "'unsafe-inline'"
    assert directives(policy.offline(PLAIN))["style-src"].startswith("'sha256-")


def test_the_sandbox_keeps_the_page_from_its_origin_and_from_the_top():
    allowed = directives(policy.served(PLAIN, (), None))["sandbox"]

    assert "allow-same-origin" not in allowed
    assert "top-navigation" not in allowed
    assert "allow-forms" not in allowed


def test_media_from_their_own_address_open_just_that_origin():
    rules = directives(
        policy.served(PLAIN, (), "https://d.example/v1/documents/1/content?ticket=x")
    )

    assert rules["media-src"] == "data: blob: https://d.example"
    assert directives(policy.served(PLAIN, (), "/v1/x"))["img-src"] == "data: blob: 'self'"


def test_ancestors_are_those_of_the_token():
    origins = ("https://a.example", "http://localhost:3000", "http://[::1]:8000")

    assert directives(policy.served(PLAIN, origins, None))["frame-ancestors"] == " ".join(origins)
    assert directives(policy.served(PLAIN, ("*",), None))["frame-ancestors"] == "*"


@pytest.mark.parametrize(
    "origin", ["https://a; script-src *", "https://a b", "a", "https://a,b", ""]
)
def test_an_origin_that_bends_the_policy_is_refused(origin):
    with pytest.raises(ValueError, match="not an origin"):
        policy.served(PLAIN, (origin,), None)


def test_a_file_has_no_rules_that_only_a_header_can_say():
    rules = directives(policy.offline(PLAIN))

    assert "sandbox" not in rules
    assert "frame-ancestors" not in rules


def test_a_sealed_file_admits_both_scripts_and_the_page_it_opens():
    rules = directives(policy.locked(PLAIN))

    assert rules["script-src"].count("'sha256-") == 2
    assert rules["style-src"].count("'sha256-") == 2
    assert rules["frame-src"] == "blob:"
    assert directives(policy.locked(FOREIGN))["style-src"] == "'unsafe-inline'"


def test_only_a_page_that_others_may_frame_is_a_resource_to_them():
    assert policy.headers("x", ())["Cross-Origin-Resource-Policy"] == "same-origin"
    assert policy.headers("x", ("*",))["Cross-Origin-Resource-Policy"] == "cross-origin"
