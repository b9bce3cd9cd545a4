"""The guard of the forms of pages: who has sent a form, and for whom it was made."""

from flask import Request, request

from models import current_runtime
from models.core import ServiceError

from ..http import Caller

READING = {"GET", "HEAD", "OPTIONS"}  # methods that change nothing; all others are judged as forms
MADE_FOR = "for"  # in the address of a form: the space it was made for


class OriginNotAllowed(ServiceError):
    code = "origin_not_allowed"
    sentence = "This form was sent by another site, so nothing was done. Open the page here first."


class OwnerChanged(ServiceError):
    code = "owner_changed"
    sentence = (
        "This form was made for another account or space than the one in which you are now, so "
        "nothing was done. Go there, and open the page anew."
    )


def refuse_other_sites(request: Request) -> None:
    """Raise `OriginNotAllowed` for what another site's page has sent, or may have sent, unless it
    only reads.

    Browsers name the site in `Sec-Fetch-Site` (W3C Fetch Metadata), but over plain http to another
    machine only in `Origin`.
    """
    if not acts(request):
        return
    site = request.headers.get("Sec-Fetch-Site")
    if site is None:
        is_ours = is_own_origin(request.headers.get("Origin"))
    else:
        is_ours = site in {"same-origin", "none"}
    if not is_ours:
        raise OriginNotAllowed


def acts(request: Request) -> bool:
    """Return whether a request may change something, and is judged as a form is: any but those
    that only read.
    """
    return request.method not in READING


def is_own_origin(origin: str | None) -> bool:
    """Return whether this is the origin of the service, as the request or BASE_URL names it."""
    own = [request.host_url.rstrip("/")]
    if base_url := current_runtime().settings.base_url:
        own.append(base_url)
    return origin in own


def refuse_form_of_another(request: Request, caller: Caller) -> None:
    """Raise `OwnerChanged` for a form that was made before somebody entered or left a space."""
    made_for = request.args.get(MADE_FOR, "")
    is_own = made_for == caller.owner_id and not caller.member
    if made_for != caller.made_for and not is_own:
        raise OwnerChanged
