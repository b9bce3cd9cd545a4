"""The e-mail address of somebody who has logged in at the trusted proxy.

The server hands on the header of AUTH_HEADER only if the proxy itself has sent it. It is read by
the pages for people alone; a value that is no plain address counts as none.
"""

import logging
from functools import cache

from flask import Request

from models import current_runtime
from models.accounts import Assertion, fold_email
from models.events import is_mail_address

IDENTITY = "server.identity"  # in the environment of a request


def address_by_proxy(request: Request) -> str | None:
    """Return the address that the trusted proxy names; None if it names nobody."""
    said: str | None = request.environ.get(IDENTITY)
    if not said:
        return None
    if not is_mail_address(said):
        _log_once(current_runtime().settings.auth_header)
        return None
    return said


def assertion_of_proxy(request: Request) -> Assertion | None:
    """Return whom the trusted proxy names; None if it names nobody."""
    address = address_by_proxy(request)
    return Assertion.of_proxy(address) if address else None


def folded_address_by_proxy(request: Request) -> str | None:
    """Return the address that the trusted proxy names, as the subject of an identity has it."""
    address = address_by_proxy(request)
    return fold_email(address) if address else None


@cache
def _log_once(header: str | None) -> None:
    line = "The proxy sent a header %s that is not one plain e-mail address: it counts as none."
    logging.getLogger("docservice").warning(line, header)
