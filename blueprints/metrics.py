"""`/metrics` for Prometheus: durations of requests, what is stored, what fails; no user's data.

A request counts under its method, the template of its route and its class of status. The duration
ends with the head of the response: a large body is sent later.
"""

from flask import Response

from models import current_runtime
from models.core import NotFound

from .http import ANYONE, ApiBlueprint
from .http.access_log import Access

metrics = ApiBlueprint("metrics", __name__, description="Metrics")


@metrics.get("/metrics", accepts=ANYONE)
@metrics.response(200, {"type": "string"}, content_type="text/plain")
def show() -> Response:
    """Tell a monitoring system how the service does, where METRICS is on"""
    if not _is_on():
        raise NotFound
    from .http import exposition  # noqa: PLC0415  only where METRICS is on

    return Response(exposition.latest(), content_type=exposition.CONTENT_TYPE)


def count(access: Access) -> None:
    """Count a request, where METRICS is on."""
    if _is_on():
        from .http import exposition  # noqa: PLC0415

        exposition.count(access)


def _is_on() -> bool:
    return current_runtime().settings.metrics == "on"
