"""Tracks and places on the earth."""
