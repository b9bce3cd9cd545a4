"""Spaces: documents that several people own, and their members, as sessions act for them."""

import threading
from contextlib import closing
from http.client import HTTPConnection, IncompleteRead
from urllib.parse import urlsplit

import pytest

from tests.console.visitor import Visitor
from tests.formats import b64
from tests.people import at
from tests.problems import refused

READ = {"documents:read", "events:read"}
MEMBERS = "/v1/spaces/{}/members"


@pytest.fixture
def team(service):
    """A space with one member of each role."""
    return Team(service)


class Team:
    def __init__(self, service):
        self.service = service
        self.mia, self.will, self.rob = (
            service.register(name=one) for one in ("Mia", "Will", "Rob")
        )
        self.space = self.mia.post("/v1/spaces", json={"name": "Accounting"}).json
        self.id = self.space["id"]
        for person, role in ((self.will, "write"), (self.rob, "read")):
            self.add(person, role)
            self.acting(person).post("/v1/auth/logout")

    @property
    def members(self):
        return MEMBERS.format(self.id)

    def add(self, person, role):
        fields = {"email": person.record["email"], "role": role}
        answer = self.mia.post(self.members, json=fields)
        assert answer.status == 201, answer
        return answer

    def path_of(self, person):
        return f"{self.members}/{person.record['id']}"

    def acting(self, person):
        """The person who acts as the space."""
        answer = person.post(f"/v1/spaces/{self.id}/sessions")
        assert answer.status == 201, answer
        return person.with_token(answer.json["accessToken"])

    def events(self, person=None):
        return self.acting(person or self.mia).get("/v1/events").json["events"]


def test_who_makes_a_space_manages_it(service):
    mia = service.register(name="Mia")
    answer = mia.post("/v1/spaces", json={"name": "Accounting"})
    made = answer.json
    assert answer.status == 201
    assert set(made) == {"id", "name", "role", "createdAt"}
    assert (made["name"], made["role"]) == ("Accounting", "manage")
    assert made["id"].startswith("spc_")
    assert mia.get("/v1/spaces").json == {"spaces": [made], "nextCursor": None}


def test_others_see_no_space_and_no_members(team, new_user):
    assert new_user.get("/v1/spaces").json["spaces"] == []
    refused(new_user.get(team.members), 404, "not_found")
    refused(new_user.post(f"/v1/spaces/{team.id}/sessions"), 404, "not_found")
    refused(new_user.patch(f"/v1/spaces/{team.id}", json={"name": "Mine"}), 404, "not_found")
    refused(new_user.delete(f"/v1/spaces/{team.id}"), 404, "not_found")
    fields = {"email": new_user.record["email"], "role": "manage"}
    refused(new_user.post(team.members, json=fields), 404, "not_found")


def test_a_manager_renames_a_space_and_nobody_else_does(team):
    path = f"/v1/spaces/{team.id}"
    assert team.mia.patch(path, json={"name": "Office"}).json["name"] == "Office"
    refused(team.will.patch(path, json={"name": "Mine"}), 403, "scope_missing")
    assert team.rob.get("/v1/spaces").json["spaces"][0]["name"] == "Office"


def test_any_member_lists_the_members(team):
    listed = team.rob.get(team.members).json["members"]
    assert {(one["email"], one["name"], one["role"]) for one in listed} == {
        (team.mia.record["email"], "Mia", "manage"),
        (team.will.record["email"], "Will", "write"),
        (team.rob.record["email"], "Rob", "read"),
    }
    page = team.rob.get(f"{team.members}?limit=2").json
    rest = team.rob.get(f"{team.members}?limit=2&cursor={page['nextCursor']}").json
    assert [*page["members"], *rest["members"]] == listed


def test_only_a_manager_changes_members(team, new_user):
    fields = {"email": new_user.record["email"], "role": "read"}
    for person in (team.will, team.rob):
        refused(person.post(team.members, json=fields), 403, "scope_missing")
        refused(person.patch(team.path_of(person), json={"role": "manage"}), 403, "scope_missing")
        refused(person.delete(team.path_of(team.mia)), 403, "scope_missing")
    changed = team.mia.patch(team.path_of(team.rob), json={"role": "write"})
    assert (changed.status, changed.json["role"]) == (200, "write")
    assert team.mia.delete(team.path_of(team.rob)).status == 204
    assert len(team.mia.get(team.members).json["members"]) == 2


