"""The pages of spaces: where one is, members, invitations, and what a role does not show."""

import html
import json
import re
from urllib.parse import urljoin

import pytest

from tests.console.visitor import Visitor, forms_of, words
from tests.formats import b64
from tests.people import PASSWORD, at
from tests.problems import refused
from tests.waiting import until

SPACES = "/app/spaces"
UPLOAD = {"payload": b64(b"Hello"), "contentType": "text/plain", "name": "hello.txt"}


@pytest.fixture
def join(service, member):
    """A function that signs up somebody of this name, as a member of the space of `member`."""

    def joined(space, role, name):
        visitor = Visitor(service)
        visitor.email = f"{name.lower()}.{space[-8:]}@example.org"
        visitor.sign_up(visitor.email)
        visitor.post("/app/account", {"name": name})
        path = member.get(f"{SPACES}/{space}")
        submit(member, path, f"{SPACES}/{space}/members", email=visitor.email, role=role)
        enter(visitor, space)
        visitor.post(f"{SPACES}/{space}/leave")
        return visitor

    return joined


@pytest.fixture
def space(member):
    """The id of a space that `member` has made, in which `member` is now."""
    member.post("/app/account", {"name": "Mia"})
    answer = member.submit(member.get(SPACES), SPACES, name="Accounting")
    assert answer.headers["Location"] == "/app/documents"
    return id_of(member)


def id_of(visitor):
    """The id of the only space of this person."""
    return re.search(r"/app/spaces/(spc_\w+)", visitor.get(SPACES).text)[1]


def submit(visitor, page, path, **fields):
    """Send the form of a page that is sent to this path, whatever it says of its owner."""
    found = next(one for one in forms_of(page) if one["action"].partition("?")[0] == path)
    return visitor.post(found["action"], found["fields"] | fields)


def enter(visitor, space):
    answer = visitor.post(f"{SPACES}/{space}/enter")
    assert answer.status == 303, answer
    return visitor


def acting(visitor):
    """The API with the session of the space in which the visitor is."""
    return visitor.api.with_token(visitor.cookies["space"])


def switch(page):
    """What the switch in the head says."""
    found = re.search(r'<details class="menu where">\s*<summary.*?</summary>', page.text, re.S)
    return re.sub(r"<[^>]+>", "", found[0]).strip() if found else None


def test_without_a_space_there_is_no_switch_and_no_form_says_whose_it_is(member):
    page = member.get("/app/documents")
    assert switch(page) is None
    assert not [one for one in forms_of(page) if "for=" in one["action"]]


def test_who_makes_a_space_is_in_it_and_the_head_says_so(member, space):
    assert switch(member.get("/app/documents")) == "You are in: Accounting"
    answer = member.post(f"{SPACES}/{space}/leave")
    assert answer.headers["Location"] == "/app/documents"
    assert switch(member.get("/app/documents")) == "You are in: My documents"
    enter(member, space)
    assert switch(member.get("/app/documents")) == "You are in: Accounting"
    assert "space" in member.cookies
    assert member.api.get("/v1/auth/me").json["email"] == member.email


def test_what_is_uploaded_in_a_space_is_the_space_s(member, space):
    acting(member).post("/v1/documents", json=UPLOAD)
    assert "hello.txt" in member.get("/app/documents").text
    member.post(f"{SPACES}/{space}/leave")
    assert "hello.txt" not in member.get("/app/documents").text


def test_the_list_and_the_page_of_a_document_say_who_uploaded_it(member, space, join):
    will = enter(join(space, "write", "Will"), space)
    document = acting(will).post("/v1/documents", json=UPLOAD).json
    assert "by Will" in words(member.get("/app/documents"))
    assert "by Will" in words(member.get(f"/app/documents/{document['id']}"))
    acting(will).patch(at(document), json={"name": "renamed.txt"})
    assert "by Will" in words(member.get("/app/documents"))


def test_the_list_of_a_person_says_nothing_of_an_uploader(member):
    member.api.post("/v1/documents", json=UPLOAD)
    assert "· by <bdi>" not in member.get("/app/documents").text


def test_the_activity_of_a_space_says_who_did_what(member, space, join):
    will = enter(join(space, "write", "Will"), space)
    document = acting(will).post("/v1/documents", json=UPLOAD).json
    will.get(f"/app/documents/{document['id']}/view")
    told = words(member.get("/app/activity"))
    assert "Will" in told
    assert "uploaded hello.txt" in told
    assert "opened hello.txt" in told  # the look of another member
    assert "made the space" in told
    assert "added Will , who can write" in told
    assert "entered the space for the first time, and can write" in told
    assert "opened hello.txt" not in words(will.get("/app/activity"))  # nor one's own


