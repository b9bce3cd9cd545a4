"""All that the rows of an account say goes from one instance to another, but what is named."""

import json
import shutil
from collections.abc import Mapping

import pytest

from models import Document, connected, database, setup
from models.core import now
from models.links import Opening
from operations import export_accounts, import_accounts, verify_log
from operations.carried import ACCOUNT, CARRIED_TABLES, DOCUMENT, MEMBER, NOT_CARRIED
from operations.verification import check_contents
from tests.models.records.conftest import fill, fill_space
from tests.operations.test_moving import PASSPHRASE, elsewhere, export
from tests.service import ROOT
from tests.uploads import upload
from tests.values import AS_FILLED, mark, marker_of

pytestmark = pytest.mark.usefixtures("quick_passphrases")
__all__ = ["elsewhere", "export"]
ALL = (ACCOUNT, DOCUMENT, MEMBER, *CARRIED_TABLES.values())
ENDED_AT_ARRIVAL = {"revoked_at", "disabled_at", "disabled_reason"}  # of links and webhooks
FORMER = ROOT / "tests" / "operations" / "of_1_0_1"


def name_of(kind):
    return kind.name


@pytest.fixture
def filled(alice, bob):
    """Two people and a space with rows of every kind, all of whose values are their own."""
    fill(alice)
    fill_space(alice, bob)
    for kind in ALL:
        rows = kind.table.rows(kind.table.select())
        carried = [row for row in rows if kind.more(row) is not None and row.id != bob.id]
        assert carried, kind.name
        for row in carried:
            mark(row)


def rows_of(kind):
    """All rows of a kind with their values, by the id of each."""
    table = kind.table
    names = table.value_names()
    return {
        row.id: {name: getattr(row, name) for name in names} for row in table.rows(table.select())
    }


def as_json(value):
    if isinstance(value, Mapping):
        return {name: as_json(one) for name, one in value.items()}
    if isinstance(value, tuple):
        return [as_json(one) for one in value]
    return value.hex() if isinstance(value, bytes) else value


def test_every_value_arrives_but_those_that_its_kind_leaves_out(filled, export, elsewhere):
    before = {kind.name: rows_of(kind) for kind in ALL}
    assert export_accounts(export, PASSPHRASE).problems == []
    with elsewhere():
        import_accounts(export, PASSPHRASE)
        for kind in ALL:
            after = rows_of(kind)
            for id, row in before[kind.name].items():
                if kind.name == "recipient" and not row["address"]:
                    continue
                for name, value in row.items():
                    if name not in kind.left_out:
                        assert after[id][name] == value, (kind.name, name)
                    elif value == marker_of(kind.table, name):
                        assert after[id][name] != value, (kind.name, name)
        assert verify_log().breaks == []
        assert check_contents() == []


@pytest.mark.parametrize("kind", ALL, ids=name_of)
def test_a_kind_leaves_out_only_what_its_rows_say_and_says_why(kind):
    assert set(kind.left_out) <= set(kind.table.value_names())
    assert all(kind.left_out.values())
    assert set(AS_FILLED.get(kind.table.__name__, ())) <= set(kind.table.value_names())


def test_every_table_is_carried_or_named_as_one_that_is_not(instance):
    found = database.execute_sql("SELECT name FROM sqlite_master WHERE type = 'table'")
    tables = {name for (name,) in found}
    named = {kind.table._meta.table_name for kind in ALL} | NOT_CARRIED.keys()
    assert tables <= named, tables - named


def test_an_export_of_1_0_1_arrives_whole(instance, elsewhere, clock):
    before = json.loads((FORMER / "rows.json").read_text())
    exported_at = max(row["created_at"] for row in before["Document"].values())
    clock(exported_at - now())  # what was in the bin for a day stays away
    with elsewhere():
        imported = import_accounts(FORMER, PASSPHRASE)
        assert [len(one.absent_members) for one in imported] == [0, 0, 0]
        for kind in ALL:
            after = rows_of(kind)
            for id, row in before.get(kind.table.__name__, {}).items():
                if kind.name == "recipient" and not row["address"]:
                    continue
                for name in row.keys() - kind.left_out.keys() - ENDED_AT_ARRIVAL:
                    assert as_json(after[id][name]) == row[name], (kind.name, name)
        texts = rows_of(CARRIED_TABLES["text"])
        assert {one["text"] for one in texts.values()} == {"I keep it to myself."}
        assert len(texts) == 2  # the link was led to another document
        assert verify_log().breaks == []
        assert check_contents() == []
        (again, *_) = import_accounts(FORMER, PASSPHRASE)
        assert again.was_here


def test_an_export_goes_on_in_a_folder_of_1_0_1_in_the_form_of_today(
    alice, export, elsewhere, tmp_path
):
    shutil.copytree(FORMER, export)
    document = upload(alice, b"new", name="new.txt")
    export_accounts(export, PASSPHRASE)
    with elsewhere():
        (one,) = import_accounts(export, PASSPHRASE)
        assert one.id == alice.id
        assert Document.find(document.id).name == "new.txt"


def test_what_belongs_to_a_document_that_does_not_open_stays_away_with_it(
    alice, export, elsewhere, file
):
    fill(alice)
    opened = Opening.select().get().target_id
    file("UPDATE piece SET sealed = zeroblob(20) WHERE document_id = :id", id=opened)
    setup.open_runtime()
    with connected():
        assert export_accounts(export, PASSPHRASE).problems == [
            f"{opened} does not open, and is left out."
        ]
    with elsewhere():
        import_accounts(export, PASSPHRASE)
        assert Document.find(opened) is None
        assert Opening.select().count() == 0
        assert Document.select().count() == 2
