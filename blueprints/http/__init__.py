"""What surrounds a handler: who calls, what a body may be, limits, errors, the access log."""
