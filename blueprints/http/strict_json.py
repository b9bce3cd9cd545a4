"""Strict JSON (RFC 8259): UTF-8, unique names, no NaN, at most 32 deep, no endless numbers."""

import json
import re
from collections import Counter
from typing import Any

from .problems import MalformedJson

MAX_DEPTH = 32
_STRING_OR_BRACKET = re.compile(rb'"(?:[^"\\]|\\.)*"?|[\[\]{}]', re.S)


def parse_json(raw: bytes) -> Any:
    """The value of a JSON text. Raises `MalformedJson` with a sentence for the client."""
    refuse_deep_nesting(raw)
    try:
        text = raw.decode()
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse_constant)
    except UnicodeDecodeError:
        raise MalformedJson("The body is not UTF-8.") from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise MalformedJson(f"The body is not JSON: {error.msg}, {place}.") from None
    except ValueError:
        raise MalformedJson("A number in the body has too many digits.") from None


def refuse_deep_nesting(raw: bytes) -> None:
    if raw.count(b"[") + raw.count(b"{") <= MAX_DEPTH:
        return
    depth = 0
    for found in _STRING_OR_BRACKET.finditer(raw):
        depth += {b"[": 1, b"{": 1, b"]": -1, b"}": -1}.get(found[0], 0)
        if depth > MAX_DEPTH:
            raise MalformedJson(f"The body is nested more than {MAX_DEPTH} deep.")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        [(twice, _)] = Counter(name for name, _ in pairs).most_common(1)
        raise MalformedJson(f"The name {twice[:80]!a} is there twice.")
    return value


def _refuse_constant(name: str) -> None:
    raise MalformedJson(f"{name} is not JSON.")
