"""A secret that was copied with blanks around it opens, and one that was set with them as well."""

import pytest

from crypto import DecryptionError, passphrases, passwords
from crypto.typed import as_meant, without_blanks
from tests.people import PASSWORD
from tests.problems import refused

BLANKS = {
    "space": " {}",
    "space behind": "{} ",
    "tab": "\t{}\t",
    "line end": "{}\r\n",
    "no-break space": "\xa0{}\xa0",
    "zero width": "\u200b{}\ufeff",
    "several": " \u200b\n{} \u2060 ",
}


@pytest.fixture(params=BLANKS.values(), ids=BLANKS)
def copied(request):
    """A function that returns a secret as it comes with what is around it."""
    return request.param.format


def test_a_secret_is_tried_as_typed_and_once_more_without_blanks(copied):
    assert without_blanks(copied("a  b")) == "a  b"
    assert as_meant(copied("a")) == [copied("a"), "a"]
    assert as_meant("a b") == ["a b"]
    assert as_meant(" ") == [" "]


def test_a_link_opens_by_a_password_with_blanks_around_it(copied, alice, document):
    link = alice.share(document, password="hunter22")
    answer = alice.open(link["viewUrl"], "POST", json={"password": copied("hunter22")})
    assert answer.status == 200
    assert alice.submit(link, password=copied("hunter22")).status == 200


def test_a_password_that_was_set_with_blanks_opens_as_it_was_set(copied, alice, document):
    link = alice.share(document, password=copied("hunter22"))
    opens = alice.open(link["viewUrl"], "POST", json={"password": copied("hunter22")})
    assert opens.status == 200
    refused(
        alice.open(link["viewUrl"], "POST", json={"password": "hunter22"}),
        401,
        "wrong_credentials",
    )


def test_an_account_opens_by_a_password_with_blanks_around_it(copied, service):
    person = service.register()
    login = {"email": person.record["email"], "password": copied(PASSWORD)}
    assert person.post("/v1/auth/login", json=login).status == 200


def test_what_has_no_blanks_is_hashed_once(monkeypatch):
    tried = []
    monkeypatch.setattr(passwords, "_verify", lambda guess, _: tried.append(guess))
    assert not passwords.verify_password("wrong ", None)
    assert tried == ["wrong ", "wrong"]
    assert not passwords.verify_password("wrong", None)
    assert tried[2:] == ["wrong"]


def test_a_passphrase_of_an_export_opens_with_blanks_around_it(copied, monkeypatch):
    monkeypatch.setattr(passphrases, "MEMORY_KIB", 64)
    wrapped = passphrases.wrap(b"k" * 32, "tulip harbor 42", "test")
    assert passphrases.unwrap(wrapped, copied("tulip harbor 42"), "test") == b"k" * 32
    with pytest.raises(DecryptionError):
        passphrases.unwrap(wrapped, copied("another one 42"), "test")
    with_blanks = passphrases.wrap(b"k" * 32, copied("tulip"), "test")
    assert passphrases.unwrap(with_blanks, copied("tulip"), "test") == b"k" * 32
    with pytest.raises(DecryptionError):
        passphrases.unwrap(with_blanks, "tulip", "test")
