"""The page "Activity" tells an event of each type, in the words of the table of types."""

import re

import pytest

from models import Event, User, connected
from models.events import EVENT_TYPES, Icon, current_actor
from testing import service_in_process
from tests.in_process import LOGIN

FACTS = {"role": "read", "reason": "code", "issuer": "proxy", "member_user_id": "usr_other"}
CASES = {  # the credential of an act, and its facts, by the case in which it is told otherwise
    "by_link": ({"via": "document_token"}, {}),
    "in_space": ({"via": "session", "userId": "usr_1"}, {}),
    "of_oneself": ({"via": "session", "userId": "usr_1"}, {"member_user_id": "usr_1"}),
    "turned_on": ({"via": "session"}, {"changed": ["enabled"], "enabled": True}),
    "turned_off": ({"via": "session"}, {"changed": ["enabled"], "enabled": False}),
}
TOLD = [(name, case) for name, type in EVENT_TYPES.items() for case in ("", *type.variants)]


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with service_in_process(tmp_path_factory.mktemp("service"), RATE_LIMITS="off") as service:
        service.add_account(LOGIN["email"], LOGIN["password"])
        token = service.client.post("/v1/auth/login", json=LOGIN).json["accessToken"]
        service.client.set_cookie("session", token)
        yield service.client


def record(type, actor, facts):
    before = current_actor.set(actor)
    try:
        with connected():
            owner = next(one for one in User.select() if one.email == LOGIN["email"])
            Event.record(owner.id, type, FACTS | facts)
    finally:
        current_actor.reset(before)


def act(client, type):
    """The newest act on the page of events of this type: its words and its picture."""
    page = client.get(f"/app/activity?type={type}", headers={"Accept": "text/html"}).text
    item = re.search(r"<ol>(.*?)</li>", page, re.S)[1]
    words = " ".join(re.sub(r"<[^>]*>", " ", item).split())
    return words, re.search(r'<path d="([^"]*)"', item)[1]


@pytest.mark.parametrize(("name", "case"), TOLD)
def test_an_event_is_told_in_the_words_of_its_type(client, name, case):
    type = EVENT_TYPES[name]
    actor, facts = CASES[case] if case else ({"via": "session"}, {})
    record(name, actor, facts)
    told, drawing = act(client, name)
    sentence = type.variants[case] if case else type.sentence
    for words in re.split(r"\{\w+\}", sentence):
        assert " ".join(words.split()) in told
    assert "{" not in told
    assert drawing


def test_each_picture_is_drawn_and_of_some_type():
    assert {type.icon for type in EVENT_TYPES.values()} == set(Icon)


def test_what_a_type_is_called_is_said_in_the_choice_of_types(client):
    page = client.get("/app/activity", headers={"Accept": "text/html"}).text
    for name, type in EVENT_TYPES.items():
        assert f'<option value="{name}">{type.words.capitalize()}</option>' in page


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (["name"], "changed the name of"),
        (["expiresAt"], "changed the end of"),
        (["name", "metadata", "expiresAt"], "changed the name, the metadata and the end of"),
    ],
)
def test_a_change_of_a_document_is_told_with_the_fields_that_it_changed(client, changed, words):
    record("document.updated", {"via": "session"}, {"changed": changed})
    told, _drawing = act(client, "document.updated")
    assert f"{words} a document that is gone" in told
