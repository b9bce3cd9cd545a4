"""The OpenAPI description, as people and generators read it."""

import json
import os
import re
import subprocess
import sys

import pytest
from jsonschema import Draft202012Validator, FormatChecker
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from blueprints.http.problems import STATUS
from tests.service import ROOT

LONGEST_PATTERN = 40
PUBLIC = ["/v1/auth/register", "/v1/auth/login", "/oembed", "/embed.js", "/healthz", "/"]


@pytest.fixture(scope="module")
def described(tmp_path_factory):
    """The description under these settings."""

    def describe(**settings):
        own = {"INSTANCE_PATH": tmp_path_factory.mktemp("described"), **settings}
        given = {f"DOCSERVICE_{name}": str(value) for name, value in own.items()}
        command = [sys.executable, "-m", "flask", "--app", "app", "openapi"]
        return json.loads(subprocess.check_output(command, cwd=ROOT, env=os.environ | given))

    return describe


@pytest.fixture(scope="module")
def description(described):
    return described()


def operations(description):
    for path, item in description["paths"].items():
        for method, operation in item.items():
            if method != "parameters":
                yield f"{method.upper()} {path}", operation


def everything(value, name=""):
    """Every value in the description, with its name."""
    yield name, value
    if isinstance(value, dict):
        for inner, nested in value.items():
            yield from everything(nested, inner)
    for nested in value if isinstance(value, list) else ():
        yield from everything(nested, name)


def test_every_operation_has_a_description_a_summary_and_a_tag_that_is_described(description):
    tags = {tag["name"] for tag in description["tags"] if tag["description"]}
    for name, operation in operations(description):
        assert operation["description"].endswith((".", ":", ")")), name
        assert operation["summary"], name
        assert set(operation["tags"]) <= tags, name


def test_every_response_says_in_words_what_it_means(description):
    shared = description["components"]["responses"]
    for name, operation in operations(description):
        for status, response in operation["responses"].items():
            found = shared[response["$ref"].split("/")[-1]] if "$ref" in response else response
            sentences = re.sub(r"`\w+`: ", "", found["description"])
            assert re.match(r"[A-Za-z].* .*[.…]$|[A-Z][a-z]+\.$", sentences, re.S), (name, status)


def test_every_code_is_explained(description):
    text = json.dumps(description["components"]["responses"])
    of_pages = [
        "origin_not_allowed",
        "owner_changed",
    ]  # those at /app, which the description leaves out
    assert [code for code in STATUS if f"`{code}`: " not in text] == of_pages


def test_patterns_are_short_and_hold_no_date(description):
    patterns = [value for name, value in everything(description) if name == "pattern"]
    assert patterns
    assert max(map(len, patterns)) <= LONGEST_PATTERN
    assert not [pattern for pattern in patterns if "20" in pattern]


def test_what_a_value_is_stands_in_its_format(description):
    schemas = description["components"]["schemas"]
    upload = schemas["Upload"]["properties"]
    assert upload["payload"]["contentEncoding"] == "base64"
    assert upload["expiresAt"]["format"] == "date-time"
    assert schemas["Registration"]["properties"]["email"]["format"] == "email"
    assert schemas["NewWebhook"]["properties"]["url"]["format"] == "uri"
    assert schemas["DocumentLinks"]["properties"]["viewUrl"]["format"] == "uri"


def test_a_download_by_post_needs_one_of_two_passwords(description):
    operation = description["paths"]["/v1/documents/{id}/download"]["post"]
    assert operation["requestBody"]["required"]
    schema = description["components"]["schemas"]["DownloadRequest"]
    assert schema["minProperties"] == 1
    for field in map(schema["properties"].get, ("password", "pdfPassword")):
        assert (field["type"], field["minLength"]) == ("string", 1)


def test_no_component_is_unused(description):
    used = {value for name, value in everything(description) if name == "$ref"}
    for kind in ("schemas", "responses"):
        for name in description["components"][kind]:
            assert f"#/components/{kind}/{name}" in used


@pytest.mark.parametrize("path", PUBLIC)
def test_a_call_that_needs_no_credential_lists_none(description, path):
    for method, operation in description["paths"][path].items():
        assert operation["security"] == [], method


@pytest.mark.slow
def test_the_server_is_the_base_url_or_where_the_description_comes_from(description, described):
    assert description["servers"] == [{"url": "/"}]
    elsewhere = described(BASE_URL="https://docs.example")
    assert elsewhere["servers"] == [{"url": "https://docs.example"}]


@pytest.mark.slow
def test_the_shortest_password_is_the_setting(described):
    schemas = described(PASSWORD_MIN_LENGTH="15")["components"]["schemas"]
    assert schemas["Registration"]["properties"]["password"]["minLength"] == 15
    assert schemas["PasswordChange"]["properties"]["newPassword"]["minLength"] == 15


def test_the_body_of_every_request_has_an_example_of_its_schema(description):
    registry = Registry().with_resource(
        "urn:api", Resource(contents=description, specification=DRAFT202012)
    )
    bodies = [
        (place, media)
        for place, value in everything(description)
        if place == "requestBody"
        for media in value["content"].values()
    ]
    assert len(bodies) > 20
    for place, media in bodies:
        text = json.dumps(media["schema"]).replace('"#/', '"urn:api#/')
        checker = Draft202012Validator(
            json.loads(text), registry=registry, format_checker=FormatChecker()
        )
        assert [error.message for error in checker.iter_errors(media["example"])] == [], place
