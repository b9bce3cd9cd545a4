"""The syntax of Python files, which a process parses once for all tests."""

import ast
from functools import cache


@cache
def tree_of(path):
    """The syntax tree of a file, which nobody changes."""
    return ast.parse(path.read_text())


@cache
def nodes_of(path):
    """All nodes of a file, in the order of `ast.walk`."""
    return tuple(ast.walk(tree_of(path)))
