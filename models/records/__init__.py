"""What every row can do: ids, insertion, sealing with a key of its own, belonging to a user."""
