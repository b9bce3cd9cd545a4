"""Requests that count against a limit, and the header fields that say how much of it is left.

draft-ietf-httpapi-ratelimit-headers: `RateLimit-Policy: "upload";q=60000;w=3600` and
`RateLimit: "upload";r=59999`, with `;t=23` where the client has to wait.
"""

import math
from functools import wraps
from typing import Any

from flask import Response, after_this_request

from models.core import Allowance

from .declarations import Spend, View


def count_requests(view: View, spend: Spend) -> View:
    """The view, each request of which is counted by `spend` first."""

    @wraps(view)
    def counting(*args: Any, **path: Any) -> Any:
        report_allowance(spend())
        return view(*args, **path)

    return counting


def report_allowance(allowance: Allowance | None) -> None:
    """Add what is left of a limit to the response of this request, also if it is an error."""
    if allowance:
        fields = rate_limit_fields(allowance)

        @after_this_request
        def report(response: Response) -> Response:
            response.headers.extend(fields)
            return response


def rate_limit_fields(allowance: Allowance) -> dict[str, str]:
    limit = allowance.limit
    wait = f";t={math.ceil(allowance.wait_seconds)}" if allowance.wait_seconds else ""
    return {
        "RateLimit-Policy": f'"{limit.name}";q={limit.count};w={limit.seconds}',
        "RateLimit": f'"{limit.name}";r={allowance.left}{wait}',
    }
