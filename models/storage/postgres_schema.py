"""What somebody may have put into a PostgreSQL database that would run inside the service."""

from collections.abc import Iterable

from .postgres import database

_FOREIGN = """
    SELECT 'trigger ' || tgname FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
    WHERE NOT tgisinternal AND relnamespace = current_schema()::regnamespace
    UNION ALL
    SELECT 'rule ' || rulename FROM pg_rules WHERE schemaname = current_schema()
    UNION ALL
    SELECT 'policy ' || policyname FROM pg_policies WHERE schemaname = current_schema()
    ORDER BY 1"""


def schema_differences(_directory: str, _migrations: Iterable[str]) -> list[str]:
    """Each as `trigger x is foreign`. That tables are as the migrations make them is not compared:
    there is no empty database here to make them in.
    """
    return [f"{name} is foreign" for (name,) in database.execute_sql(_FOREIGN).fetchall()]
