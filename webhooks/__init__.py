"""Deliveries to other servers and mail: a dispatcher, and an HTTP client safe for users' URLs."""

from .dispatcher import Dispatcher
from .http_client import SafeHttpClient
from .limits import DispatcherLimits
from .one_pass import send_due
