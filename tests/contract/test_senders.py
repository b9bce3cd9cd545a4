"""The sender on the pages of a link, and what the sender chooses to show there."""

import re
from html import unescape
from urllib.parse import unquote

import pytest

from models.accounts import Sender
from tests.formats import time_from_now, unknown_credential
from tests.people import Person, at

HTML = {"Accept": "text/html"}


@pytest.fixture
def dana(service):
    person = service.register()
    answer = person.patch("/v1/auth/me", json={"name": "Dana Weber"})
    assert answer.status == 200
    return person


def address_of(person):
    return person.get("/v1/auth/me").json["email"]


def test_an_account_shows_its_name_until_it_chooses_otherwise(dana):
    assert dana.get("/v1/auth/me").json["showName"] is True

    hidden = dana.patch("/v1/auth/me", json={"showName": False}).json
    renamed = dana.patch("/v1/auth/me", json={"name": "Dana W."}).json

    assert (hidden["name"], hidden["showName"]) == ("Dana Weber", False)
    assert (renamed["name"], renamed["showName"]) == ("Dana W.", False)
    assert dana.patch("/v1/auth/me", json={"name": None}).json["name"] is None
    assert dana.patch("/v1/auth/me", json={"showName": "no"}).status == 422


def test_a_link_hides_the_name_of_its_target_if_its_owner_says_so(dana):
    document = dana.upload()
    plain = dana.share(document)
    hiding = dana.share(document, hideName=True)

    assert (plain["hideName"], hiding["hideName"]) == (False, True)
    assert dana.change(document, plain, hideName=True).json["hideName"] is True
    assert dana.get(f"/v1/tokens/{plain['id']}").json["hideName"] is True
    assert dana.change(document, plain, hideName=None).json["hideName"] is False
    changes = [
        event["data"]["changed"] for event in dana.events() if event["type"] == "token.updated"
    ]
    assert changes == [["hideName"], ["hideName"]]
    assert dana.post(at(document, "/tokens"), json={"hideName": "yes"}).status == 422


@pytest.mark.parametrize(
    ("name", "email", "initials"),
    [
        ("Dana Weber", "d@a.example", "DW"),
        ("Dana Maria Weber", "d@a.example", "DW"),
        ("Dana", "d@a.example", "D"),
        ("Jürgen von Österreich", "d@a.example", "JÖ"),
        ("王小明", "d@a.example", "王"),
        ("محمد علي", "d@a.example", "م"),
        ("🎉 42", "d@a.example", "?"),
        (None, "dana.weber@a.example", "DW"),
        (None, "info@a.example", "I"),
        ("", "info@a.example", "I"),
    ],
)
def test_initials_are_of_first_and_last_word_where_the_script_has_capitals(name, email, initials):
    assert Sender(name, email).initials == initials


def words_of(page):
    """What a page shows, without its head, style and script."""
    body = re.sub(r"<script>.*?</script>|<template.*?</template>", "", page.text, flags=re.S)
    inline = re.sub(r"</?(time|bdi|b|span)\b[^>]*>", "", body.partition("<body>")[2])
    return unescape(" ".join(re.sub(r"<[^>]*>", " ", inline).split()))


@pytest.fixture
def document(dana):
    return dana.upload(b"x" * 2_400, "text/plain", name="Contract Acme.txt", token=None)


def test_a_prompt_begins_with_the_sender_and_names_the_document(dana, document):
    end = time_from_now(days=3)
    link = dana.share(document, password="hunter22", maxViews=1, expiresAt=end)
    shown = words_of(dana.open(link["shortUrl"], headers=HTML))

    assert shown.startswith(f"DW Dana Weber {address_of(dana)}")
    for sentence in (
        "txt Contract Acme.txt Text · 2.4 KB",
        "This document has a password",
        "It does not come with the link: ask Dana Weber for it.",
        "It can be opened one more time.",
        f"Sent with Document Service on 127.0.0.1:{dana.service.port}",
    ):
        assert sentence in shown
    assert re.search(rf"Available until \d+ [A-Z][a-z]+ {end[:4]}, {end[11:16]} UTC\.", shown)


def test_a_moment_is_told_to_the_page_s_script_exactly(dana, document):
    link = dana.share(document, password="hunter22", expiresAt="2099-11-27T22:59:00Z")
    page = dana.open(link["shortUrl"], headers=HTML)
    assert '<time datetime="2099-11-27T22:59:00.000Z" data-shows="distance">' in page.text


def test_a_sender_without_a_name_is_called_by_the_address(dana, document):
    dana.patch("/v1/auth/me", json={"name": None})
    shown = words_of(dana.open(dana.share(document, password="hunter22")["shortUrl"], headers=HTML))
    email = address_of(dana)
    assert shown.count(email) == 2
    assert f"ask {email} for it" in shown


def test_a_sender_who_hides_the_name_is_on_no_page(dana, document):
    dana.patch("/v1/auth/me", json={"showName": False})
    several = dana.collect(document, title="Offer")
    ended = dana.share(document)
    dana.revoke(document, ended)
    links = [
        dana.share(document, password="hunter22"),
        dana.share(several),
        dana.share(several, permissions=["upload"]),
        ended,
    ]
    for link in links:
        page = dana.open(link["shortUrl"], headers=HTML)
        assert "Dana Weber" not in page.text
        assert address_of(dana) not in page.text
        assert '<p class="from">' not in page.text
    assert "ask the sender for it" in words_of(dana.open(links[0]["shortUrl"], headers=HTML))


