"""The Flask application, without what Flask and werkzeug do for others at every request."""

from collections.abc import Iterable
from json import JSONEncoder
from typing import Any

import flask
from flask import Flask, Request
from flask.json.provider import DefaultJSONProvider
from werkzeug.routing import MapAdapter

_HEADERS = [
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cache-Control", "private, no-store"),
]


class Response(flask.Response):
    """Has the headers that keep a document private, unless it was given others."""

    def get_wsgi_response(
        self, environ: dict[str, Any]
    ) -> tuple[Iterable[bytes], str, list[tuple[str, str]]]:
        """Without werkzeug's copy of the headers with corrected addresses: ours are ASCII."""
        given = list(self.headers)
        names = {name.lower() for name, _ in given}
        headers = given + [field for field in _HEADERS if field[0].lower() not in names]
        return self.get_app_iter(environ), self.status, headers


class Json(DefaultJSONProvider):
    """Compact UTF-8, the members in the order they have."""

    _encode = JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode

    def dumps(self, obj: Any, **_: Any) -> str:
        return self._encode(obj)


class Application(Flask):
    response_class, json_provider_class = Response, Json

    def process_response(self, response: flask.Response) -> flask.Response:
        """As it is sent, also if a hook has made another one of it."""
        return self.make_response(super().process_response(response))

    def create_url_adapter(self, request: Request | None) -> MapAdapter | None:
        """No rule depends on the host, and no address is built from rules."""
        if request is None:
            return None
        path, method = request.path, request.method
        return self.url_map.bind("", path_info=path, default_method=method)