def test_the_keys_of_a_space_say_who_made_them(member, space):
    acting(member).post("/v1/api-keys", json={"name": "robot"})
    assert "made by Mia" in words(member.get("/app/keys"))


ACTS = {  # what a page shows, and the scope that shows it
    "/app/documents": {
        "Choose files": "write",
        'value="collect"': "write",
        'value="bin"': "manage",
        "#new": "write",
    },
    "/app/documents/{document}": {
        'data-open="new"': "write",
        'data-open="edit"': "write",
        "/newer": "write",
        'value="bin"': "manage",
        "Delete for good": "manage",
        'role="switch"': "write",
    },
    "/app/collections": {"New collection": "write"},
    "/app/collections/{collection}": {
        "Add files": "write",
        "Request files": "write",
        "Pick from your documents": "write",
        'name="remove"': "write",
        'data-open="edit"': "write",
        "Delete the collection": "manage",
    },
    "/app/requests": {"New request": "write"},
    "/app/links": {'role="switch"': "write", "Delete link": "write"},
    "/app/links/{link}": {"Save the terms": "write", 'role="switch"': "write"},
    "/app/bin": {"Restore": "manage", "Delete now": "manage"},
}


@pytest.mark.parametrize("role", ["read", "write", "manage"])
def test_pages_show_the_acts_that_the_role_permits(member, space, join, role):
    mia = acting(member)
    document = mia.post("/v1/documents", json=UPLOAD | {"token": {}}).json
    binned = mia.post("/v1/documents", json=UPLOAD).json["id"]
    ids = [document["id"]]
    collection = mia.post("/v1/collections", json={"title": "Ours", "documentIds": ids}).json["id"]
    link = mia.get(at(document, "/tokens")).json["tokens"][0]["id"]
    submit(member, member.get(f"/app/documents/{binned}"), "/app/documents", id=binned, act="bin")
    person = enter(join(space, role, "Ann"), space)
    order = ["read", "write", "manage"]
    paths = {"document": document["id"], "collection": collection, "link": link}
    for path, shown in ACTS.items():
        page = person.get(path.format(**paths))
        assert page.status == 200, path
        there = {text: text in page.text for text in shown}
        permitted = {text: order.index(role) >= order.index(least) for text, least in shown.items()}
        assert there == permitted, path


def test_forms_of_a_higher_role_are_refused(member, space, join):
    document = acting(member).post("/v1/documents", json=UPLOAD).json["id"]
    rob = enter(join(space, "read", "Rob"), space)
    own = f"?for={space}"
    for path, fields in (
        ("/app/documents", {"id": document, "act": "bin"}),
        ("/app/documents", {"id": document, "act": "collect"}),
        (f"/app/documents/{document}", {"name": "mine"}),
        (f"/app/documents/{document}/links", {}),
        (f"/app/documents/{document}/end", {"sure": "hello.txt", "act": "delete"}),
        ("/app/collections", {"title": "Mine"}),
        ("/app/requests", {"title": "Mine"}),
        ("/app/keys", {}),
        ("/app/webhooks", {}),
        ("/app/bin", {"id": document}),
    ):
        assert rob.post(path + own, fields).status == 403, path
    for path in ("/app/keys", "/app/webhooks", f"/app/documents/{document}/newer"):
        assert rob.get(path).status == 403, path
    assert "hello.txt" in rob.get("/app/documents").text


def test_the_pages_of_a_person_s_account_are_not_those_of_a_space(member, space):
    page = member.get("/app/account")
    assert page.status == 403
    assert "This page is yours, not the space’s." in words(page)
    assert f"{SPACES}/{space}/leave" in [one["action"] for one in forms_of(page)]
    change = {"currentPassword": PASSWORD, "newPassword": "another long one"}
    assert member.post(f"/app/account/password?for={space}", change).status == 403
    assert member.post(f"/app/account/delete?for={space}", {"password": PASSWORD}).status == 403


