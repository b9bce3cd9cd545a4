"""flask-smorest made strict: what is not exactly JSON, or not asked for, is refused."""

import json
import re
from typing import Any

import flask_smorest
import marshmallow
from flask import Request, current_app, request
from webargs.flaskparser import FlaskParser

from .errors import MalformedJson, UnsupportedMediaType

MAX_DEPTH = 32
SMALL_BODY_BYTES = 64 << 10
_STRING_OR_BRACKET = re.compile(rb'"(?:[^"\\]|\\.)*"?|[\[\]{}]', re.S)


class Parser(FlaskParser):
    DEFAULT_UNKNOWN_BY_LOCATION = {"query": marshmallow.RAISE, "json": None}

    def load_json(self, req: Request, schema: marshmallow.Schema) -> Any:
        if not req.content_length and not _has_required(schema):
            return {}
        if req.mimetype != "application/json":
            raise UnsupportedMediaType
        return strict_json(req.get_data())

    def load_querystring(self, req: Request, schema: marshmallow.Schema) -> Any:
        """The credential in `token` is the hook's; of other names each may come once."""
        given = req.args.copy()
        given.pop("token", None)
        for name, values in given.lists():
            if len(values) > 1:
                messages = {"query": {name: ["Give this once."]}}
                flask_smorest.abort(422, messages=messages)
        return self._makeproxy(given, schema)


class Blueprint(flask_smorest.Blueprint):
    """A blueprint whose operations are named after their handlers."""

    ARGUMENTS_PARSER = Parser()

    def route(self, rule: str, *, parameters: Any = None, tags: Any = None, **options: Any) -> Any:
        register = super().route(rule, parameters=parameters, tags=tags, **options)

        def named(view: Any) -> Any:
            operation = f"{self.name.replace('-', '_')}_{view.__name__}"
            return register(flask_smorest.Blueprint.doc(operationId=operation)(view))

        return named


def strict_json(raw: bytes) -> Any:
    """RFC 8259, UTF-8, no name twice, no NaN, at most 32 deep; otherwise `MalformedJson`."""
    _refuse_deep(raw)
    try:
        text = raw.decode()
        return json.loads(text, object_pairs_hook=_once_each, parse_constant=_refuse_constant)
    except UnicodeDecodeError:
        raise MalformedJson("The body is not UTF-8.") from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise MalformedJson(f"The body is not JSON: {error.msg}, {place}.") from None
    except ValueError:
        raise MalformedJson("A number in the body has too many digits.") from None


def _refuse_deep(raw: bytes) -> None:
    if raw.count(b"[") + raw.count(b"{") <= MAX_DEPTH:
        return
    depth = 0
    for found in _STRING_OR_BRACKET.finditer(raw):
        depth += {b"[": 1, b"{": 1, b"]": -1, b"}": -1}.get(found[0], 0)
        if depth > MAX_DEPTH:
            raise MalformedJson(f"The body is nested more than {MAX_DEPTH} deep.")


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read = dict(pairs)
    if len(read) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise MalformedJson(f"The name {twice[:80]!a} is there twice.")
    return read


def _refuse_constant(name: str) -> None:
    raise MalformedJson(f"{name} is not JSON.")


def _has_required(schema: marshmallow.Schema) -> bool:
    return any(field.required for field in schema.fields.values())


def takes_uploads(view: Any) -> Any:
    """Mark the handler whose body may be as large as a document in base64."""
    view.takes_uploads = True
    return view


def limit_body() -> None:
    """The hook that keeps every other body small."""
    view = current_app.view_functions.get(request.endpoint or "")
    large = getattr(view, "takes_uploads", False)
    request.max_content_length = current_app.config["MAX_BODY_BYTES"] if large else SMALL_BODY_BYTES


def body_bytes(document_bytes: int) -> int:
    """The longest body a document of this size may come in: base64 with line ends, and fields."""
    return document_bytes * 4 // 3 * 27 // 25 + SMALL_BODY_BYTES
