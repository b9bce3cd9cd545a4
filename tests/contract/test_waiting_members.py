"""Whom a manager adds to a space is asked: a membership begins when its person enters the space."""

import pytest

from tests.console.visitor import Visitor, words
from tests.people import PASSWORD
from tests.problems import refused


class Asked:
    """A space that Mia manages, to which she has added Ana, who has not entered it."""

    def __init__(self, service, role="write"):
        self.service = service
        self.mia, self.ana = service.register(name="Mia"), service.register(name="Ana")
        self.id = self.mia.post("/v1/spaces", json={"name": "Accounting"}).json["id"]
        self.added = add(self.mia, self.id, self.ana, role)

    @property
    def members(self):
        return f"/v1/spaces/{self.id}/members"

    def events(self):
        token = self.mia.post(f"/v1/spaces/{self.id}/sessions").json["accessToken"]
        return [
            (event["type"], event["data"])
            for event in self.mia.with_token(token).events()
            if not event["type"].startswith("session.")
        ]


def add(manager, space_id, person, role="read"):
    fields = {"email": person.record["email"], "role": role}
    return manager.post(f"/v1/spaces/{space_id}/members", json=fields)


@pytest.fixture
def asked(service):
    return Asked(service)


def test_whom_a_manager_adds_waits_and_is_in_the_list_of_members_as_such(asked):
    assert (asked.added.status, asked.added.json["acceptedAt"]) == (201, None)
    listed = {one["email"]: one for one in asked.mia.get(asked.members).json["members"]}
    assert listed[asked.ana.record["email"]]["acceptedAt"] is None
    assert listed[asked.mia.record["email"]]["acceptedAt"] is not None


def test_before_that_the_space_is_not_there_for_the_person(asked):
    ana = asked.ana
    assert ana.get("/v1/spaces").json["spaces"] == []
    refused(ana.get(asked.members), 404, "not_found")
    refused(ana.patch(f"/v1/spaces/{asked.id}", json={"name": "Mine"}), 404, "not_found")
    refused(ana.delete(f"/v1/spaces/{asked.id}"), 404, "not_found")
    refused(add(ana, asked.id, asked.mia), 404, "not_found")
    refused(
        ana.patch(f"{asked.members}/{ana.record['id']}", json={"role": "manage"}), 404, "not_found"
    )
    refused(ana.delete(f"{asked.members}/{asked.mia.record['id']}"), 404, "not_found")


def test_the_person_sees_what_waits_and_who_asks(asked):
    (waiting,) = asked.ana.get("/v1/spaces?waiting=true").json["spaces"]
    assert (waiting["id"], waiting["name"], waiting["role"]) == (asked.id, "Accounting", "write")
    assert waiting["inviter"] == {
        "id": asked.mia.record["id"],
        "email": asked.mia.record["email"],
        "name": "Mia",
    }
    assert asked.ana.get("/v1/spaces?waiting=false").json["spaces"] == []
    refused(asked.ana.get("/v1/spaces?waiting=perhaps"), 422, "invalid_request")


def test_who_enters_is_a_member_from_then_on(asked):
    login = asked.ana.post(f"/v1/spaces/{asked.id}/sessions")
    assert (login.status, login.json["space"]["role"]) == (201, "write")
    assert [one["id"] for one in asked.ana.get("/v1/spaces").json["spaces"]] == [asked.id]
    assert asked.ana.get("/v1/spaces?waiting=true").json["spaces"] == []
    listed = {one["email"]: one for one in asked.ana.get(asked.members).json["members"]}
    assert listed[asked.ana.record["email"]]["acceptedAt"] is not None
    asked.ana.post(f"/v1/spaces/{asked.id}/sessions")
    told = [data for type, data in asked.events() if type == "member.accepted"]
    ana_id = asked.ana.record["id"]
    assert len(told) == 1
    assert (told[0]["memberUserId"], told[0]["userId"]) == (ana_id, ana_id)


def test_who_declines_is_out_of_it(asked):
    assert asked.ana.delete(f"{asked.members}/{asked.ana.record['id']}").status == 204
    assert asked.ana.get("/v1/spaces?waiting=true").json["spaces"] == []
    refused(asked.ana.post(f"/v1/spaces/{asked.id}/sessions"), 404, "not_found")
    assert [type for type, _ in asked.events()][-2:] == ["member.added", "member.removed"]


def test_a_manager_changes_the_role_of_who_waits_and_takes_it_back(asked):
    path = f"{asked.members}/{asked.ana.record['id']}"
    changed = asked.mia.patch(path, json={"role": "read"})
    assert (changed.json["role"], changed.json["acceptedAt"]) == ("read", None)
    refused(add(asked.mia, asked.id, asked.ana), 409, "member_exists")
    assert asked.mia.delete(path).status == 204
    refused(asked.ana.post(f"/v1/spaces/{asked.id}/sessions"), 404, "not_found")


