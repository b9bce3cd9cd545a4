"""What rows opened to is read from the memory; what answers does not depend on it.

Every sealed table has rows here (`filled`). They are read, altered in SQL, and read again.
"""

import itertools
from collections.abc import Mapping

import pytest
from peewee import IntegrityError

from crypto import Keyring, KeyringError, RootKeyMissing
from crypto.row_texts import RowCipher
from models import (
    ApiKey,
    Document,
    DocumentToken,
    Session,
    User,
    Webhook,
    current_runtime,
    transaction,
)
from models.account_deletion import delete_account, finish_deletions
from models.accounts import Identity
from models.background import sweep
from models.core import KeyRevoked
from models.documents import Collection, UnfinishedUpload
from models.events import WebhookDelivery
from models.links import (
    KeptText,
    Opening,
    delete_collection,
    delete_document,
)
from models.storage import engine
from operations import key_rotation
from operations.verification import SEALED_TABLES
from tests.models.records.test_sealed_rows import (
    OTHERS,
    alter,
    bound,
    of_each_shape,
    rows_of,
)
from tests.uploads import upload

REMEMBERED = {  # all sealed values that may be in the memory
    ApiKey: {"name", "made_by"},
    Collection: {"title", "note", "max_bytes", "documents_listed"},
    Document: {"given_name", "given_metadata", "sha256", "crc32", "uploader_id"},
    DocumentToken: {"label", "answers_id", "notifies_owner"},
    Identity: {"bound_by"},
    KeptText: {"text"},
    Opening: {"agreement_sha256"},
    Session: {"client"},
    UnfinishedUpload: {"begun_by_id", "uploader_id", "crc32", "last_actor", "result"},
    User: {"name", "shows_name", "let_in_by"},
    Webhook: {"description", "failing_since"},
    WebhookDelivery: {"event_digest"},
}


def memory():
    return current_runtime().opened_rows


def entries():
    """What is in the memory, as a text."""
    return repr([dict(entry.values) for entry in memory()._entries.values()])


@pytest.fixture
def opened(monkeypatch):
    """The number of texts that were opened since."""

    class Opened(list):
        def during(self, work):
            self.clear()
            work()
            return len(self)

    calls = Opened()
    open_text = RowCipher.open

    def counted(self, sealed, columns):
        calls.append(columns)
        return open_text(self, sealed, columns)

    monkeypatch.setattr(RowCipher, "open", counted)
    return calls


def test_a_row_that_is_read_again_is_not_opened_again(filled, opened):
    ada, _ = filled
    key = ApiKey.issue(ada, None, "documents:read", None).secret
    reads = [
        lambda: Document.page(ada.id, 50, None),
        lambda: Document.one_of(ada.id, Document.page(ada.id, 1, None)[0][0].id),
        lambda: ApiKey.of_secret(key),
        lambda: Collection.page(ada.id, 50, None),
        lambda: DocumentToken.page(ada.id, 50, None),
        lambda: User.find(ada.id),
    ]
    for read in reads:
        read()
        read()  # on PostgreSQL the first use of a key has changed its row
        assert opened.during(read) == 0


def test_in_a_transaction_every_row_is_opened_anew(filled, opened):
    ada, _ = filled
    listed = len(Document.page(ada.id, 50, None)[0])
    with transaction(ada.id):
        assert opened.during(lambda: Document.page(ada.id, 50, None)) == listed
    key = ApiKey.issue(ada, None, "documents:read", None).secret
    ApiKey.of_secret(key)
    with transaction(ada.id):
        assert opened.during(lambda: ApiKey.of_secret(key)) == 2  # the key and its owner


@pytest.mark.slow
def test_a_row_of_which_any_byte_was_altered_is_as_if_nothing_was_remembered(filled):
    for table in SEALED_TABLES:
        for row in of_each_shape(rows_of(table)):
            assert row.opens()
            for name in {*bound(table), "sealed"} - {*table.KEY, "owner_id", "token_id", "user_id"}:
                value = getattr(row, name)
                if isinstance(value, int | str | bytes):
                    for other in {*OTHERS[type(value)]} - {value}:
                        assert not altered_opens(row, name, other), (table, name, other)
            assert table.opened_alone(rows_as_read(row)) is not None


def altered_opens(row, name, value):
    """Whether the row opens after a committed change, which is then taken back."""
    before = getattr(row, name)
    try:
        altered = alter(row, **{name: value})
    except IntegrityError:  # a unique column, or a reference
        return False
    try:
        return altered.opens()
    except RootKeyMissing:
        return False
    finally:
        alter(row, **{name: before})


def rows_as_read(row):
    return row.as_stored(*row.key_values())


def test_a_text_moved_to_another_row_is_refused_though_both_were_read(filled):
    for table in SEALED_TABLES:
        for row, other in itertools.permutations(of_each_shape(rows_of(table))[:3], 2):
            assert row.opens()
            assert other.opens()
            if row.sealed != other.sealed:
                assert not altered_opens(row, "sealed", other.sealed), table


def test_a_row_is_refused_whose_owner_got_another_key_though_it_was_read(filled):
    ada, bob = filled
    key = ApiKey.issue(ada, None, "documents:read", None).secret
    assert ApiKey.of_secret(key)
    before = {name: getattr(ada, name) for name in ("root", "sealed_key")}
    for values in ({"sealed_key": bob.sealed_key}, {"sealed_key": bytes(104)}):
        alter(ada, **values)
        with pytest.raises(KeyRevoked):
            ApiKey.of_secret(key)
        assert not ApiKey.page(ada.id, 50, None)[0]
        alter(ada, **before)
        assert ApiKey.of_secret(key)


