"""Values in the formats of the API: base64, times, and credentials with their checksums."""

import base64
import re
import secrets
import zlib
from datetime import UTC, datetime, timedelta

DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
# the usual orders of the base62 digits: the contract does not say which one is used
ALPHABETS = [DIGITS, DIGITS[:10] + DIGITS[36:] + DIGITS[10:36], DIGITS[10:] + DIGITS[:10]]


def b64(content):
    """Return bytes as base64 text."""
    return base64.b64encode(content).decode()


def time_from_now(**delay):
    """Return the time after this delay (keywords of `timedelta`) as the API writes it."""
    time = datetime.now(UTC) + timedelta(**delay)
    return time.strftime("%Y-%m-%dT%H:%M:%S.") + f"{time.microsecond // 1000:03d}Z"


def parse_time(text):
    """Return a time of the API as a datetime; any other format fails the test."""
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", text), text
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def seconds_until(text):
    """Return how many seconds from now a time of the API is."""
    return (parse_time(text) - datetime.now(UTC)).total_seconds()


def checksums(text):
    """Yield the CRC-32 of a text in six base62 digits, in each order of the digits."""
    for alphabet in ALPHABETS:
        number, digits = zlib.crc32(text.encode()), ""
        for _ in range(6):
            number, digit = divmod(number, 62)
            digits = alphabet[digit] + digits
        yield digits


def unknown_credential(like):
    """Return a credential of the same form, with a valid checksum, that was never issued."""
    order = list(checksums(like[:-6])).index(like[-6:])
    text = like[:-38] + "".join(secrets.choice(DIGITS) for _ in range(32))
    return text + list(checksums(text))[order]