def test_who_has_no_account_cannot_be_added(team):
    fields = {"email": "nobody@example.org", "role": "read"}
    answer = team.mia.post(team.members, json=fields)
    refused(answer, 422, "invalid_request")
    assert answer.json["errors"][0]["pointer"] == "#/email"
    refused(
        team.mia.post(team.members, json={"email": "a@example.org", "role": "owner"}),
        422,
        "invalid_request",
    )


def test_who_is_a_member_already_is_not_added_again(team):
    fields = {"email": team.will.record["email"].upper(), "role": "manage"}
    refused(team.mia.post(team.members, json=fields), 409, "member_exists")
    assert len(team.mia.get(team.members).json["members"]) == 3


def test_everybody_may_leave_but_the_last_manager(team):
    assert team.will.delete(team.path_of(team.will)).status == 204
    refused(team.mia.delete(team.path_of(team.mia)), 409, "last_manager")
    refused(team.mia.patch(team.path_of(team.mia), json={"role": "read"}), 409, "last_manager")
    team.mia.patch(team.path_of(team.rob), json={"role": "manage"})
    assert team.mia.delete(team.path_of(team.mia)).status == 204
    refused(team.rob.delete(team.path_of(team.rob)), 409, "last_manager")


def test_a_space_with_documents_is_not_deleted(team):
    stored = team.acting(team.will).upload(b"Hello")
    refused(team.mia.delete(f"/v1/spaces/{team.id}"), 409, "space_not_empty")
    assert team.acting(team.mia).delete(at(stored)).status == 204
    refused(team.will.delete(f"/v1/spaces/{team.id}"), 403, "scope_missing")
    acting = team.acting(team.rob)
    assert team.mia.delete(f"/v1/spaces/{team.id}").status == 204
    refused(acting.get("/v1/documents"), 401, "session_expired")
    assert team.rob.get("/v1/spaces").json["spaces"] == []


def test_a_session_of_a_space_says_for_whom_it_acts(team):
    answer = team.will.post(f"/v1/spaces/{team.id}/sessions")
    assert answer.status == 201
    assert set(answer.json) == {"accessToken", "tokenType", "expiresIn", "expiresAt", "space"}
    assert answer.json["space"] == {**team.space, "role": "write"}
    me = team.acting(team.will).get("/v1/auth/me").json
    assert set(me) == {"id", "name", "role", "actingFor"}
    assert (me["id"], me["name"], me["role"]) == (team.id, "Accounting", "write")
    assert me["actingFor"] == team.will.record


def test_what_a_member_uploads_belongs_to_the_space(team):
    stored = team.acting(team.will).upload(b"Hello", name="hello.txt")
    assert team.acting(team.rob).get(at(stored, "/content")).body == b"Hello"
    refused(team.will.get(at(stored)), 404, "not_found")
    assert team.will.get("/v1/documents").json["documents"] == []


def test_who_reads_neither_changes_nor_deletes_anything(team):
    stored = team.acting(team.will).upload(b"Hello")
    rob = team.acting(team.rob)
    assert rob.get(at(stored)).status == 200
    assert rob.get("/v1/events").status == 200
    upload = {"payload": b64(b"Mine"), "contentType": "text/plain"}
    refused(rob.post("/v1/documents", json=upload), 403, "scope_missing")
    refused(rob.patch(at(stored), json={"name": "mine"}), 403, "scope_missing")
    refused(rob.post(at(stored, "/tokens"), json={}), 403, "scope_missing")
    refused(rob.post("/v1/collections", json={"title": "Mine"}), 403, "scope_missing")
    refused(rob.delete(at(stored)), 403, "scope_missing")
    refused(rob.get("/v1/api-keys"), 403, "scope_missing")
    refused(rob.get("/v1/webhooks"), 403, "scope_missing")


def test_who_writes_uploads_and_makes_links_and_deletes_nothing(team):
    will = team.acting(team.will)
    stored = will.upload(b"Hello")
    assert will.patch(at(stored), json={"name": "ours"}).status == 200
    link = will.post(at(stored, "/tokens"), json={}).json
    assert will.delete(at(stored, f"/tokens/{link['id']}")).status == 204
    refused(will.delete(at(stored)), 403, "scope_missing")
    sooner = {"expiresAt": "2099-01-01T00:00:00Z"}
    refused(will.patch(at(stored), json=sooner), 403, "scope_missing")
    refused(will.post("/v1/api-keys", json={}), 403, "scope_missing")
    refused(will.post("/v1/webhooks", json={"url": "https://a.example"}), 403, "scope_missing")


