"""A form that came after its session had ended: the login carries it, to be filled in again.

Passwords are left out: of each it is known only that there was one.
"""

import json
import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress

from flask import g, request

from models import StoredResponse

from ..http.body import MalformedJson, parse_json
from ..http.idempotency import execute_once
from ..http.multipart import FORM_DATA

MOST_CHARACTERS = 16_384  # of the form as JSON

Values = dict[str, list[str]]


def form_of_request() -> str:
    """Its path and values as JSON; '' if there is none, or it is long."""
    fields = {} if request.mimetype == FORM_DATA else request.form.to_dict(flat=False)
    values = {name: ["1"] if holds_password(name, fields) else fields[name] for name in fields}
    text = json.dumps([request.path, values]) if values else ""
    return text if len(text) <= MOST_CHARACTERS else ""


def store_form(user_id: str, text: str) -> str:
    """A key to it, for whoever has logged in; '' if there is none."""
    if not 0 < len(text) <= MOST_CHARACTERS:
        return ""
    key = secrets.token_urlsafe(12)
    execute_once(user_id, _id(user_id, key), "", lambda: text)
    return key


def unsent_form() -> tuple[str, Values] | None:
    """The path and the values of the form that the page is asked for with."""
    if key := request.args.get("form"):
        text = StoredResponse.replayed(_id(g.caller.owner_id, key), "") or ""
        with suppress(MalformedJson, ValueError, TypeError, AttributeError):
            action, values = parse_json(text.encode())
            return str(action), {name: [str(one) for one in values[name]] for name in values}
    return None


def holds_password(name: str, fields: Mapping[str, Sequence[str]]) -> bool:
    """Whether the field is a password that was typed."""
    return name.lower().endswith("password") and any(fields[name])


def _id(user_id: str, key: str) -> str:
    return StoredResponse.id_of("unsent", user_id, key)
