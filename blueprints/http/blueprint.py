"""flask-smorest made strict: what is not exactly JSON, or not asked for, is refused."""

from typing import Any

import flask_smorest
import marshmallow
from flask import Request, current_app, request
from webargs.flaskparser import FlaskParser

from .authentication import FORM
from .problems import UnsupportedMediaType
from .strict_json import exact_json
from .upload_body import SMALL_BODY_BYTES, read_upload, seekable_body


class StrictArgumentsParser(FlaskParser):
    DEFAULT_UNKNOWN_BY_LOCATION = {"query": marshmallow.RAISE, "json": None}

    def load_json(self, req: Request, schema: marshmallow.Schema) -> Any:
        if _is_marked(req, "takes_form") and req.mimetype == FORM:
            return {"password": ""} | {name: req.form[name] for name in req.form if name != "token"}
        if not req.content_length and not _has_required(schema):
            return {}
        if req.mimetype != "application/json":
            raise UnsupportedMediaType
        if _is_marked(req, "takes_uploads"):
            return read_upload(seekable_body(req))
        return exact_json(req.get_data())

    def load_querystring(self, req: Request, schema: marshmallow.Schema) -> Any:
        """The credential in `token` is the hook's; of other names each may come once."""
        given = req.args.copy()
        given.pop("token", None)
        for name, values in given.lists():
            if len(values) > 1:
                messages = {"query": {name: ["Give this once."]}}
                flask_smorest.abort(422, messages=messages)
        return self._makeproxy(given, schema)


class ApiBlueprint(flask_smorest.Blueprint):
    """A blueprint whose operations are named after their handlers."""

    ARGUMENTS_PARSER = StrictArgumentsParser()

    def arguments(self, schema: marshmallow.Schema, **options: Any) -> Any:
        """A body may be left out if nothing in it is required."""
        return super().arguments(schema, required=_has_required(schema), **options)

    def route(self, rule: str, *, parameters: Any = None, tags: Any = None, **options: Any) -> Any:
        register = super().route(rule, parameters=parameters, tags=tags, **options)

        def named(view: Any) -> Any:
            operation = f"{self.name.replace('-', '_')}_{view.__name__}"
            return register(flask_smorest.Blueprint.doc(operationId=operation)(view))

        return named


def _is_marked(req: Request, mark: str) -> bool:
    view = current_app.view_functions.get(req.endpoint or "")
    return getattr(view, mark, False)


def _has_required(schema: marshmallow.Schema) -> bool:
    return any(field.required for field in schema.fields.values())


def takes_uploads(view: Any) -> Any:
    """Mark the handler whose body may be as large as a document in base64."""
    view.takes_uploads = True
    return view


def takes_form(view: Any) -> Any:
    """Mark a handler that a page's form may call."""
    view.takes_form = True
    return view


def limit_body() -> None:
    """The hook that keeps every other body small."""
    large = current_app.config["MAX_BODY_BYTES"]
    request.max_content_length = large if _is_marked(request, "takes_uploads") else SMALL_BODY_BYTES


def body_bytes(document_bytes: int) -> int:
    """The longest body a document of this size may come in: base64 with line ends, and fields."""
    return document_bytes * 4 // 3 * 27 // 25 + SMALL_BODY_BYTES