def test_who_manages_deletes_and_has_keys_and_webhooks(team):
    stored = team.acting(team.will).upload(b"Hello")
    mia = team.acting(team.mia)
    assert mia.delete(at(stored)).status == 204
    assert mia.post("/v1/webhooks", json={"url": "https://a.example"}).status == 201
    assert mia.post("/v1/api-keys", json={}).status == 201


def test_a_key_of_a_space_belongs_to_it_and_outlives_who_made_it(team):
    team.mia.patch(team.path_of(team.will), json={"role": "manage"})
    will = team.acting(team.will)
    key = will.post("/v1/api-keys", json={"name": "robot"}).json["key"]
    (listed,) = team.acting(team.mia).get("/v1/api-keys").json["apiKeys"]
    assert (listed["name"], listed["makerId"]) == ("robot", team.will.record["id"])
    assert team.mia.delete(team.path_of(team.will)).status == 204
    robot = team.mia.with_api_key(key)
    stored = robot.upload(b"Hello")
    assert team.acting(team.rob).get(at(stored)).status == 200


def test_the_list_of_keys_of_a_person_names_no_maker(new_user):
    new_user.post("/v1/api-keys", json={})
    (listed,) = new_user.get("/v1/api-keys").json["apiKeys"]
    assert "makerId" not in listed


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/v1/auth/password", {"currentPassword": "a", "newPassword": "long enough"}),
        ("PATCH", "/v1/auth/me", {"name": "Ours"}),
        ("POST", "/v1/spaces", {"name": "Another"}),
        ("GET", "/v1/spaces", None),
        ("PATCH", "/v1/spaces/{}", {"name": "Ours"}),
        ("DELETE", "/v1/spaces/{}", None),
        ("GET", MEMBERS, None),
        ("POST", MEMBERS, {"email": "a@example.org", "role": "read"}),
        ("PATCH", MEMBERS + "/usr_01", {"role": "read"}),
        ("DELETE", MEMBERS + "/usr_01", None),
        ("POST", "/v1/spaces/{}/sessions", None),
    ],
)
def test_calls_of_persons_take_no_session_of_a_space(team, method, path, body):
    more = {} if body is None else {"json": body}
    answer = team.acting(team.mia).request(method, path.format(team.id), **more)
    refused(answer, 403, "person_required")


@pytest.mark.parametrize("call", ["content of a collection", "content"])
def test_what_is_being_sent_to_a_member_ends_when_the_member_is_removed(team, call):
    mib = 1 << 20
    acting = team.acting(team.rob)
    author = team.acting(team.mia)
    documents = [author.upload(bytes(60 * mib if call == "content" else 6 * mib))]
    path = at(documents[0], "/content")
    if call != "content":
        documents += [author.upload(bytes(6 * mib)) for _ in range(9)]
        ids = [document["id"] for document in documents]
        made = author.post("/v1/collections", json={"title": "All", "documentIds": ids}).json
        path = f"/v1/collections/{made['id']}/content"
    address = urlsplit(team.service.url)
    with closing(HTTPConnection(address.hostname, address.port, timeout=60)) as connection:
        connection.request("GET", path, headers={"Authorization": f"Bearer {acting.secret}"})
        answer = connection.getresponse()
        assert answer.status == 200
        assert int(answer.headers["Content-Length"]) >= 60 * mib
        assert team.mia.delete(team.path_of(team.rob)).status == 204
        with pytest.raises(IncompleteRead) as broken:
            answer.read()
    assert len(broken.value.partial) < 40 * mib


