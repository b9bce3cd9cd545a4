"""Outgoing delivery of events. Imports `models`; nothing imports it but `app`."""
