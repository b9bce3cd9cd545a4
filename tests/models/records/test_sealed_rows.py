"""Sealed rows: whoever alters a bound column, or moves a sealed text, has a row that does not open.

Every sealed table of both engines has a filled row here, which is altered by SQL.
"""

import itertools
import re
from contextlib import contextmanager

import pytest
from peewee import BlobField

from crypto import DecryptionError, RootKeyMissing
from models import (
    ApiKey,
    Document,
    DocumentToken,
    Event,
    EventHead,
    Session,
    User,
    current_runtime,
    database,
    transaction,
)
from models.account_deletion import delete_account, finish_deletions
from models.background import sweep
from models.core import KeyRevoked, NotFound, WrongCredentials
from models.links import SealedByTarget
from models.records import KeyedRow, SealedByOwner, SealedByService, SealedRow
from models.setup import TABLES_WITH_KEYS
from models.storage import engine
from operations import key_rotation, verification
from operations.verification import SEALED_TABLES
from tests.models.records.conftest import LIMIT
from tests.service import ROOT

UNDER = {
    KeyedRow: "its own key",
    SealedByOwner: "the key of its owner",
    SealedByTarget: "the key of its target",
    SealedByService: "the key of the service",
}
OTHERS = {  # by type: values that are put in place of another
    int: [0, 1, 7, LIMIT],
    str: ["", "x", "usr_0", "documents:delete", "view download"],
    bytes: [b"", b"x", bytes(32)],
}


def columns(table):
    return {field.name: field.column_name for field in table._meta.sorted_fields}


def bound(table):
    return [name for name in columns(table) if name not in {*table.UNBOUND, "sealed"}]


def alter(row, **values):
    """Alter columns of a row in SQL, and return the row as it is stored then."""
    table = type(row)
    names = columns(table)
    assignments = ", ".join(f"{names[name]} = :new_{name}" for name in values)
    is_it = " AND ".join(f"{names[name]} = :{name}" for name in table.KEY)
    statement = f"UPDATE {table._meta.table_name} SET {assignments} WHERE {is_it}"
    key = {name: getattr(row, name) for name in table.KEY}
    given = {f"new_{name}": value for name, value in values.items()}
    assert database.execute_sql(statement, key | given).rowcount == 1
    query = table.select()
    for name in table.KEY:
        query = query.where(getattr(table, name) == values.get(name, key[name]))
    (found,) = table.rows_as_stored(query)
    return found


class UndoneError(Exception):
    pass


@contextmanager
def undone():
    """Take back what the block does."""
    try:
        with database.atomic():
            yield
            raise UndoneError
    except UndoneError:
        pass


def attempts(row, **values):
    """Whether the altered row opens; None where the database does not take the values."""
    opens = None
    try:
        with undone():
            if engine().is_shared:
                database.execute_sql("SET CONSTRAINTS ALL DEFERRED")
            altered = alter(row, **values)
            try:
                opens = altered.opens()
            except RootKeyMissing:
                opens = False
            shown = [one.id for one in type(row).opened(type(row).rows_as_stored(all_of(row)))]
            assert (altered.id in shown) == opens
    except Exception as error:
        if not re.search("constraint|violates|datatype|invalid|unique|UNIQUE|type", str(error)):
            raise
    return opens


def all_of(row):
    return type(row).select()


def rows_of(table):
    found = table.rows_as_stored(table.select().order_by(table.id))
    assert found, f"There is no row of {table}."
    return found


def of_each_shape(rows):
    """One of the rows that have values in the same columns."""
    names = columns(type(rows[0]))
    shapes = {tuple(getattr(row, name) is None for name in names): row for row in rows}
    return list(shapes.values())


