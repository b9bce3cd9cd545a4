"""Calls that count against a limit, and the fields that tell how much of it is left.

draft-ietf-httpapi-ratelimit-headers: `RateLimit-Policy: "upload";q=60000;w=3600` and
`RateLimit: "upload";r=59999`, with `;t=23` where one has to wait.
"""

import math
from collections.abc import Callable
from functools import wraps
from typing import Any

from flask import Response, after_this_request

from models.errors import TooManyRequests
from models.rate_limits import Allowance

View = Callable[..., Any]


def rate_limited(spend: Callable[[], Allowance | None]) -> Callable[[View], View]:
    """Stands below `idempotent`: an answer given again is not counted. Above `arguments` it counts
    every try and refuses before it reads; below, only what makes sense.
    """

    def mark(view: View) -> View:
        @wraps(view)
        def within(*args: Any, **path: Any) -> Any:
            if allowance := spend():
                _tell(allowance)
            return view(*args, **path)

        own: Any = within
        own.may_fail_with = (*getattr(view, "may_fail_with", ()), TooManyRequests)
        marked: View = own
        return marked

    return mark


def _tell(allowance: Allowance) -> None:
    """With whatever is answered."""

    @after_this_request
    def told(answer: Response) -> Response:
        answer.headers.extend(rate_limit(allowance))
        return answer


def rate_limit(allowance: Allowance) -> dict[str, str]:
    limit = allowance.limit
    wait = f";t={math.ceil(allowance.wait_seconds)}" if allowance.wait_seconds else ""
    return {
        "RateLimit-Policy": f'"{limit.name}";q={limit.count};w={limit.seconds}',
        "RateLimit": f'"{limit.name}";r={allowance.left}{wait}',
    }
