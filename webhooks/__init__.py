"""Outgoing delivery of events. Imports `models`; nothing imports it but `app`."""

from .courier import Courier
from .guard import Guard

__all__ = ["Courier", "Guard"]