@pytest.mark.slow
def test_a_row_with_any_bound_column_altered_does_not_open(filled):
    refused = set()
    for table in SEALED_TABLES:
        nullable = {field.name for field in table._meta.sorted_fields if field.null}
        for row, name in itertools.product(of_each_shape(rows_of(table)), bound(table)):
            value = getattr(row, name)
            assert row.opens(), row.id
            values = list(OTHERS[type(value)]) if value is not None else [1, "x"]
            if isinstance(value, int):
                values += [value + 1, value - 1, -value]
            if isinstance(value, str):
                values += [value + " ", value.upper(), value[:-1]]
            if isinstance(value, bytes):
                values += [value + b"\0", value[:-1]]
            if name in nullable:
                values.append(None)
            for other in values:
                if other != value:
                    opens = attempts(row, **{name: other})
                    assert not opens, (table, row.id, name, value, other)
                    if opens is False:
                        refused.add((table, name))
    every = {(table, name) for table in SEALED_TABLES for name in bound(table)}
    by_keys = {"id", "owner_id", "token_id", "user_id", "webhook_id"}  # primary and foreign ones
    assert {name for _, name in every - refused} == by_keys


@pytest.mark.slow
def test_a_sealed_text_that_is_altered_or_of_another_row_does_not_open(filled):
    for table in SEALED_TABLES:
        rows = rows_of(table)
        for row in of_each_shape(rows):
            texts = [None, b"", row.sealed[:-1], row.sealed + b"\0", bytes(len(row.sealed))]
            texts += [row.sealed[:-1] + bytes([row.sealed[-1] ^ 1])]
            texts += [other.sealed for other in rows if other.sealed != row.sealed]
            for text in texts:
                assert attempts(row, sealed=text) is False, (table, row.id)


@pytest.mark.slow
def test_a_row_with_the_key_or_all_of_another_one_does_not_open(filled):
    for table in TABLES_WITH_KEYS:
        for row, other in itertools.permutations(rows_of(table)[:4], 2):
            assert attempts(row, sealed_key=other.sealed_key) is False
            moved = {name: getattr(other, name) for name in ("root", "sealed_key", "sealed")}
            assert attempts(row, **moved) is False
            assert attempts(row, sealed_key=bytes(104)) is False
            assert attempts(row, root="0123456789abcdef") is False


@pytest.mark.slow
def test_columns_that_are_not_bound_may_change(filled):
    count = 0
    for table in SEALED_TABLES:
        own = set(table.UNBOUND) - {"root", "sealed_key"}
        for row, name in itertools.product(rows_of(table), own):
            is_bytes = isinstance(getattr(table, name), BlobField)
            other = b"7" if is_bytes else 7
            assert attempts(row, **{name: other}) is True, (table, name)
            count += 1
    assert count


@pytest.mark.slow
def test_a_column_that_is_not_bound_and_holds_what_it_never_takes_opens_no_row(filled):
    typed = engine().is_shared  # a server takes no value of another type
    count = 0
    for table in SEALED_TABLES:
        own = set(table.UNBOUND) - {"root", "sealed_key"}
        for row, name in itertools.product(rows_of(table), own):
            if isinstance(getattr(table, name), BlobField):
                others = [] if typed else ["7", 7]
            else:
                others = [-1] if typed else ["x", b"7", 1.5, -1, 1 << 60]
            for other in others:
                assert attempts(row, **{name: other}) is False, (table, name, other)
                count += 1
    assert count


@pytest.mark.slow
def test_a_list_with_a_row_that_does_not_open_shows_the_others_and_names_it_once(filled, caplog):
    for table in SEALED_TABLES:
        if table.__name__ == "ServiceKey":
            continue
        with undone():
            broken, *others = rows_of(table)
            alter(broken, sealed=None)
            caplog.clear()
            for _ in range(2):
                shown = {one.id for one in table.opened(rows_of(table))}
                assert shown == {one.id for one in others}, table
                assert table.first(all_of(broken).where(table.id == broken.id)) is None
            assert sum(broken.id in line for line in caplog.messages) == 1
            if table is not EventHead:
                line = f"{broken.id} was altered outside of the service, and is refused."
                assert line in verification.check_rows()