def test_a_form_that_was_made_elsewhere_does_nothing_and_says_so(member, space):
    document = acting(member).post("/v1/documents", json=UPLOAD).json["id"]
    of_space = member.get(f"/app/documents/{document}")
    keys_of_space = member.get("/app/keys")
    member.post(f"{SPACES}/{space}/leave")
    own = member.get("/app/collections")
    for page, path, fields in (
        (of_space, f"/app/documents/{document}", {"name": "mine"}),
        (keys_of_space, "/app/keys", {"name": "stale"}),
    ):
        answer = submit(member, page, path, **fields)
        assert answer.status == 409
        assert "nothing was done" in words(answer)
        assert "made in “ Accounting ”" in words(answer)
        assert f"{SPACES}/{space}/enter" in [one["action"] for one in forms_of(answer)]
    enter(member, space)
    answer = submit(member, own, "/app/collections", title="Mine")
    assert answer.status == 409
    assert "made in “ My documents ”" in words(answer)
    assert f"{SPACES}/{space}/leave" in [one["action"] for one in forms_of(answer)]
    assert acting(member).get("/v1/collections").json["collections"] == []
    assert acting(member).get("/v1/api-keys").json["apiKeys"] == []
    assert member.api.get("/v1/api-keys").json["apiKeys"] == []


def test_every_form_of_a_space_says_for_which_it_was_made(member, space):
    mia = acting(member)
    document = mia.post("/v1/documents", json=UPLOAD | {"token": {}}).json
    collection = mia.post("/v1/collections", json={"title": "Ours"}).json["id"]
    link = mia.get(at(document, "/tokens")).json["tokens"][0]["id"]
    mia.post("/v1/api-keys", json={})
    webhook = mia.post("/v1/webhooks", json={"url": "https://a.example"}).json["id"]
    moving = {"/app/logout", f"{SPACES}/{space}/leave"}  # may be sent from anywhere
    for path in (
        "/app/documents",
        f"/app/documents/{document['id']}",
        f"/app/documents/{document['id']}/newer",
        "/app/collections",
        f"/app/collections/{collection}",
        f"/app/collections/{collection}/links",
        f"/app/collections/{collection}/delete",
        "/app/requests",
        "/app/links",
        f"/app/links/{link}",
        "/app/keys",
        "/app/webhooks",
        f"/app/webhooks/{webhook}",
        SPACES,
        f"{SPACES}/{space}",
    ):
        page = member.get(path)
        assert page.status == 200, path
        posts = set(re.findall(r'<form method="post" action="([^"]*)"', page.text)) - moving
        assert [one for one in posts if f"for={space}" not in one] == [], path


def pages_in(visitor, *paths):
    """Yield each page that the given ones lead to, with its path; also as a script gets it."""
    waiting, known = list(paths), set(paths)
    while waiting:
        path = waiting.pop()
        for accept in ("text/html", "application/json"):
            answer = visitor.get(path, Accept=accept)
            page = answer.body.decode(errors="replace")
            yield path, page
        for href in re.findall(r'(?:href|data-copy-of)="([^"]+)"', page):
            found = urljoin(path, html.unescape(href)).partition("#")[0]
            if found.startswith("/app/") and found not in known:
                known.add(found)
                waiting.append(found)


@pytest.mark.slow
@pytest.mark.parametrize("role", ["read", "write", "manage"])
def test_the_address_of_a_link_is_on_the_pages_of_whoever_may_make_one(member, space, join, role):
    mia = acting(member)
    stored = mia.post("/v1/documents", json=UPLOAD | {"token": {}}).json
    other = mia.post(at(stored, "/tokens"), json={"allowedOrigins": ["https://a.example"]}).json
    collection = mia.collect(stored)
    taking = mia.post(at(collection, "/tokens"), json={"permissions": ["upload"], "maxViews": 5})
    opening = mia.post(at(collection, "/tokens"), json={"permissions": ["download"]})
    links = [stored["token"], other, taking.json, opening.json]
    visitor = enter(join(space, role, "Rob"), space)
    made = "&".join(f"made={one['id']}" for one in links)
    starts = ["/app/documents", "/app/requests", f"/app/documents?{made}"]
    starts += [f"/app/documents?made={one['id']}" for one in links]
    starts += [f"/app/links/{one['id']}?qr=1" for one in links]
    seen, qr_codes, paths = set(), 0, set()
    for path, page in pages_in(visitor, *starts):
        paths.add(path)
        seen |= {one["id"] for one in links if one["token"] in page}
        qr_codes += page.count('class="qr"')
    assert {f"/app/links/{one['id']}" for one in links} <= paths
    assert seen == (set() if role == "read" else {one["id"] for one in links})
    assert bool(qr_codes) == (role != "read")


