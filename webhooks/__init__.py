"""What is sent to others: a dispatcher of what is due, and an HTTP client safe for users' URLs."""

from .dispatcher import Dispatcher
from .http_client import SafeHttpClient
from .limits import DispatcherLimits
