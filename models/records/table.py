"""What every table has."""

from functools import cache
from typing import Any, ClassVar, Self

from peewee import BigIntegerField, Model, TextField

from ..storage import database
from .ids import generate_id, now


class Table(Model):
    """A row with an id that sorts by creation and the moment it was made."""

    PREFIX: ClassVar[str]

    id = TextField(primary_key=True)
    created_at = BigIntegerField()

    class Meta:
        database = database
        legacy_table_names = False

    @classmethod
    def fresh(cls, **fields: Any) -> Any:
        """A new row, not stored yet; store it with `insert_row`."""
        return cls(id=generate_id(cls.PREFIX), created_at=now(), **fields)

    def insert_row(self) -> None:
        names = self._meta.sorted_field_names
        database.execute_sql(_insertion(type(self)), [self.__data__.get(name) for name in names])

    @classmethod
    def rows(cls, condition: str, **values: Any) -> list[Self]:
        """The rows of a condition in SQL, with `:name` for values.

        Fixed text: to build a query costs ten times what it costs to run it.
        """
        found = database.execute_sql(f"{_selection(cls)} WHERE {condition}", values)
        return [cls._of_row(row) for row in found.fetchall()]

    @classmethod
    def _of_row(cls, row: tuple[Any, ...]) -> Self:
        loaded = cls(__no_default__=1)
        loaded.__data__ = dict(zip(cls._meta.sorted_field_names, row, strict=True))
        return loaded

    def change(self, **fields: Any) -> None:
        """Store new values of some columns."""
        for name, value in fields.items():
            setattr(self, name, value)
        self.save(only=list(fields))


@cache
def _insertion(table: type[Table]) -> str:
    names = table._meta.sorted_field_names
    marks = ", ".join("?" * len(names))
    return f"INSERT INTO {table._meta.table_name} ({', '.join(names)}) VALUES ({marks})"  # noqa: S608


@cache
def _selection(table: type[Table]) -> str:
    names = ", ".join(table._meta.sorted_field_names)
    return f"SELECT {names} FROM {table._meta.table_name}"  # noqa: S608
