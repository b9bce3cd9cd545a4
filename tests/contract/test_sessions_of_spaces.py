"""A session of a space ends with the one that began it, and is in the list of its person."""

import pytest

from tests.console.visitor import Visitor, words
from tests.people import PASSWORD
from tests.problems import refused


class Device:
    """A second device of a person, with a session of its own, and a session of a space from it."""

    def __init__(self, service):
        self.service = service
        self.person = service.register(name="Mia")
        self.space = self.person.post("/v1/spaces", json={"name": "Accounting"}).json["id"]
        self.visitor = Visitor(service)
        answer = self.visitor.log_in(self.person.record["email"])
        assert answer.status == 303, answer
        self.own = self.visitor.api
        answer = self.own.post(f"/v1/spaces/{self.space}/sessions")
        assert answer.status == 201, answer
        self.login = answer.json
        self.acting = self.own.with_token(self.login["accessToken"])
        assert self.acting.get("/v1/documents").status == 200

    @property
    def id(self):
        listed = self.own.get("/v1/auth/sessions").json["sessions"]
        return next(one["id"] for one in listed if one["current"])


def log_out(device):
    assert device.own.post("/v1/auth/logout").status == 204


def log_out_by_the_page(device):
    assert device.visitor.post("/app/logout").status == 303


def log_in_anew_in_the_same_browser(device):
    assert device.visitor.log_in(device.person.record["email"]).status == 303


def end_it_from_another_device(device):
    assert device.person.delete(f"/v1/auth/sessions/{device.id}").status == 204


def end_it_by_the_button(device):
    other = Visitor(device.service)
    other.log_in(device.person.record["email"])
    assert other.post(f"/app/account/sessions/{device.id}/end").status == 303


def end_all_others(device):
    other = Visitor(device.service)
    other.log_in(device.person.record["email"])
    assert other.post("/app/account/sessions/end").status == 303


def change_the_password(device):
    body = {"currentPassword": PASSWORD, "newPassword": "another battery staple"}
    assert device.person.post("/v1/auth/password", json=body).status == 204


def set_the_password_by_the_operator(device):
    email = device.person.record["email"]
    device.service.run_command("users", "password", email, input=f"{PASSWORD}\n{PASSWORD}\n")


def disable_the_account(device):
    device.service.run_command("users", "disable", device.person.record["email"])


WAYS = [
    log_out,
    log_out_by_the_page,
    log_in_anew_in_the_same_browser,
    end_it_from_another_device,
    end_it_by_the_button,
    end_all_others,
    change_the_password,
    set_the_password_by_the_operator,
    disable_the_account,
]


@pytest.mark.parametrize("end", WAYS, ids=lambda way: way.__name__)
def test_however_a_session_ends_what_it_began_in_a_space_ends_with_it(service, end):
    device = Device(service)
    end(device)
    refused(device.own.get("/v1/auth/me"), 401, "session_expired")
    refused(device.acting.get("/v1/documents"), 401, "session_expired")
    refused(device.acting.post("/v1/api-keys", json={}), 401, "session_expired")


def test_a_session_beyond_the_quota_takes_with_it_what_it_began(start_service):
    device = Device(start_service(RATE_LIMITS="off", QUOTA_SESSIONS=2))
    for _ in range(2):
        assert device.own.log_in(device.person.record["email"]).status == 200
    refused(device.own.get("/v1/auth/me"), 401, "session_expired")
    refused(device.acting.get("/v1/documents"), 401, "session_expired")


def test_a_session_of_a_space_lasts_no_longer_than_the_one_that_began_it(clocked):
    person = clocked.register(name="Mia")
    space = person.post("/v1/spaces", json={"name": "Accounting"}).json["id"]
    (own,) = person.get("/v1/auth/sessions").json["sessions"]
    clocked.set_clock(seconds=400)
    login = person.post(f"/v1/spaces/{space}/sessions").json
    assert login["expiresAt"] == own["expiresAt"]
    assert login["expiresIn"] <= 200
    acting = person.with_token(login["accessToken"])
    assert acting.get("/v1/documents").status == 200
    clocked.set_clock(seconds=601)
    refused(acting.get("/v1/documents"), 401, "session_expired")


def test_a_session_of_a_space_stands_in_the_person_s_list_and_is_ended_there(service):
    device = Device(service)
    listed = {one["id"]: one for one in device.person.get("/v1/auth/sessions").json["sessions"]}
    (of_space,) = [one for one in listed.values() if "spaceId" in one]
    assert (of_space["spaceId"], of_space["current"]) == (device.space, False)
    (seen_in_space,) = device.acting.get("/v1/auth/sessions").json["sessions"]
    assert (seen_in_space["id"], seen_in_space["current"]) == (of_space["id"], True)
    assert device.person.delete(f"/v1/auth/sessions/{of_space['id']}").status == 204
    refused(device.acting.get("/v1/documents"), 401, "session_expired")
    assert device.own.get("/v1/auth/me").status == 200
    again = device.own.post(f"/v1/spaces/{device.space}/sessions").json["accessToken"]
    ended = device.own.with_token(again).get("/v1/events?type=session.ended").json["events"]
    assert ended[-1]["data"]["userId"] == device.person.record["id"]


def test_settings_list_a_session_of_a_space_and_end_it(service):
    device = Device(service)
    (of_space,) = device.acting.get("/v1/auth/sessions").json["sessions"]
    page = device.visitor.get("/app/account")
    assert "in the space Accounting" in words(page)
    answer = device.visitor.submit(page, f"/app/account/sessions/{of_space['id']}/end")
    assert answer.status == 303
    refused(device.acting.get("/v1/documents"), 401, "session_expired")
    assert "in the space Accounting" not in words(device.visitor.get("/app/account"))


def test_a_person_s_list_goes_on_page_by_page_over_own_sessions_and_those_of_spaces(service):
    device = Device(service)
    for _ in range(2):
        device.own.post(f"/v1/spaces/{device.space}/sessions")
    pages = list(device.person.pages("/v1/auth/sessions?limit=2"))
    ids = [one["id"] for page in pages for one in page]
    assert [len(page) for page in pages] == [2, 2, 1]
    assert ids == sorted(ids, reverse=True)


def test_nobody_ends_a_session_of_a_space_that_is_another_s(service):
    device = Device(service)
    other = service.register(name="Will")
    fields = {"email": other.record["email"], "role": "manage"}
    device.person.post(f"/v1/spaces/{device.space}/members", json=fields)
    (of_space,) = device.acting.get("/v1/auth/sessions").json["sessions"]
    refused(other.delete(f"/v1/auth/sessions/{of_space['id']}"), 404, "not_found")
    assert device.acting.get("/v1/documents").status == 200
