"""The Flask application, without the steps of a request that none of its routes has a use for.

Each method says what it saves of the processor time of reading a record, in process.
"""

from collections.abc import Callable, Iterable
from functools import lru_cache
from json import JSONEncoder
from typing import Any

import flask
from flask import Flask
from flask.json.provider import DefaultJSONProvider
from werkzeug.datastructures import EnvironHeaders, Headers, ImmutableMultiDict
from werkzeug.routing import MapAdapter
from werkzeug.sansio.utils import get_host
from werkzeug.utils import cached_property


@lru_cache(256)
def _name_in_environ(header: str) -> str:
    name = header.upper().replace("-", "_")
    return name if name in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{name}"


@lru_cache(64)
def _known_host(scheme: str, header: str | None, server: tuple[str, int | None] | None) -> str:
    """Return the host as werkzeug does, which knows none with an underscore or an empty port."""
    host = get_host(scheme, header and header.replace("_", "-").removesuffix(":"), server)
    return header[: len(host)] if header else host


class RequestHeaders(EnvironHeaders):
    def get(  # type: ignore[override]
        self, key: str, default: Any = None, type: Any = None
    ) -> Any:
        """Return a header without an exception where there is none (4 %): most are absent."""
        if type is not None:
            return super().get(key, default, type)
        return self.environ.get(_name_in_environ(key), default)

    def __contains__(self, key: object) -> bool:
        return _name_in_environ(str(key)) in self.environ


class Arguments(ImmutableMultiDict[str, str]):
    def get(  # type: ignore[override]
        self, key: str, default: Any = None, type: Any = None
    ) -> Any:
        """Return the first value of this name, likewise."""
        if type is None and key not in self:
            return default
        return super().get(key, default, type)


class Request(flask.Request):
    parameter_storage_class = Arguments

    def __init__(self, environ: dict[str, Any], *args: Any, **options: Any) -> None:
        super().__init__(environ, *args, **options)
        self.headers = RequestHeaders(environ)

    @cached_property
    def host(self) -> str:
        """Return the host that links name; most requests name the same one, and werkzeug matches it
        anew each time (0.4 % of an upload).
        """
        return _known_host(self.scheme, self.headers.get("Host"), self.server)


class ResponseHeaders(Headers):
    def add(self, key: str, value: Any, /, **parameters: Any) -> None:
        """Add a header; a text is not searched for ends of lines by a pattern (3 % of a view)."""
        if parameters or not isinstance(value, str) or "\n" in value or "\r" in value:
            super().add(key, value, **parameters)
        else:
            self._list.append((key, value))


class Response(flask.Response):
    def __init__(
        self, response: Any = None, status: Any = None, headers: Any = None, **options: Any
    ) -> None:
        super().__init__(response, status, ResponseHeaders(headers), **options)

    def get_wsgi_response(
        self, environ: dict[str, Any]
    ) -> tuple[Iterable[bytes], str, list[tuple[str, str]]]:
        """Send the headers of a response with a body as they are set (3 %).

        Those of a redirect and of a response without a body are corrected by werkzeug.
        """
        if self.status_code >= 300 or self.status_code == 204:
            return super().get_wsgi_response(environ)
        return self.get_app_iter(environ), self.status, self.headers.to_wsgi_list()


class Json(DefaultJSONProvider):
    """JSON as it is sent: compact UTF-8, the members in the order they have."""

    _encoder = JSONEncoder(
        ensure_ascii=False, separators=(",", ":"), default=DefaultJSONProvider.default
    )

    def dumps(self, obj: Any, **_options: Any) -> str:
        """Return the text by an encoder that is made once (2 %)."""
        return self._encoder.encode(obj)


class Application(Flask):
    request_class = Request
    response_class = Response
    json_provider_class = Json

    def create_url_adapter(self, request: flask.Request | None) -> MapAdapter | None:
        """Match the path alone (6 %): no rule names a host, and the server has judged it."""
        if request is None:
            return None
        return self.url_map.bind("", path_info=request.path, default_method=request.method)

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function (1 %): none is asynchronous."""
        return func
