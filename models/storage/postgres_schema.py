"""The schema of the open database on a PostgreSQL server: what may be in it.

What would run inside the service prevents its start. All of the schema is compared with the one
that the migrations make, which `schema.txt` beside them lists: there is no empty database here in
which they could run.
"""

from collections import Counter
from pathlib import Path

from .postgres import database
from .schema import Schema, differences

_FOREIGN = """
    SELECT 'trigger ' || tgname FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
    WHERE NOT tgisinternal AND relnamespace = current_schema()::regnamespace
    UNION ALL
    SELECT 'rule ' || rulename FROM pg_rules WHERE schemaname = current_schema()
    UNION ALL
    SELECT 'policy ' || policyname FROM pg_policies WHERE schemaname = current_schema()
    ORDER BY 1"""
_SCHEMA = """
    WITH found AS (
        SELECT oid, relname, relkind, relpersistence FROM pg_class
        WHERE relnamespace = current_schema()::regnamespace AND relname <> 'schema_migration'
        AND oid NOT IN (SELECT objid FROM pg_depend WHERE deptype = 'e'))
    SELECT 'table ' || relname, concat(relkind, relpersistence) FROM found
    WHERE relkind IN ('r', 'p', 'v', 'm', 'f')
    UNION ALL
    SELECT 'column ' || relname || '.' || attname, concat_ws(
        ' ', format_type(atttypid, atttypmod), collname, CASE WHEN attnotnull THEN 'NOT NULL' END,
        'DEFAULT ' || pg_get_expr(adbin, adrelid), NULLIF(concat(attgenerated, attidentity), ''))
    FROM found JOIN pg_attribute ON attrelid = found.oid AND attnum > 0 AND NOT attisdropped
    LEFT JOIN pg_collation ON pg_collation.oid = attcollation
    LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
    WHERE relkind IN ('r', 'p', 'v', 'm', 'f')
    UNION ALL
    SELECT 'index ' || relname, pg_get_indexdef(indexrelid, 0, true)
    FROM pg_index JOIN found ON found.oid = indexrelid
    WHERE indrelid IN (SELECT oid FROM found)
    UNION ALL
    SELECT 'constraint ' || conname, pg_get_constraintdef(pg_constraint.oid, true)
    FROM pg_constraint JOIN found ON found.oid = conrelid WHERE contype <> 'n'"""


def foreign_objects() -> list[str]:
    """What somebody has put into the schema that would run inside the service."""
    return [f"{name} is foreign" for (name,) in database.execute_sql(_FOREIGN).fetchall()]


def table_differences(directory: str) -> list[str]:
    """How tables differ from those that all migrations of the directory make."""
    listed = Path(directory, "schema.txt").read_text().splitlines()
    expected = Counter((name, definition) for name, _, definition in map(_parts, listed))
    return list(differences(expected, current_schema()))


def current_schema() -> Schema:
    rows = database.execute_sql(_SCHEMA).fetchall()
    return Counter((name, definition) for name, definition in rows)


def _parts(line: str) -> tuple[str, str, str]:
    return line.partition(" = ")
