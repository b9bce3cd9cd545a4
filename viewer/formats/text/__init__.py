"""Texts, source code, Markdown and notebooks."""
