"""Web pages, and what makes HTML of others harmless."""
