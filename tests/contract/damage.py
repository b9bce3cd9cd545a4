"""Alters what a running service has stored, as a fault of a disk would."""


def alter(service, table, column, where, by, **values):
    """Replace one stored value by what the function `by` makes of it."""
    ((stored,),) = service.sql(f"SELECT {column} FROM {table} WHERE {where}", **values)
    change = f"UPDATE {table} SET {column} = :altered WHERE {where}"
    assert service.sql(change, altered=by(stored), **values) == 1


def flipped(stored):
    """With one bit changed."""
    return stored[:40] + bytes([stored[40] ^ 1]) + stored[41:]
