"""Parses untrusted bytes in a short-lived child process with hard resource limits.

`process` is the parent's side; all other modules run in the child process.
"""
