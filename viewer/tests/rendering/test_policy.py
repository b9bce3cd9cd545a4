"""viewer/rendering/policy.py"""

import pytest

from viewer.formats.preview import Preview
from viewer.rendering import policy

PLAIN = Preview("text", "Text")
FOREIGN = Preview("web", "HTML", foreign_style=True)


def directives(text):
    return dict(part.partition(" ")[::2] for part in text.split("; "))


def test_the_policy_denies_by_default():
    rules = directives(policy.for_view(PLAIN, (), None))

    assert rules["default-src"] == "'none'"
    assert rules["base-uri"] == rules["form-action"] == "'none'"
    assert rules["require-trusted-types-for"] == "'script'"
    assert rules["frame-ancestors"] == "'self'"
    assert "connect-src" not in rules
    assert "frame-src" not in rules


def test_scripts_are_allowed_by_hash_only():
    rules = directives(policy.for_view(FOREIGN, (), None))

    assert all(one.startswith("'sha256-") for one in rules["script-src"].split())
    assert rules["style-src"] == "'unsafe-inline'"
    assert directives(policy.for_file(PLAIN, policy.STYLES, policy.SCRIPTS))[
        "style-src"
    ].startswith("'sha256-")


def test_a_plug_in_may_show_a_pdf_of_a_file_and_nothing_else():
    book = Preview("pdf", "PDF", frames_pdf=True)
    of_file = directives(policy.for_file(book, policy.STYLES, policy.SCRIPTS))

    assert of_file["object-src"] == "blob:"
    for shown in (PLAIN, FOREIGN):
        assert "object-src" not in policy.for_view(shown, (), None)
        assert "object-src" not in policy.for_file(shown, policy.STYLES, policy.SCRIPTS)


def test_a_page_frames_nothing_by_an_address():
    for shown in (FOREIGN, Preview("text", "Text", source={"charset": "utf-8"})):
        assert "frame-src" not in policy.for_view(shown, (), None)
        assert "frame-src" not in policy.for_file(shown, policy.STYLES, policy.SCRIPTS)


def test_a_page_has_a_sandbox_without_origin_top_navigation_and_forms_and_a_file_has_none():
    allowed = directives(policy.for_view(PLAIN, (), None))["sandbox"]

    for power in ("allow-same-origin", "top-navigation", "allow-forms"):
        assert power not in allowed
    assert not {"sandbox", "frame-ancestors"} & set(
        directives(policy.for_file(PLAIN, policy.STYLES, policy.SCRIPTS))
    )


def test_a_content_url_allows_only_its_origin():
    rules = directives(
        policy.for_view(PLAIN, (), "https://d.example/v1/documents/1/content?ticket=x")
    )

    assert rules["media-src"] == "data: blob: https://d.example"
    assert directives(policy.for_view(PLAIN, (), "/v1/x"))["img-src"] == "data: blob: 'self'"


def test_scripts_connect_to_the_original_and_the_pages_of_this_document_alone():
    here = "https://d.example/v1/documents/1"

    def connected(content, pages=None):
        return directives(policy.for_view(PLAIN, (), content, pages))["connect-src"]

    assert connected(f"{here}/content?ticket=x") == f"{here}/content"
    both = f"{here}/content {here}/pages {here}/pages/ {here}/download"
    assert connected(f"{here}/content?ticket=x", f"{here}/pages?ticket=x") == both
    with pytest.raises(ValueError, match="not a path"):
        policy.for_view(PLAIN, (), f"{here}/a;b?ticket=x")


def test_frame_ancestors_are_the_given_origins():
    origins = ("https://a.example", "http://localhost:3000", "http://[::1]:8000")

    assert directives(policy.for_view(PLAIN, origins, None))["frame-ancestors"] == " ".join(origins)
    assert directives(policy.for_view(PLAIN, ("*",), None))["frame-ancestors"] == "*"


@pytest.mark.parametrize(
    "origin", ["https://a; script-src *", "https://a b", "a", "https://a,b", ""]
)
def test_a_malformed_origin_is_rejected(origin):
    with pytest.raises(ValueError, match="not an origin"):
        policy.for_view(PLAIN, (origin,), None)


def test_the_policy_of_a_sealed_file_allows_both_scripts_and_a_blob_iframe():
    rules = directives(policy.for_sealed_file(PLAIN))

    assert rules["script-src"].count("'sha256-") == len(policy.SCRIPTS) + 1
    assert rules["style-src"].count("'sha256-") == len(policy.STYLES) + 1
    assert rules["frame-src"] == "blob:"
    assert directives(policy.for_sealed_file(FOREIGN))["style-src"] == "'unsafe-inline'"


def test_only_a_page_with_frame_ancestors_is_a_cross_origin_resource():
    assert policy.headers("x", ())["Cross-Origin-Resource-Policy"] == "same-origin"
    assert policy.headers("x", ("*",))["Cross-Origin-Resource-Policy"] == "cross-origin"
