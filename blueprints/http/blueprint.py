"""flask-smorest with strict parsing and one fixed order of the steps around a handler."""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import flask_smorest
import marshmallow
from flask import Request, Response, request
from webargs.flaskparser import FlaskParser

from models.core import Busy

from .body import SMALL_BODY_BYTES, parse_json, read_upload, seekable_body
from .caller import current_application, current_request
from .declarations import (
    Declaration,
    ResolveCaller,
    Spend,
    View,
    declaration_of,
    declare,
    declared,
    is_form,
)
from .idempotency import replay_responses
from .multipart import FORM_DATA, read_parts, upload_form
from .problems import UnsupportedMediaType, report_allowance
from .serving import step_of

BINARY = {"type": "string", "format": "binary"}
BYTES = "application/octet-stream"  # described beside types that generators don't support
_UPLOAD_TYPES = "Send multipart/form-data, as curl -F file=@report.pdf does, or application/json."


class GaveWay(Busy):
    """All that has come of the body was kept, and it ends so that somebody else finds a place."""

    sentence = "Others wait to send. Go on in a moment."
    retry_after_seconds = 1


class StrictArgumentsParser(FlaskParser):
    DEFAULT_UNKNOWN_BY_LOCATION = {"query": marshmallow.RAISE, "json": None}

    def parse(
        self, argmap: Any, req: Any = None, *, location: str | None = None, **options: Any
    ) -> Any:
        """Parse a part of a request; the body of an upload as a form has a schema of its own."""
        req = req or self.get_default_request()
        form = None if location == "query" else upload_form(req)
        return super().parse(form or argmap, req, location=location, **options)

    def get_default_request(self) -> Request:
        return current_request()

    def load_json(self, req: Request, schema: marshmallow.Schema) -> Any:
        if is_form(req):
            return {"password": ""} | {name: req.form[name] for name in req.form if name != "token"}
        if not req.content_length and not _has_required(schema):
            return {}
        if schema is upload_form(req):
            return read_parts(seekable_body(req), req.content_type or "")
        if req.mimetype != "application/json":
            raise UnsupportedMediaType(_UPLOAD_TYPES if declared(req).form else None)
        if declared(req).uploads_as_json:
            return read_upload(seekable_body(req))
        return parse_json(req.get_data())

    def load_querystring(self, req: Request, _schema: marshmallow.Schema) -> dict[str, str]:
        """Return the query by name, without credentials, which have been read before.

        Abort with 422 if a name occurs twice.
        """
        query = {}
        for name, values in req.args.lists():
            if name in ("token", "ticket"):
                continue
            if len(values) > 1:
                messages = {"query": {name: ["Give this once."]}}
                flask_smorest.abort(422, messages=messages)
            query[name] = values[0]
        return query