def test_a_removed_member_is_out_and_told_so(member, space, join):
    rob = enter(join(space, "write", "Rob"), space)
    page = rob.get("/app/collections")
    rob_id = rob.api.get("/v1/auth/me").json["id"]
    path = f"{SPACES}/{space}/members/{rob_id}/remove"
    submit(member, member.get(f"{SPACES}/{space}"), path)
    answer = submit(rob, page, "/app/collections", title="Mine")
    assert answer.status == 409
    enter_again = rob.post(f"{SPACES}/{space}/enter")
    assert enter_again.status == 404
    assert switch(rob.get("/app/documents")) is None
    assert acting(member).get("/v1/collections").json["collections"] == []


def test_an_open_page_of_a_removed_member_leads_to_the_spaces(member, space, join):
    rob = enter(join(space, "read", "Rob"), space)
    rob_id = rob.api.get("/v1/auth/me").json["id"]
    submit(member, member.get(f"{SPACES}/{space}"), f"{SPACES}/{space}/members/{rob_id}/remove")
    answer = rob.get("/app/documents")
    assert answer.headers["Location"] == f"{SPACES}?done=out"
    assert "no longer in the space" in words(rob.follow(answer))
    assert "space" not in rob.cookies


def test_members_get_roles_and_leave_by_the_page(member, space, join):
    rob = join(space, "read", "Rob")
    rob_id = rob.api.get("/v1/auth/me").json["id"]
    page = member.get(f"{SPACES}/{space}")
    assert "Rob" in words(page)
    submit(member, page, f"{SPACES}/{space}/members/{rob_id}", role="manage")
    page = rob.get(f"{SPACES}/{space}")
    assert "You can manage" in words(page)
    assert "Rob (you)" in words(page)
    assert words(page).count("Remove") > 0
    assert "Leave" in words(page)
    answer = submit(rob, page, f"{SPACES}/{space}/members/{rob_id}/remove")
    assert answer.headers["Location"] == f"{SPACES}?done=left"
    assert "No spaces yet" in words(rob.get(SPACES))


def test_the_last_manager_is_told_why_leaving_is_refused(member, space):
    me = member.api.get("/v1/auth/me").json["id"]
    page = member.get(f"{SPACES}/{space}")
    answer = submit(member, page, f"{SPACES}/{space}/members/{me}/remove")
    assert answer.status == 409
    assert "the last manager" in words(answer)


def test_a_space_is_renamed_and_an_empty_one_deleted(member, space):
    path = f"{SPACES}/{space}"
    submit(member, member.get(path), path, name="Office")
    assert switch(member.get("/app/documents")) == "You are in: Office"
    document = acting(member).post("/v1/documents", json=UPLOAD).json
    answer = submit(member, member.get(path), f"{path}/delete")
    assert answer.status == 409
    assert "holds documents" in words(answer)
    acting(member).delete(at(document))
    answer = submit(member, member.get(path), f"{path}/delete")
    assert answer.headers["Location"] == f"{SPACES}?done=space_gone"
    assert switch(member.get("/app/documents")) is None


def test_the_log_names_a_space_that_a_member_has_deleted(member, space, service):
    submit(member, member.get(f"{SPACES}/{space}"), f"{SPACES}/{space}/delete")
    deleted = "SELECT body FROM event WHERE type = 'account.deleted'"
    assert space in [json.loads(body)["data"]["userId"] for (body,) in service.sql(deleted)]
    service.run_command("audit", "verify")


def test_to_log_out_in_a_space_ends_both_sessions(member, space):
    of_space, own = acting(member), member.api
    member.post("/app/logout")
    assert member.cookies == {}
    refused(of_space.get("/v1/auth/me"), 401, "session_expired")
    refused(own.get("/v1/auth/me"), 401, "session_expired")


def test_the_session_of_a_space_opens_no_page_without_the_person_s_own(member, space):
    member.api.post("/v1/auth/logout")
    answer = member.get("/app/documents")
    assert answer.headers["Location"].startswith("/app/login")
    member.cookies.pop("session", None)
    assert member.get("/app/documents").headers["Location"].startswith("/app/login")


def test_the_session_of_a_space_stands_for_no_person_on_the_pages(member, space):
    token = member.cookies["space"]
    for path in ("/app/documents", SPACES, f"{SPACES}/{space}", "/app/account"):
        member.cookies = {"session": token}
        assert member.get(path).headers["Location"].startswith("/app/login"), path


def test_another_person_s_session_of_a_space_is_not_taken(member, space, service):
    other = Visitor(service).sign_up(f"other.{space[-8:]}@example.org")
    other.cookies["space"] = member.cookies["space"]
    assert other.get("/app/documents").headers["Location"] == f"{SPACES}?done=out"
    assert switch(other.get("/app/documents")) is None


# Invitations


