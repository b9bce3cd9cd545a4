"""Rules of routes, which are matched and from which no address is built."""

import re
from collections import defaultdict
from collections.abc import Callable

from flask import Flask
from werkzeug.routing import Rule

from .declarations import declaration_of

_VARIABLE = re.compile("<[^<>]+>")


class MatchedRule(Rule):
    """A rule that compiles its functions to build an address only if one is called.

    To compile them for all routes takes a sixth of the processor time of a start.
    """

    def _compile_builder(self, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
        compiled = super()._compile_builder

        def build(rule: Rule, **values: object) -> tuple[str, str]:
            return compiled(append_unknown)(rule, **values)

        return build


def stepped_requests(app: Flask) -> Callable[[str, str], bool]:
    """Return a function of method and path: whether a route takes such a body in steps.

    The server asks it before it receives the body, when nothing is matched yet.
    """
    paths: dict[str, list[str]] = defaultdict(list)
    for rule in app.url_map.iter_rules():
        if declaration_of(app.view_functions[rule.endpoint]).stepped:
            for method in rule.methods or ():
                paths[method].append(_VARIABLE.sub("[^/]+", re.escape(rule.rule)))
    patterns = {method: re.compile("|".join(of_method)) for method, of_method in paths.items()}

    def is_stepped(method: str, path: str) -> bool:
        pattern = patterns.get(method)
        return pattern is not None and pattern.fullmatch(path) is not None

    return is_stepped
