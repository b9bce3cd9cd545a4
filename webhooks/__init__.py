"""Outgoing webhooks: a dispatcher of due deliveries, and an HTTP client safe for users' URLs."""

from .dispatcher import DispatcherLimits, WebhookDispatcher
from .http_client import SafeHttpClient
