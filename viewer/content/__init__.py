"""Media types and characters of documents."""
