"""The schema that the migrations make in their order; and how connections are hardened."""

import pytest

from models import setup
from models.storage import close_database, database, pragma, schema_differences, sqlite_files


def test_migrations_in_another_order_make_their_own_schema(tmp_path):
    setup.open_database(str(tmp_path / "documents.sqlite"))
    with database.connection_context():
        made = list(setup.Runner(database, setup.MIGRATIONS).applied())
        late = [name for name in made if name.startswith("0006")]
        other = [name for name in made if name not in late] + late

        assert schema_differences(setup.MIGRATIONS, made) == []
        assert any("was altered" in one for one in schema_differences(setup.MIGRATIONS, other))
        assert "table event is foreign" in schema_differences(setup.MIGRATIONS, made[:1])
    close_database()


def test_no_connection_trusts_the_schema(instance, tmp_path):
    assert (pragma("trusted_schema"), pragma("cell_size_check")) == (0, 1)

    with sqlite_files._opened(tmp_path / "documents.sqlite") as copy:
        for name, value in (("trusted_schema", 0), ("cell_size_check", 1)):
            assert copy.execute(f"PRAGMA {name}").fetchone() == (value,)


@pytest.mark.parametrize("written", ['"user_account"', "`user_account`", "[user_account]"])
def test_quotes_and_spaces_make_no_difference(written):
    assert (
        setup.storage.schema._plain(f"REFERENCES  {written}\n(id)") == "referencesuser_account(id)"
    )