def test_pages_of_an_owner_leave_out_what_does_not_open(filled):
    ada, _ = filled
    for table in (Document, Session, ApiKey, DocumentToken):
        with undone():
            rows, _ = table.page(ada.id, 50, None)
            alter(rows[0], sealed=b"x")
            after, _ = table.page(ada.id, 50, None)
            assert [one.id for one in after] == [one.id for one in rows[1:]]
            with pytest.raises(NotFound):
                table.one_of(ada.id, rows[0].id)


def test_a_row_whose_root_key_is_missing_waits_and_is_not_called_altered(filled, caplog):
    document, *others = Document.page(filled[0].id, 50, None)[0]
    alter(document, root="0123456789abcdef")
    caplog.clear()
    assert Document.page(filled[0].id, 50, None)[0] == others
    assert "Root key 0123456789abcdef is not in the keyring" in caplog.text
    with pytest.raises(RootKeyMissing):
        Document.find(document.id)
    problems = verification.check_rows()
    assert problems
    assert all("Root key 0123456789abcdef" in one for one in problems)
    assert sweep() == 0
    assert "altered" not in caplog.text

    alter(document, root=document.root)
    assert Document.find(document.id).name == document.name
    assert verification.check_rows() == []


def test_every_table_with_a_sealed_text_is_among_those_that_are_verified():
    assert set(leaves(SealedRow)) == set(SEALED_TABLES)


def leaves(table):
    """The classes below this one that have none below them."""
    below = table.__subclasses__()
    return [leaf for one in below for leaf in leaves(one)] if below else [table]


def test_the_page_of_the_architecture_says_what_each_table_is_sealed_under():
    page = (ROOT / "docs" / "architecture.md").read_text()
    stated = re.findall(
        r"^\| `(\w+)` \| (its own key|the key of .+?) \| (.+?) \| (.+?) \|$", page, re.M
    )
    expected = []
    for table in SEALED_TABLES:
        (under,) = [words for base, words in UNDER.items() if issubclass(table, base)]
        unbound = [columns(table)[name] for name in table.UNBOUND]
        named = (unbound, table.sealed_names())
        lists = (", ".join(f"`{name}`" for name in names) or "–" for names in named)
        expected.append((table._meta.table_name, under, *lists))
    assert stated == expected


def test_a_column_without_a_value_binds_nothing(filled):
    document = Document.page(filled[0].id, 1, None)[0][0]
    assert b"binned_at" not in document._bound()
    with transaction(filled[0].id):
        document.change(binned_at=7)
    assert b"\nbinned_at=7\n" in document._bound()


def test_a_change_applies_to_the_row_as_it_is_now(filled):
    stale = ApiKey.issue(filled[0], None, "documents:read", None).row
    with transaction():
        ApiKey.find(stale.id).change(scopes="events:read")
        stale.change(name="another")
    found = ApiKey.find(stale.id)
    assert (found.scopes, found.name) == ("events:read", "another")
    assert stale.scopes == "events:read"


def test_a_change_does_not_seal_what_was_altered(filled):
    key = ApiKey.issue(filled[0], None, "documents:read", None)
    alter(key.row, scopes="documents:delete")
    with transaction():
        altered = ApiKey.as_stored(key.id)
        with pytest.raises(NotFound):
            altered.change(expires_at=5)
        with pytest.raises(NotFound):
            ApiKey.as_stored(key.id).change(name="x")
    with pytest.raises(KeyRevoked):
        ApiKey.of_secret(key.secret)


@pytest.mark.parametrize("table", SEALED_TABLES, ids=lambda table: table.__name__)
def test_bound_columns_are_changed_by_nothing_that_does_not_seal_them(table):
    for name in (*bound(table), "sealed"):
        for call in (
            lambda: table.update({name: 1}),  # noqa: B023
            lambda: table.update({getattr(table, name): 1}),  # noqa: B023
            lambda: table.update(**{name: 1}),  # noqa: B023
        ):
            with pytest.raises(ValueError, match=name):
                call()