def test_members_see_and_end_their_own_sessions_and_managers_all(team):
    will, rob, mia = (team.acting(one) for one in (team.will, team.rob, team.mia))
    (own,) = will.get("/v1/auth/sessions").json["sessions"]
    assert (own["userId"], own["current"]) == (team.will.record["id"], True)
    everybody = mia.get("/v1/auth/sessions").json["sessions"]
    ids = {one["userId"]: one["id"] for one in everybody}
    assert ids.keys() == {one.record["id"] for one in (team.will, team.rob, team.mia)}
    refused(will.delete(f"/v1/auth/sessions/{ids[team.rob.record['id']]}"), 404, "not_found")
    assert mia.delete(f"/v1/auth/sessions/{ids[team.rob.record['id']]}").status == 204
    refused(rob.get("/v1/auth/me"), 401, "session_expired")
    assert will.post("/v1/auth/logout").status == 204
    refused(will.get("/v1/auth/me"), 401, "session_expired")
    assert team.will.get("/v1/auth/me").status == 200


def test_the_sessions_of_a_person_name_no_member(new_user):
    (own,) = new_user.get("/v1/auth/sessions").json["sessions"]
    assert "userId" not in own


def test_a_removed_member_is_out_at_once_and_for_good(team):
    will = team.acting(team.will)
    stored = will.upload(b"Hello")
    page = will.get(at(stored, "/view"))
    assert page.status == 200
    team.mia.delete(team.path_of(team.will))
    refused(will.get(at(stored)), 401, "session_expired")
    refused(team.will.post(f"/v1/spaces/{team.id}/sessions"), 404, "not_found")
    team.add(team.will, "write")  # again: the session from before stays ended
    refused(will.get(at(stored)), 401, "session_expired")


def test_the_role_is_read_at_every_request(team):
    will = team.acting(team.will)
    assert will.upload(b"Hello")
    team.mia.patch(team.path_of(team.will), json={"role": "read"})
    upload = {"payload": b64(b"Mine"), "contentType": "text/plain"}
    refused(will.post("/v1/documents", json=upload), 403, "scope_missing")
    assert will.get("/v1/auth/me").json["role"] == "read"


def test_who_is_disabled_is_out_of_every_space(team):
    will = team.acting(team.will)
    team.service.run_command("users", "disable", team.will.record["email"])
    refused(will.get("/v1/documents"), 401, "session_expired")
    team.service.run_command("users", "enable", team.will.record["email"])
    refused(will.get("/v1/documents"), 401, "session_expired")


def test_a_new_password_ends_the_sessions_of_spaces_too(team):
    will = team.acting(team.will)
    change = {"currentPassword": team.will.password, "newPassword": "another long one"}
    assert team.will.post("/v1/auth/password", json=change).status == 204
    refused(will.get("/v1/documents"), 401, "session_expired")


def test_an_upload_that_is_under_way_when_its_member_is_removed_is_not_stored(team):
    will = team.acting(team.will)
    body = b'{"contentType":"text/plain","payload":"' + b"SGVsbG8h" * 40_000 + b'"}'
    with closing(
        will.begin("POST", "/v1/documents", {"Content-Type": "application/json"})
    ) as connection:
        connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body[:200_000])
        assert team.mia.delete(team.path_of(team.will)).status == 204
        connection.send(body[200_000:])
        assert connection.getresponse().status == 401
    assert team.acting(team.mia).get("/v1/documents").json["documents"] == []


def test_events_of_a_space_say_which_member_acted(team):
    team.acting(team.will).upload(b"Hello")
    created = next(one for one in team.events() if one["type"] == "document.created")
    assert created["data"]["via"] == "session"
    assert created["data"]["userId"] == team.will.record["id"]


def test_events_of_a_person_have_no_user_id(new_user):
    new_user.upload(b"Hello")
    assert "userId" not in new_user.get("/v1/events").json["events"][-1]["data"]


def test_changes_of_members_are_in_the_chain_of_the_space(team):
    team.mia.patch(team.path_of(team.rob), json={"role": "write"})
    team.rob.delete(team.path_of(team.rob))
    mia, will, rob = (one.record["id"] for one in (team.mia, team.will, team.rob))
    told = [
        (one["type"], one["data"]["memberUserId"], one["data"].get("role"), one["data"]["userId"])
        for one in team.events()
        if one["type"].startswith("member.")
    ]
    assert told == [
        ("member.added", mia, "manage", mia),
        ("member.added", will, "write", mia),
        ("member.accepted", will, "write", will),
        ("member.added", rob, "read", mia),
        ("member.accepted", rob, "read", rob),
        ("member.changed", rob, "write", mia),
        ("member.removed", rob, None, rob),
    ]


