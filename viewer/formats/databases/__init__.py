"""Databases and columnar tables."""
