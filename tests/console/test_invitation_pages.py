"""The page of an invitation: whom it is for, what it makes, and that it has ended."""

import re

import pytest

from tests.console.visitor import SAME_SITE, Visitor, field_of, forms_of, words
from tests.people import PASSWORD

NEW = "another long password"
OVER = "This link does not work any more"


def invited(service, email):
    """The path of the page of an invitation by the operator."""
    printed = service.run_command("users", "invite", email)
    return re.search(r"/app/signup\?invite=\S+", printed)[0]


def focused(page):
    """The names of the fields that ask for the focus."""
    return re.findall(r'<(?:input|textarea|fieldset)[^>]*?name="(\w+)"[^>]*\sautofocus', page.text)


@pytest.fixture
def link(service, member):
    """The path of the page by which the member sets a new password."""
    return invited(service, member.email)


def test_the_address_that_is_invited_is_filled_in(service, visitor):
    page = visitor.get(invited(service, "ines@example.org"))
    field = field_of(page, "email")
    assert field["value"] == "ines@example.org"
    assert "readonly" in field
    answer = visitor.submit(page, "/app/signup", password=PASSWORD)
    assert answer.headers["Location"] == "/app/documents"
    assert visitor.api.get("/v1/auth/me").json["email"] == "ines@example.org"


def test_a_link_for_a_new_password_knows_its_account(member, link):
    page = Visitor(member.service).get(link)
    assert field_of(page, "email")["value"] == member.email
    assert "Choose a new password" in words(page)
    assert focused(page) == ["password"]


def test_a_link_that_was_used_says_so_and_invites_nobody(member, link):
    page = Visitor(member.service).get(link)
    visitor = Visitor(member.service)
    assert visitor.submit(page, "/app/signup", password=NEW).status == 303
    again = Visitor(member.service).get(link)
    said = words(again)
    assert OVER in said
    assert "You are invited" not in said
    assert [form["action"] for form in forms_of(again)] == []


def test_a_link_that_was_used_leads_who_is_logged_in_to_their_documents(mailing, email):
    visitor = Visitor(mailing).sign_up(email)
    page = visitor.get("/app/signup?invite=invite_unknown")
    card = words(page).partition(OVER)[2]
    assert "You are logged in. To your documents" in card
    assert "Log in" not in card
    assert "To set a new password" not in card


def test_a_form_whose_link_was_used_meanwhile_says_so_as_well(member, link):
    page = Visitor(member.service).get(link)
    fields = {"email": member.email, "password": NEW, "invite": link.rpartition("=")[2]}
    assert Visitor(member.service).post("/app/signup", fields, SAME_SITE).status == 303
    late = Visitor(member.service).submit(page, "/app/signup", password="a third long password")
    assert late.status == 422
    assert OVER in words(late)
    assert "Type the password again" not in words(late)


def test_a_link_that_was_used_offers_a_new_one_where_there_is_mail(mailing, box, email):
    mailing.register(email)
    page = Visitor(mailing).get("/app/signup?invite=invite_unknown")
    answer = Visitor(mailing).submit(page, "/app/forgot", email=email)
    assert answer.headers["Location"] == "/app/forgot?done=sent"
    (mail,) = box.wait_for(1)
    assert mail.to == [email]


def test_a_wrong_password_offers_a_new_one_for_the_address_that_was_typed(mailing, box, email):
    mailing.register(email)
    visitor = Visitor(mailing)
    refused = visitor.log_in(email, "not the password")
    answer = visitor.submit(refused, "/app/forgot")
    assert answer.headers["Location"] == "/app/forgot?done=sent"
    assert box.wait_for(1)[0].to == [email]


def test_the_space_opens_to_which_somebody_was_invited(member, service):
    member.submit(member.get("/app/spaces"), "/app/spaces", name="Board papers")
    space = member.api.get("/v1/spaces").json["spaces"][0]["id"]
    path = f"/app/spaces/{space}"
    fields = {"email": "carl@example.org", "role": "read"}
    shown = member.post(f"{path}/members?for={space}", fields)
    secret = re.search(r"invite=(invite_\w+)", shown.text)[1]
    carl = Visitor(service)
    page = carl.get(f"/app/signup?invite={secret}")
    assert field_of(page, "email")["value"] == "carl@example.org"
    landed = carl.follow(carl.submit(page, "/app/signup", name="Carl", password=PASSWORD))
    assert "You’re in the space now." in words(landed)
    assert "Documents of the space will appear here." in words(landed)
    assert "space" in carl.cookies


REFUSED = {
    "login": ("/app/login", {"email": "nobody@example.org", "password": "wrong"}, "password"),
    "a short password": ("/app/signup", {"email": "x@example.org", "password": "a"}, "password"),
    "no address": ("/app/signup", {"email": "nobody", "password": PASSWORD}, "email"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_the_field_that_was_refused_has_the_focus(service, case):
    path, fields, name = REFUSED[case]
    page = Visitor(service).post(path, fields)
    assert page.status in {401, 422}
    assert focused(page) == [name]