class ApiBlueprint(flask_smorest.Blueprint):
    """A blueprint whose operations are named after their handlers."""

    ARGUMENTS_PARSER = StrictArgumentsParser()

    def arguments(self, schema: marshmallow.Schema, **options: Any) -> Any:
        """Declare the schema of the arguments; a body without required fields may be absent."""
        options.setdefault("required", _has_required(schema))
        return super().arguments(schema, **options)

    def _with_responses_of_original(self, view: Any) -> Any:
        """Describe the responses of a handler that returns bytes as their type, or a range."""
        described = self.response(200, BINARY, content_type=BYTES)(view)
        for status, type in ((200, "*/*"), (206, BYTES), (206, "*/*")):
            described = self.alt_response(status, schema=BINARY, content_type=type)(described)
        described = self.alt_response(304, description="What the client has is current.")(described)
        return _called_directly(view, described)

    def returns_file(self, *types: str) -> Callable[[Any], Any]:
        """Declare that a handler returns a file of one of these types.

        It returns the file as plain bytes if the client's `Accept` asks for them.
        """

        def returning_file(view: Any) -> Any:
            @wraps(view)
            def as_accepted(*args: Any, **kwargs: Any) -> Response:
                response: Response = view(*args, **kwargs)
                response.vary.add("Accept")
                served = [response.mimetype or BYTES, BYTES]
                if request.accept_mimetypes.best_match(served) == BYTES:
                    response.content_type = BYTES
                return response

            described = self.response(200, BINARY, content_type=BYTES)(as_accepted)
            for type in types:
                described = self.alt_response(200, schema=BINARY, content_type=type)(described)
            return described

        return returning_file

    def route(
        self,
        rule: str,
        *,
        accepts: Sequence[str],
        scope: str | Sequence[str] = (),
        for_members: bool = False,
        permission: str = "",
        idempotent: bool = False,
        handles_key: bool = False,
        spend: Spend | None = None,
        form: marshmallow.Schema | None = None,
        uploads_as_json: bool = False,
        stepped: bool = False,
        returns_original: bool = False,
        resolve_caller: ResolveCaller | None = None,
        also: Sequence[str] = (),
        **options: Any,
    ) -> Any:
        """Register a handler at a path, and `also` at others, with its `Declaration`.

        `scope` is one or several.
        """
        declaration = Declaration(
            accepts=tuple(accepts),
            scopes=(scope,) if isinstance(scope, str) else tuple(scope),
            permission=permission,
            for_members=for_members,
            resolve_caller=resolve_caller,
            idempotent=idempotent,
            handles_key=handles_key,
            spend=spend,
            form=form,
            uploads_as_json=uploads_as_json,
            stepped=stepped,
            returns_original=returns_original,
        )

        def registered(view: Any) -> Any:
            declare(view, declaration)
            return self._register(view, rule, *also, **options)

        return registered

    def _register(self, view: Any, *rules: str, **options: Any) -> Any:
        """Register an operation at each path, named after the handler and, if further, its noun."""
        name = f"{self.name}_{view.__name__}"
        declaration = declaration_of(view)
        form = _form_description(declaration.form)
        if declaration.returns_original:
            view = self._with_responses_of_original(view)
        if declaration.spend:
            view = count_requests(view, declaration.spend)
        if declaration.idempotent and not declaration.handles_key:
            view = replay_responses(view)
        if declaration.stepped:
            view = give_way(view)
        for rule in rules[::-1]:
            noun = rule.strip("/").partition("/")[0].removesuffix(".png").replace("-", "_")
            of = "" if rule is rules[0] else f"_of_{noun}"
            registered = super().route(rule, **options)
            described = self.doc(operationId=name + of, **form)(view)
            registered(_called_directly(view, described))
        return view


def _called_directly(view: View, described: View) -> View:
    """Return a view with what another describes, which is not called: it calls the view itself.

    flask-smorest wraps a view for each thing that it describes. Where a view returns whole
    responses these wrappers do nothing; the six of one take 4 % of reading a small document.
    """

    @wraps(described)
    def calling(*args: Any, **path: Any) -> Any:
        return view(*args, **path)

    return calling


def count_requests(view: View, spend: Spend) -> View:
    """Wrap the view so that `spend` counts each request first."""

    @wraps(view)
    def counting(*args: Any, **path: Any) -> Any:
        report_allowance(spend())
        return view(*args, **path)

    return counting


def give_way(view: View) -> View:
    """Wrap the view so that a body in steps ends after a step when others wait for its place."""

    @wraps(view)
    def giving_way(*args: Any, **path: Any) -> Any:
        response = view(*args, **path)
        step = step_of(request)
        if step is not None and step.gives_way:
            raise GaveWay
        return response

    return giving_way


def limit_body(request: Request) -> None:
    """Limit the body of an upload to `MAX_BODY_BYTES`, and every other body to 64 KiB.

    A body that comes in steps has no limit here.
    """
    declaration = declared(request)
    if declaration.stepped:
        return
    is_upload = upload_form(request) or declaration.uploads_as_json
    longest = current_application().config["MAX_BODY_BYTES"] if is_upload else SMALL_BODY_BYTES
    request.max_content_length = longest


def max_body_bytes(max_document_bytes: int) -> int:
    """Return the length of the longest upload: base64 with line ends, and the other fields."""
    return max_document_bytes * 4 // 3 * 27 // 25 + SMALL_BODY_BYTES


def _form_description(schema: marshmallow.Schema | None) -> dict[str, Any]:
    return {"requestBody": {"content": {FORM_DATA: {"schema": schema}}}} if schema else {}


def _has_required(schema: marshmallow.Schema) -> bool:
    return any(field.required for field in schema.fields.values())
