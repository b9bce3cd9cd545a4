"""Outgoing delivery of events. Imports `models`; nothing imports it but `app`."""

from .dispatcher import WebhookDispatcher
from .http_client import SafeHttpClient

__all__ = ["WebhookDispatcher", "SafeHttpClient"]