def test_no_statement_in_the_code_changes_a_bound_column():
    columns_of = {table._meta.table_name: {*bound(table), "sealed"} for table in SEALED_TABLES}
    statement = re.compile(r"UPDATE (\w+)\s+SET (.*?)(?:WHERE|\"\"\")", re.S)
    for path in (*ROOT.glob("models/**/*.py"), *ROOT.glob("operations/*.py")):
        for table, assignments in statement.findall(path.read_text()):
            names = set(re.findall(r"(\w+) =", assignments))
            assert not names & columns_of.get(table, set()), path


def test_a_name_that_stores_nothing_is_no_change(filled):
    with transaction(), pytest.raises(AttributeError):
        filled[0].change(nickname="x")


def test_keys_of_owners_in_memory_go_with_an_account(filled):
    ada, bob = filled
    assert ApiKey.rows(ApiKey.select().where(ApiKey.owner_id == ada.id))
    delete_account(User.find(ada.id))
    finish_deletions()
    assert type(ada).unwrapped.cache_info().currsize <= 2
    assert User.find(bob.id).name == "bob"


def test_a_rotation_rewraps_keys_and_no_text(filled):
    before = {row.id: row.sealed for table in SEALED_TABLES for row in rows_of(table)}
    if engine().is_shared:
        pytest.skip("the keyring of several machines is changed by hand")
    key_rotation.rotate_root_keys()
    after = {row.id: row.sealed for table in SEALED_TABLES for row in rows_of(table)}
    changed = {id for id in before if after[id] != before[id]}
    assert changed == {"service"}  # the head of its log, which tells of the rotation
    assert verification.check_rows() == []


def test_an_altered_id_does_not_write_lines_into_the_log(filled, caplog):
    key = ApiKey.issue(filled[0], None, "documents:read", None)
    alter(key.row, id="key_1\na line")
    with pytest.raises(KeyRevoked):
        ApiKey.of_secret(key.secret)
    assert caplog.messages[0].startswith("key_1?a?line was altered")


def test_what_the_sweeper_does_with_documents_it_does_with_those_that_open(filled):
    ada, _ = filled
    due, altered, *_ = Document.page(ada.id, 50, None)[0]
    with transaction(ada.id):
        due.change(expires_at=1)
    alter(altered, expires_at=1)
    assert sweep() == 1
    assert Document.as_stored(altered.id)
    assert not Document.as_stored(due.id)


def test_a_login_whose_password_is_changed_before_its_session_begins_is_refused(filled):
    identified = User.identify("ada@example.org", "correct horse battery", "")
    User.find(identified.id).change_password("another password", kept_session_id="")
    with pytest.raises(WrongCredentials):
        Session.begin(identified, 3600)


def test_of_two_password_changes_with_the_same_old_one_the_second_is_refused(filled):
    first, second = (
        User.identify("ada@example.org", "correct horse battery", "") for _ in range(2)
    )
    first.change_password("a first password", kept_session_id="")
    with pytest.raises(WrongCredentials):
        second.change_password("a second password", kept_session_id="")
    assert User.identify("ada@example.org", "a first password", "") == first


def test_a_login_is_refused_when_the_account_is_disabled_before_its_session_begins(filled):
    identified = User.identify("ada@example.org", "correct horse battery", "")
    User.of_email("ada@example.org").disable()
    with pytest.raises(WrongCredentials):
        Session.begin(identified, 3600)


def test_a_text_in_a_row_that_does_not_open_is_not_read(filled):
    document = Document.page(filled[0].id, 1, None)[0][0]
    altered = alter(document, size=document.size + 1)
    with pytest.raises(DecryptionError):
        _ = altered.name
    assert current_runtime().altered_rows == set()
    assert Event.select().count() > 0
