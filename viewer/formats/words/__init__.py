"""Documents, slides and books."""
