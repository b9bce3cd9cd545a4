"""Workbooks and tables."""
