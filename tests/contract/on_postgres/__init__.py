"""The contract's core once more, on PostgreSQL: the same tests, with services of that engine."""
