"""A page shows no value that the API hides from the same role.

All values of a space and of an account × all GET routes × all roles. What pages show besides is
listed here, with its reason.
"""

import re

import pytest

from testing import service_in_process
from tests.service import ROOT
from tests.walks.shown_values import (
    OF_SPACE,
    QUERIES,
    Shown,
    is_about_documents,
    is_recorded,
    tables_with_sealed_values,
)

SETTINGS = {
    "RATE_LIMITS": "off",
    "BASE_URL": "http://localhost",
    "WEBHOOK_ALLOW": "127.0.0.0/8",
    "CONVERTER": "off",
    "SMTP_URL": "smtp://localhost:9?from=docs@example.org",
}
MANAGE = {"who manages the space", "who owns an account"}
MAKE_LINKS = {*MANAGE, "who writes in the space"}
READ = {*MAKE_LINKS, "who reads in the space"}
ON_PAGES_ALONE = {  # how the name of a value begins -> the roles to which only pages show it
    "secret of a link": MAKE_LINKS,  # to copy it again: a role that makes links could make another
    "secret of a guarded link": MAKE_LINKS,
    "secret of a request": MAKE_LINKS,
    "address of who is invited": MANAGE,  # only pages invite whoever has no account
    "name of a document in the bin": READ,  # only pages have a bin, for a day
}
NO_TEXT_OF_A_PERSON = {  # sealed values: ids, digests, moments, numbers and flags
    ("answer", "answer"),
    ("answer", "fingerprint"),
    ("api_key", "made_by"),
    ("collection", "documents_listed"),
    ("collection", "max_bytes"),
    ("delivery", "attempts_kept"),
    ("delivery", "event_digest"),
    ("document", "crc32"),
    ("document", "crc32"),
    ("document", "uploader_id"),
    ("document_token", "answers_id"),
    ("document_token", "notifies_owner"),
    ("identity", "bound_by"),
    ("opening", "agreement_sha256"),
    ("upload", "begun_by_id"),
    ("upload", "crc32"),
    ("upload", "last_actor"),
    ("upload", "result"),
    ("upload", "uploader_id"),
    ("user_account", "let_in_by"),
    ("user_account", "shows_name"),
    ("webhook", "failing_since"),
}
PARAMETER = r'request\.(?:args|values)\.get(?:list)?\(\s*"(\w+)"|"(\w+)" in request\.args'
PARAMETERS_THAT_SHOW_NO_MORE = {
    "add",  # at the login by a provider, as `invite`, `next`
    "after",  # a cursor, as `older`, `page`
    "code",  # a credential
    "done",  # what was done, as `link`
    "invite",
    "key",  # of a form
    "link",
    "next",
    "offset",  # of the reader's clock, by which `when` is a day
    "older",
    "page",
    "when",  # a filter, which leaves rows out
}
LEAST_VALUES = {  # that both API and pages show, if the walk asks as these people do
    "who manages the space": 40,
    "who writes in the space": 25,
    "who reads in the space": 25,
    "who owns an account": 35,
    "who has not entered the space": 4,
    "nobody": 0,
}


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    with service_in_process(tmp_path_factory.mktemp("pages"), **SETTINGS) as service:
        yield Shown(service.app)


def hidden(pages, api, role):
    """The values that only pages show to a role, and should not."""
    beside = tuple(what for what, roles in ON_PAGES_ALONE.items() if role.name in roles)
    return {one for one in pages - api if not one.startswith(beside)}


@pytest.mark.parametrize("name", LEAST_VALUES)
def test_a_page_shows_no_value_that_the_api_hides_from_the_same_role(shown, name):
    role = shown.person(name)
    api, pages = shown.seen(role, shown.rules(lambda rule: not is_recorded(rule)))
    assert hidden(pages, api, role) == set()
    assert len(api & pages) >= LEAST_VALUES[name]


@pytest.mark.parametrize("name", LEAST_VALUES)
def test_a_document_as_a_page_shows_no_value_that_the_api_hides_from_the_same_role(shown, name):
    role = shown.person(name)
    api, pages = shown.seen(role, rules_of_documents(shown))
    assert hidden(pages, api, role) == set()


def test_a_document_as_a_page_shows_no_value_that_the_api_hides_from_the_same_program(shown):
    for program in shown.programs():
        api, pages = shown.seen(program, rules_of_documents(shown))
        assert hidden(pages, api, program) == set(), program


def rules_of_documents(shown):
    return shown.rules(lambda rule: is_recorded(rule) or is_about_documents(rule))


def test_the_page_of_a_link_shows_no_value_that_the_api_hides_from_its_holder(shown):
    for role in shown.readers():
        api, pages = shown.seen(role, shown.rules_of_links())
        beside = (
            {"name of the space"} if role.whose == OF_SPACE else {"name of Mia", "address of Mia"}
        )
        beside.add(f"site that may frame {role.whose}")  # browsers have to know it
        if role.name.startswith(("a link with a password", "a guarded link")):
            beside.add(f"name of a document {role.whose}")  # without `hideName`
        assert pages <= api | beside, role


def test_what_a_page_shows_by_its_address_is_asked_for():
    """A parameter by which a page shows more is in `QUERIES`, or here."""
    pages = [path.read_text() for path in (ROOT / "blueprints" / "console").glob("*.py")]
    read = {"".join(names) for page in pages for names in re.findall(PARAMETER, page)}
    asked = {one.partition("=")[0] for queries in QUERIES.values() for one in queries}
    assert read - asked == PARAMETERS_THAT_SHOW_NO_MORE


def test_each_sealed_text_of_a_row_is_among_the_values(shown):
    tables = tables_with_sealed_values().items()
    names = {(table, name) for table, row in tables for name in row.sealed_names()}
    assert names - shown.filled() == NO_TEXT_OF_A_PERSON