def test_a_prompt_names_nothing_if_the_owner_hides_it(dana, document):
    several = dana.collect(document, title="Offer to Acme", note="For Thursday.")
    for target in (document, several):
        link = dana.share(target, password="hunter22", hideName=True)
        page = dana.open(link["shortUrl"], headers=HTML)
        assert "Dana Weber" in page.text
        for word in ("Contract", "Offer", "Thursday", " KB"):
            assert word not in page.text


def test_a_prompt_of_named_people_names_nothing(person):
    document = person.upload(b"x", "text/plain", name="Contract Acme.txt")
    link = person.share(document, recipients=["ana@example.org"], hideName=False)
    path = at(document, f"/view?token={link['token']}")
    page = Person(person.service).get(path, headers=HTML)
    assert "This document is for named people" in words_of(page)
    assert "invited, we’ll send you a code." in words_of(page)
    assert "Contract" not in page.text


def test_a_prompt_of_several_documents_shows_title_number_size_and_note(dana, document):
    several = dana.collect(document, title="Offer to Acme", note="Hello Ms Krause,\nfor Thursday.")
    shown = words_of(dana.open(dana.share(several, password="x")["shortUrl"], headers=HTML))
    assert "Offer to Acme 1 document · 2.4 KB" in shown
    assert "Hello Ms Krause, for Thursday." in shown


def test_a_cover_says_who_sent_how_many_documents_until_when(dana, document):
    several = dana.collect(document, title="Offer to Acme", note="For Thursday.")
    page = dana.open(dana.share(several)["shortUrl"], headers=HTML)
    shown = words_of(page)
    assert shown.startswith("DW Dana Weber sent you 1 document Offer to Acme For Thursday. Until ")
    assert "Save all · 2.4 KB or as one page that works offline" in shown
    assert '<i class="badge Text" aria-hidden="true">txt</i>' in page.text


def test_the_page_that_takes_files_says_where_they_go(dana, document):
    several = dana.collect(document, title="Tax papers", note="One a day.")
    page = dana.open(dana.share(several, permissions=["upload"])["shortUrl"], headers=HTML)
    shown = words_of(page)
    host = f"127.0.0.1:{dana.service.port}"
    assert shown.startswith("DW Dana Weber asks you for files")
    assert (
        f"Your files go to Dana Weber ({address_of(dana)}). {host} can’t verify who that is."
        in shown
    )


def test_a_receipt_is_a_file_that_the_log_is_verified_against(dana, document):
    several = dana.collect(document, title="Tax papers")
    link = dana.share(several, permissions=["upload"])
    body = (
        b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n'
        b"Content-Type: application/pdf\r\n\r\n%PDF\r\n--x--\r\n"
    )
    headers = HTML | {"Content-Type": "multipart/form-data; boundary=x"}
    page = dana.open(link["shortUrl"], "POST", data=body, headers=headers)
    shown = words_of(page)
    assert "1 file has arrived Dana Weber has it in “Tax papers”." in shown
    assert "Proof, for audits" in shown
    address = unescape(re.search(r'download="receipt.txt" href="([^"]+)"', page.text)[1])
    receipt = unquote(address.removeprefix("data:text/plain;charset=utf-8,"))
    assert receipt.startswith("Files sent to Dana Weber for “Tax papers” on 127.0.0.1:")
    assert "a.pdf\n4 bytes, received " in receipt

    file = dana.service.instance / "receipt.txt"
    file.write_text(receipt)
    verified = dana.service.run_command("audit", "verify", "--against", str(file))
    assert "1 receipt" in verified


@pytest.mark.parametrize("cause", ["revoked", "off", "used up", "expired"])
def test_a_link_that_has_ended_names_its_sender(clocked, cause):
    dana = clocked.register()
    dana.patch("/v1/auth/me", json={"name": "Dana Weber"})
    email = address_of(dana)
    document = dana.upload()
    link = dana.share(document, maxViews=1, expiresAt=time_from_now(hours=1))
    if cause == "revoked":
        dana.revoke(document, link)
    elif cause == "off":
        dana.change(document, link, enabled=False)
    elif cause == "used up":
        dana.submit(link)
    else:
        clocked.set_clock(hours=2)
    page = dana.open(link["shortUrl"], headers=HTML)
    assert page.status == 410
    assert words_of(page).startswith(f"DW Dana Weber {email} This link ")
    advice = "to turn it on again." if cause == "off" else "for a new one."
    assert f"Ask Dana Weber {advice}" in words_of(page)


def test_an_unknown_link_and_that_of_a_disabled_account_name_nobody(service, dana, document):
    link = dana.share(document)
    unknown = unknown_credential(link["token"])
    page = Person(service).get(f"/s?token={unknown}", headers=HTML)
    assert (page.status, '<p class="from">' in page.text) == (401, False)
    assert "Part of it may be missing. Go back and copy the whole link." in words_of(page)

    service.run_command("users", "disable", dana.record["email"])
    page = Person(service).get(f"/s?token={link['token']}", headers=HTML)
    assert (page.status, "Dana" in page.text) == (410, False)
