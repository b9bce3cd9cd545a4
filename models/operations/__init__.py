"""Maintenance, while the service runs or by command."""
