"""Documents and slides."""
