"""The payer of what a test does, as the hook names that of a request."""

from contextlib import contextmanager

from models.core import current_payer


@contextmanager
def paid_by(payer):
    before = current_payer.set(payer)
    try:
        yield
    finally:
        current_payer.reset(before)
