"""A client of a running service that needs nothing but the standard library."""

import http.client
import json
import re
import secrets
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import urlsplit

READ_BYTES = 1 << 18
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


class RefusedError(Exception):
    """An error that the service answered with: its `status`, its `code`, and its sentence."""

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        super().__init__(problem.get("detail") or f"The service answered {status}.")
        self.status = status
        self.code = problem.get("code")


class Client:
    """Calls a service at `url` with an API key."""

    def __init__(self, url: str, key: str) -> None:
        self._url = urlsplit(url.rstrip("/"))
        self._key = key

    def call(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Return the JSON of an answer, None if it has none. Raises `RefusedError`, `OSError`."""
        if body is None:
            return self._send(method, path, None, {})
        data = json.dumps(body).encode()
        return self._send(method, path, data, {"Content-Type": "application/json"})

    def upload(self, file: Path, **fields: Any) -> Any:
        """Upload a file, and return the document's record. Raises `RefusedError`, `OSError`."""
        boundary = secrets.token_hex(16)
        fields = {"name": file.name} | fields
        parts = "".join(
            f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
            for name, value in fields.items()
        )
        head = (
            f'{parts}--{boundary}\r\nContent-Disposition: form-data; name="file"; '
            'filename="file"\r\n\r\n'
        ).encode()
        end = f"\r\n--{boundary}--\r\n".encode()
        with file.open("rb") as opened:
            size = file.stat().st_size
            headers = {
                "Content-Type": f"multipart/form-data; boundary={boundary}",
                "Content-Length": str(len(head) + size + len(end)),
            }
            pieces = _form(head, opened, size, end)
            return self._send("POST", "/v1/documents", pieces, headers)

    def send(
        self,
        file: Path,
        *,
        until: datetime | None = None,
        password: str | None = None,
        views: int | None = None,
    ) -> str:
        """Upload a file, and return the address of a link to it."""
        terms: dict[str, Any] = {"password": password, "maxViews": views}
        terms = {name: value for name, value in terms.items() if value is not None}
        if until:
            terms["expiresAt"] = until.astimezone(UTC).isoformat(timespec="milliseconds")
            terms["expiresAt"] = terms["expiresAt"].replace("+00:00", "Z")
        document = self.upload(file, token=json.dumps(terms))
        return str(document["token"]["viewUrl"])

    def _send(self, method: str, path: str, body: Any, headers: dict[str, str]) -> Any:
        is_tls = self._url.scheme == "https"
        kind = http.client.HTTPSConnection if is_tls else http.client.HTTPConnection
        connection = kind(self._url.netloc, timeout=60)
        try:
            connection.request(
                method, self._url.path + path, body, {"X-API-Key": self._key, **headers}
            )
            answer = connection.getresponse()
            data = answer.read()
        finally:
            connection.close()
        is_json = "json" in answer.headers.get("Content-Type", "")
        found = json.loads(data) if is_json and data else None
        if answer.status >= 400:
            raise RefusedError(answer.status, found or {})
        return found


def _form(head: bytes, file: BinaryIO, size: int, end: bytes) -> Iterator[bytes]:
    """Yield the body piece by piece: no more of the file than its head announces."""
    yield head
    while size > 0 and (piece := file.read(min(READ_BYTES, size))):
        size -= len(piece)
        yield piece
    yield end


def parse_time(text: str, now: datetime | None = None) -> datetime:
    """Return the time of a text: `3d`, `12h`, `friday`, `2026-12-24`, or RFC 3339.

    A day ends at midnight in the time zone of this machine. Raises `ValueError`.
    """
    now = now or datetime.now().astimezone()
    word = text.strip().lower()
    if match := re.fullmatch(r"([0-9]{1,5})([dh])", word):
        return now + timedelta(**{"days" if match[2] == "d" else "hours": int(match[1])})
    if word in _DAYS:
        day = now.date() + timedelta((_DAYS.index(word) - now.weekday()) % 7)
        return datetime.combine(day, time(23, 59, 59)).astimezone()
    try:
        given = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text!r} is no time: 3d, 12h, friday, or 2026-12-24.") from None
    if re.fullmatch(r"\d{4}-?\d\d-?\d\d", word):
        given = datetime.combine(given, time(23, 59, 59))
    return given.astimezone()
