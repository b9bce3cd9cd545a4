"""Changes of members at once, at two processes that serve one database."""

import threading

import pytest

from tests.contract.test_spaces import Team

ROUNDS = 5


@pytest.fixture
def team(service):
    """A space with two managers, and somebody who reads."""
    team = Team(service)
    team.mia.patch(team.path_of(team.will), json={"role": "manage"})
    return team


def at_once(*acts):
    """What the acts return, each in a thread of its own; their requests reach both processes."""
    results = []
    gate = threading.Barrier(len(acts))

    def run(act):
        gate.wait()
        results.append(act())

    threads = [threading.Thread(target=run, args=[act]) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def managers(team, person):
    listed = person.get(team.members).json["members"]
    return [one for one in listed if one["role"] == "manage"]


def test_two_managers_who_leave_at_once_do_not_leave_none(team):
    statuses = at_once(
        lambda: team.mia.delete(team.path_of(team.mia)).status,
        lambda: team.will.delete(team.path_of(team.will)).status,
    )
    assert sorted(statuses) == [204, 409]
    assert len(managers(team, team.rob)) == 1


def test_of_two_managers_who_demote_each_other_at_once_one_manages_on(team):
    for _ in range(ROUNDS):
        statuses = at_once(
            lambda: team.mia.patch(team.path_of(team.will), json={"role": "read"}).status,
            lambda: team.will.patch(team.path_of(team.mia), json={"role": "read"}).status,
        )
        assert sorted(statuses) == [200, 403]
        (left,) = managers(team, team.rob)
        ruler, other = team.mia, team.will
        if left["userId"] == team.will.record["id"]:
            ruler, other = other, ruler
        assert ruler.patch(team.path_of(other), json={"role": "manage"}).status == 200


def test_somebody_who_is_added_by_two_managers_at_once_is_one_member(team, new_user):
    fields = {"email": new_user.record["email"], "role": "read"}
    statuses = at_once(
        lambda: team.mia.post(team.members, json=fields).status,
        lambda: team.will.post(team.members, json=fields).status,
    )
    assert sorted(statuses) == [201, 409]
    assert len(team.rob.get(team.members).json["members"]) == 4


def test_an_upload_beside_the_removal_of_its_member_is_stored_before_it_or_not_at_all(team):
    acting = team.acting(team.rob)
    team.mia.patch(team.path_of(team.rob), json={"role": "write"})
    upload = {"payload": "SGVsbG8=", "contentType": "text/plain"}
    at_once(
        lambda: acting.post("/v1/documents", json=upload).status,
        lambda: team.mia.delete(team.path_of(team.rob)).status,
    )
    types = [one["type"] for one in team.events()]
    assert "document.created" not in types[types.index("member.removed") :]


def test_who_is_removed_at_one_process_is_out_at_the_other_at_once(team):
    acting = team.acting(team.rob)
    assert [acting.get("/v1/auth/me").status for _ in range(2)] == [200, 200]
    team.mia.delete(team.path_of(team.rob))
    assert [acting.get("/v1/auth/me").status for _ in range(2)] == [401, 401]