def test_a_lost_or_retired_root_key_answers_as_if_nothing_was_remembered(filled, tmp_path):
    if engine().is_shared:
        pytest.skip("the keyring of several machines is changed by hand")
    ada, _ = filled
    key = ApiKey.issue(ada, None, "documents:read", None).secret
    keyring = tmp_path / "keyring"
    text = keyring.read_text()

    def read():
        ApiKey.of_secret(key)
        return Document.page(ada.id, 50, None)[0]

    assert read()
    Keyring.create(tmp_path / "other")
    keyring.write_text((tmp_path / "other").read_text())
    with pytest.raises(RootKeyMissing):
        read()
    assert Document.page(ada.id, 50, None)[0] == []
    keyring.unlink()
    with pytest.raises(KeyringError):
        read()
    keyring.write_text(text)
    keyring.chmod(0o600)
    assert read()
    key_rotation.rotate_root_keys()
    assert read()


def test_all_sealed_values_are_remembered_but_those_that_say_why_not():
    remembered = {
        table: {name for name in table.sealed_names() if not reason(table, name)}
        for table in SEALED_TABLES
    }
    assert {table: names for table, names in remembered.items() if names} == REMEMBERED


def reason(table, name):
    return getattr(table, name).never_remembered


def test_no_secret_and_no_address_is_in_the_memory(filled):
    ada, _ = filled
    secrets = []
    for table in SEALED_TABLES:
        for row in table.opened(rows_of(table)):
            assert row.opens()
            for name in table.sealed_names():
                if reason(table, name):
                    secrets += texts_of(getattr(row, name))
    values = [value for entry in memory()._entries.values() for value in entry.values.values()]
    remembered = texts_of(values)
    assert {"a.txt", "case", "Accounting"} <= {*remembered}
    digest = User.find(ada.id).password_digest
    kept = DocumentToken.rows(DocumentToken.select())[0].kept_secret
    hook = Webhook.page(ada.id, 1, None)[0][0]
    secrets += [digest, kept, hook.url, hook.secrets[0][0], ada.email, "eve@example.org", "Eve"]
    assert len(set(secrets)) > 15
    assert [one for one in secrets for text in remembered if one in text] == []


def texts_of(value):
    if isinstance(value, Mapping):
        return [text for pair in value.items() for one in pair for text in texts_of(one)]
    if isinstance(value, list | tuple):
        return [text for one in value for text in texts_of(one)]
    return [value] if isinstance(value, str) and len(value) > 3 else []


def test_what_is_never_remembered_is_read_from_the_row_each_time(filled, opened):
    ada, _ = filled
    User.find(ada.id)
    again = User.find(ada.id)
    assert opened.during(lambda: again.name) == 0
    assert opened.during(lambda: again.password_digest) == 1
    assert again.password_digest.startswith("$argon2id$")


def test_a_row_from_the_memory_is_changed_with_all_its_values(filled):
    ada, _ = filled
    digest = User.find(ada.id).password_digest
    row = User.find(ada.id)
    with transaction():
        row.change(name="Ada")
    assert (User.find(ada.id).name, User.find(ada.id).password_digest) == ("Ada", digest)


def test_a_row_from_the_memory_is_changed_though_a_column_that_is_bound_comes_first(filled):
    ada, _ = filled
    User.find(ada.id)
    row = User.find(ada.id)
    assert row.name == ada.name
    with transaction():
        row.change(login_generation=5, name="Ada")
    assert (User.find(ada.id).name, User.find(ada.id).login_generation) == ("Ada", 5)


def test_a_row_from_the_memory_is_changed_in_columns_and_sealed_values_at_once(filled):
    ada, _ = filled
    for _ in range(2):
        row = DocumentToken.page(ada.id, 50, None)[0][0]
    secret = DocumentToken.find(row.id).kept_secret
    with transaction(ada.id):
        row.change(views=5, label="for them")
    found = DocumentToken.find(row.id)
    assert (found.views, found.label, found.kept_secret) == (5, "for them", secret)


def test_a_column_that_was_set_does_not_keep_a_row_from_the_memory_from_opening(filled):
    ada, _ = filled
    for _ in range(2):
        row = DocumentToken.page(ada.id, 50, None)[0][0]
    row.views = 5
    assert row.kept_secret == DocumentToken.find(row.id).kept_secret


def test_with_a_document_or_collection_goes_what_was_remembered_of_it(filled):
    ada, bob = filled
    document = upload(ada, name="a secret name.txt")
    collection = Collection.make(ada.id, "A secret title")
    for owner in (ada, bob):
        Document.page(owner.id, 50, None)
        Collection.page(owner.id, 50, None)
    assert "a secret name.txt" in entries()
    delete_document(document)
    assert "a secret name.txt" not in entries()
    assert "A secret title" in entries()
    delete_collection(collection)
    assert "A secret title" not in entries()
    assert "b.txt" in entries()


def test_with_an_expired_document_goes_what_was_remembered_of_it(filled, clock):
    ada, _ = filled
    upload(ada, name="a secret name.txt", expires_at=2**40 + 10**12)
    Document.page(ada.id, 50, None)
    assert "a secret name.txt" in entries()
    clock(2**40 + 10**12)
    sweep()
    assert "a secret name.txt" not in entries()


def test_with_an_account_goes_what_was_remembered_of_it_and_of_nobody_else(filled):
    ada, bob = filled
    for owner in (ada, bob):
        Document.page(owner.id, 50, None)
        DocumentToken.page(owner.id, 50, None)
        User.find(owner.id)
    before = len(memory())
    of_bob = len(memory()._about[bob.id])
    assert before > of_bob > 4
    delete_account(User.find(ada.id))
    finish_deletions()
    assert ada.id not in memory()._about
    assert len(memory()._about[bob.id]) >= of_bob
    assert f"'{ada.name}'" not in entries()