def test_a_manager_who_waits_is_nobody_who_manages_the_space(service):
    asked = Asked(service, role="manage")
    refused(asked.mia.delete(f"{asked.members}/{asked.mia.record['id']}"), 409, "last_manager")
    asked.ana.post(f"/v1/spaces/{asked.id}/sessions")
    assert asked.mia.delete(f"{asked.members}/{asked.mia.record['id']}").status == 204


def test_a_space_without_documents_goes_with_the_account_of_its_only_member(asked):
    visitor = Visitor(asked.service)
    visitor.log_in(asked.mia.record["email"])
    page = visitor.get("/app/account/delete")
    assert visitor.submit(page, "/app/account/delete", password=PASSWORD).status == 303
    assert asked.ana.get("/v1/spaces?waiting=true").json["spaces"] == []


def test_ten_of_one_inviter_wait_at_one_person_and_take_the_room_of_nobody(start_service):
    service = start_service(RATE_LIMITS="off", QUOTA_SPACES=12)
    eve, mia, ana = (service.register(name=one) for one in ("Eve", "Mia", "Ana"))
    made = [eve.post("/v1/spaces", json={"name": f"Space {n}"}).json["id"] for n in range(11)]
    for one in made[:10]:
        assert add(eve, one, ana).status == 201
    refused(add(eve, made[10], ana), 403, "quota_exceeded")
    other = mia.post("/v1/spaces", json={"name": "Accounting"}).json["id"]
    assert add(mia, other, ana).status == 201
    waiting = [one["id"] for page in ana.pages("/v1/spaces?waiting=true&limit=4") for one in page]
    assert sorted(waiting) == sorted([*made[:10], other])
    assert ana.post(f"/v1/spaces/{other}/sessions").status == 201
    assert ana.delete(f"/v1/spaces/{made[0]}/members/{ana.record['id']}").status == 204
    assert add(eve, made[10], ana).status == 201


def test_whom_the_operator_makes_a_manager_is_in_at_once(asked):
    asked.service.run_command("users", "manage", asked.ana.record["email"], asked.id)
    (listed,) = asked.ana.get("/v1/spaces").json["spaces"]
    assert listed["role"] == "manage"


def test_the_pages_list_invitations_to_enter_or_decline(asked):
    visitor = Visitor(asked.service)
    visitor.log_in(asked.ana.record["email"])
    page = visitor.get("/app/spaces")
    told = words(page)
    assert "Invitations" in told
    assert f"From Mia , {asked.mia.record['email']} You can write" in told
    assert 'class="menu where"' not in page.text
    assert visitor.get(f"/app/spaces/{asked.id}").status == 404
    answer = visitor.submit(page, f"/app/spaces/{asked.id}/enter")
    assert answer.headers["Location"] == "/app/documents"
    page = visitor.get("/app/spaces")
    assert "Invitations" not in words(page)
    assert 'class="menu where"' in page.text


def test_the_pages_decline_an_invitation(asked):
    visitor = Visitor(asked.service)
    visitor.log_in(asked.ana.record["email"])
    path = f"/app/spaces/{asked.id}/members/{asked.ana.record['id']}/remove"
    answer = visitor.submit(visitor.get("/app/spaces"), path)
    assert answer.headers["Location"] == "/app/spaces?done=declined"
    assert "You declined" in words(visitor.follow(answer))
    assert asked.ana.get("/v1/spaces?waiting=true").json["spaces"] == []


def test_an_invitation_and_its_end_are_events_of_the_space_without_the_address(asked):
    visitor = Visitor(asked.service)
    visitor.log_in(asked.mia.record["email"])
    path = f"/app/spaces/{asked.id}"
    invited = {"email": "new.person@example.org", "role": "read"}
    assert visitor.post(f"{path}/members", invited).status == 200
    visitor.post(f"{path}/enter")
    assert "invited new.person@example.org , who can read" in words(visitor.get("/app/activity"))
    action = next(one for one in visitor.get(path).text.split('"') if f"{path}/invitations/" in one)
    assert visitor.post(action).status == 303
    assert "withdrew the invitation of someone" in words(visitor.get("/app/activity"))
    told = {type: data for type, data in asked.events() if type.startswith("invitation.")}
    mia_id = asked.mia.record["id"]
    assert [*told] == ["invitation.created", "invitation.withdrawn"]
    assert [data["userId"] for data in told.values()] == [mia_id, mia_id]
    assert told["invitation.created"]["role"] == "read"
    assert len({data["invitationId"] for data in told.values()}) == 1
    assert "new.person" not in str(told)
