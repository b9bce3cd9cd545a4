"""Spreadsheets and tables."""
