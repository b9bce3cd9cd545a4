"""API keys on their page."""

import re

from tests.console.visitor import element_of, field_of
from tests.people import Person
from tests.waiting import run_in_threads

KEY = re.compile(r"pk_live_[0-9A-Za-z]{38}")


def new_key(member, **fields):
    answer = member.submit(member.get("/app/keys"), "/app/keys", **fields)
    assert answer.status == 200, answer
    return answer


def listed(member):
    api = member.api
    return api.get("/v1/api-keys").json["apiKeys"]


def test_a_new_key_is_shown_once_with_a_line_that_uses_it(member):
    page = new_key(member, name="backup", ends="never", scopes=["documents:read"])

    key = element_of(page, "secret")
    assert KEY.fullmatch(key)
    assert f'curl -F file=@report.pdf -H "X-API-Key: {key}"' in element_of(page, "line")
    api = Person(member.service).with_api_key(key)
    assert api.get("/v1/documents").status == 200
    assert api.get("/v1/events").status == 403
    again = member.get("/app/keys").text
    assert "backup" in again
    assert key not in again


def test_a_form_sent_again_shows_the_same_key(member):
    form = member.get("/app/keys")

    pages = [member.submit(form, "/app/keys", name="once") for _ in range(2)]

    assert element_of(pages[0], "secret") == element_of(pages[1], "secret")
    assert len(listed(member)) == 1


def test_a_double_click_shows_the_same_key(member):
    form, pages = member.get("/app/keys"), []
    send = lambda: pages.append(member.submit(form, "/app/keys", name="twice"))  # noqa: E731

    run_in_threads(send, send)

    assert len({element_of(page, "secret") for page in pages}) == 1
    assert len(listed(member)) == 1


def test_a_form_that_was_changed_makes_another_key(member):
    form = member.get("/app/keys")

    pages = [member.submit(form, "/app/keys", name=name) for name in ("one", "two")]

    assert element_of(pages[0], "secret") != element_of(pages[1], "secret")
    assert len(listed(member)) == 2


def test_a_key_ends_as_chosen(member):
    new_key(member, ends="30")
    new_key(member, ends="never")
    new_key(member, ends="date", endsOn="2999-12-31")
    new_key(member, ends="date", endsOn="2999-12-31", offset="-120")
    eastern, dated, never, month = (one["expiresAt"] for one in listed(member))
    assert never is None
    assert dated == "2999-12-31T23:59:59.999Z"
    assert eastern == "2999-12-31T21:59:59.999Z"
    assert month


WRONG = [
    ("endsOn", {"ends": "date", "endsOn": "2001-01-01"}),
    ("endsOn", {"ends": "date"}),
    ("endsOn", {"ends": "date", "endsOn": "9999-12-31", "offset": "999"}),
    ("name", {"name": "x" * 300}),
]


def test_a_refused_key_is_told_at_its_field(member):
    for name, fields in WRONG:
        answer = member.submit(member.get("/app/keys"), "/app/keys", **fields)
        assert answer.status == 422
        assert field_of(answer, name)["aria-invalid"] == "true", fields
    assert listed(member) == []


def test_a_key_needs_a_scope(member):
    answer = member.post("/app/keys", {"name": "none", "ends": "never"})
    assert answer.status == 422
    assert element_of(answer, "keys-scopes-error") == "Name at least one scope."


def test_a_rotated_key_works_until_its_overlap_ends(member):
    old = element_of(new_key(member, name="deploy"), "secret")
    page = member.get("/app/keys")
    (action,) = re.findall(r'"(/app/keys/\w+/rotate)"', page.text)

    answer = member.submit(page, action, overlapSeconds="3600")

    new = element_of(answer, "secret")
    for key in (old, new):
        assert Person(member.service).with_api_key(key).get("/v1/documents").status == 200
    assert "replaced, works until" in member.get("/app/keys").text


def test_a_revoked_key_stops_at_once(member):
    key = element_of(new_key(member, name="gone"), "secret")
    asks = member.get("/app/keys")
    (action,) = re.findall(r'"(/app/keys/\w+/revoke)"', asks.text)
    assert "Programs that use it are refused from now on." in asks.text
    assert Person(member.service).with_api_key(key).get("/v1/documents").status == 200

    assert member.submit(asks, action).status == 303

    assert Person(member.service).with_api_key(key).get("/v1/documents").status == 401
    page = member.get("/app/keys").text
    assert "revoked" in page
    assert action not in page


def test_an_empty_list_says_how_to_begin(member):
    assert f"{member.service.url}/v1/documents" in member.get("/app/keys").text