def test_nobody_logs_in_to_a_space(team, anonymous):
    for email in (f"space {team.id}", team.id):
        fields = {"email": email, "password": ""}
        refused(anonymous.post("/v1/auth/login", json=fields), 401, "wrong_credentials")
    for command in ("password", "disable"):
        team.service.run_command("users", command, f"space {team.id}", code=1, input="long enough")


def test_one_person_makes_so_many_spaces_as_the_setting_says(start_service):
    service = start_service(QUOTA_SPACES=1)
    mia, rob = service.register(), service.register()
    first = mia.post("/v1/spaces", json={"name": "One"}).json
    members = MEMBERS.format(first["id"])
    mia.post(members, json={"email": rob.record["email"], "role": "manage"})
    assert rob.post(f"/v1/spaces/{first['id']}/sessions").status == 201
    refused(mia.post("/v1/spaces", json={"name": "Two"}), 403, "quota_exceeded")
    mia.delete(f"{members}/{mia.record['id']}")  # a space that was left still counts
    refused(mia.post("/v1/spaces", json={"name": "Two"}), 403, "quota_exceeded")
    assert rob.delete(f"/v1/spaces/{first['id']}").status == 204
    assert mia.post("/v1/spaces", json={"name": "Two"}).status == 201


def test_so_many_new_members_an_hour_are_counted_by_the_person_who_adds_them(start_service):
    mia = start_service(RATE_LIMITS="on").register()
    space = mia.post("/v1/spaces", json={"name": "One"}).json["id"]
    fields = {"email": "nobody@example.org", "role": "read"}
    for _ in range(100):
        refused(mia.post(MEMBERS.format(space), json=fields), 422, "invalid_request")
    refused(mia.post(MEMBERS.format(space), json=fields), 429, "too_many_requests")


def test_two_managers_who_leave_at_once_do_not_leave_none(team):
    team.mia.patch(team.path_of(team.will), json={"role": "manage"})
    statuses = at_once(
        lambda: team.mia.delete(team.path_of(team.mia)).status,
        lambda: team.will.delete(team.path_of(team.will)).status,
    )
    assert sorted(statuses) == [204, 409]


def test_of_two_managers_who_demote_each_other_one_manages_on(team):
    team.mia.patch(team.path_of(team.will), json={"role": "manage"})
    statuses = at_once(
        lambda: team.mia.patch(team.path_of(team.will), json={"role": "read"}).status,
        lambda: team.will.patch(team.path_of(team.mia), json={"role": "read"}).status,
    )
    assert sorted(statuses) == [200, 403]
    listed = team.mia.get(team.members).json["members"]
    assert [one["role"] for one in listed].count("manage") == 1


def at_once(*acts):
    results = []
    threads = [threading.Thread(target=lambda act=act: results.append(act())) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def test_a_role_that_was_altered_in_the_database_counts_for_nothing(start_service):
    service = start_service()
    team = Team(service)
    rob = team.acting(team.rob)
    service.sql("UPDATE member SET role = 'manage'")
    refused(rob.get("/v1/documents"), 401, "session_expired")
    refused(team.rob.get(team.members), 404, "not_found")


def test_an_invitation_goes_by_mail_where_the_service_sends_mail(mailing, box, email):
    mia = Visitor(mailing).sign_up(f"mia.{email}")
    mia.submit(mia.get("/app/spaces"), "/app/spaces", name="Accounting")
    space = mia.api.get("/v1/spaces").json["spaces"][0]["id"]
    path = f"/app/spaces/{space}"
    answer = mia.post(f"{path}/members?for={space}", {"email": email, "role": "read"})
    assert answer.headers["Location"] == f"{path}?done=invited"
    (mail,) = box.wait_for(1, email)
    assert '"Accounting"' in mail.text
    assert "/app/signup?invite=invite_" in mail.text


def test_the_operator_gives_a_space_without_a_manager_one(team):
    team.service.run_command("users", "disable", team.mia.record["email"])
    refused(team.will.patch(f"/v1/spaces/{team.id}", json={"name": "Ours"}), 403, "scope_missing")
    team.service.run_command("users", "manage", team.will.record["email"], team.id)
    assert team.will.patch(f"/v1/spaces/{team.id}", json={"name": "Ours"}).status == 200
    listed = team.service.run_command("users", "list")
    assert f"space {team.id}" in listed
    team.service.run_command("users", "manage", team.will.record["email"], "spc_none", code=1)