def invite(manager, space, email, role="write"):
    page = manager.get(f"{SPACES}/{space}")
    return submit(manager, page, f"{SPACES}/{space}/members", email=email, role=role)


def secret_in(page):
    return re.search(r"invite=(invite_\w+)", page.text)[1]


def accept(service, secret, email):
    visitor = Visitor(service)
    fields = {"email": email, "password": PASSWORD, "name": "Ina", "invite": secret}
    return visitor, visitor.post("/app/signup", fields)


def test_an_invitation_makes_an_account_and_a_member_in_one_act(member, space, service):
    email = f"ina.{space[-8:]}@example.org"
    page = invite(member, space, email)
    assert page.status == 200
    assert email in words(member.get(f"{SPACES}/{space}"))  # waits
    shown = Visitor(service).get(f"/app/signup?invite={secret_in(page)}")
    assert "Mia invites you to the space “ Accounting ”" in words(shown)
    assert f'value="{email}"' in shown.text
    visitor, answer = accept(service, secret_in(page), email)
    assert answer.status == 303
    assert id_of(visitor) == space
    listed = words(member.get(f"{SPACES}/{space}"))
    assert "Ina" in listed
    assert "Invited" not in listed
    assert accept(service, secret_in(page), email)[1].status == 422


def test_an_invitation_to_a_space_works_where_registration_is_closed(start_service):
    service = start_service(REGISTRATION="first", RATE_LIMITS="off")
    mia = Visitor(service).sign_up("mia@example.org")
    mia.submit(mia.get(SPACES), SPACES, name="Accounting")
    page = invite(mia, id_of(mia), "ina@example.org")
    assert accept(service, secret_in(page), "ina@example.org")[1].status == 303


def test_an_invitation_to_a_space_never_opens_an_account_that_exists(member, space, service):
    email = f"ina.{space[-8:]}@example.org"
    secret = secret_in(invite(member, space, email))
    ina = Visitor(service).sign_up(email, "her own long password")
    assert accept(service, secret, email)[1].status == 422
    assert ina.get("/app/documents").status == 200
    answer = Visitor(service).log_in(email, "her own long password")
    assert answer.status == 303


def test_an_invitation_ends_with_the_manager_who_made_it(member, space, service, join):
    rob = join(space, "manage", "Rob")
    email = f"ina.{space[-8:]}@example.org"
    secret = secret_in(invite(rob, space, email))
    rob_id = rob.api.get("/v1/auth/me").json["id"]
    submit(member, member.get(f"{SPACES}/{space}"), f"{SPACES}/{space}/members/{rob_id}/remove")
    assert accept(service, secret, email)[1].status == 422


def test_an_invitation_is_withdrawn(member, space, service):
    email = f"ina.{space[-8:]}@example.org"
    secret = secret_in(invite(member, space, email))
    page = member.get(f"{SPACES}/{space}")
    path = next(one["action"] for one in forms_of(page) if "/invitations/" in one["action"])
    assert member.post(path).status == 303
    assert accept(service, secret, email)[1].status == 422


def test_at_most_20_invitations_to_a_space_wait(member, space):
    page = member.get(f"{SPACES}/{space}")
    path = f"{SPACES}/{space}/members"
    for number in range(20):
        email = f"i{number}.{space[-8:]}@example.org"
        answer = member.post(f"{path}?for={space}", {"email": email, "role": "read"})
        assert answer.status == 200
    answer = submit(member, page, path, email="one.more@example.org", role="read")
    assert answer.status == 403
    assert "20 is the most" in words(answer)


# The account of a member


def test_an_account_is_not_deleted_while_it_is_the_last_manager_of_others(member, space, join):
    rob = join(space, "read", "Rob")
    member.post(f"{SPACES}/{space}/leave")
    fields = {"password": PASSWORD}
    answer = member.submit(
        member.get("/app/account/delete"), "/app/account/delete", password=PASSWORD
    )
    assert answer.status == 409
    assert "last manager of the space “Accounting”" in words(answer)
    assert rob.post("/app/account/delete", fields).status == 303
    assert "Rob" not in words(member.get(f"{SPACES}/{space}"))


def test_an_empty_space_of_one_s_own_goes_with_the_account(member, space, service):
    member.post(f"{SPACES}/{space}/leave")
    answer = member.submit(
        member.get("/app/account/delete"), "/app/account/delete", password=PASSWORD
    )
    assert answer.status == 303
    until(lambda: not service.sql("SELECT id FROM user_account WHERE id = :id", id=space))
    assert service.sql("SELECT id FROM member WHERE owner_id = :id", id=space) == []
