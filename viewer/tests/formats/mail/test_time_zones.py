"""viewer/formats/mail/time_zones.py"""

from datetime import UTC, datetime
from struct import error

import pytest

from viewer.formats.mail.time_zones import local_time
from viewer.tests.outlook_sample import time_zone

NEW_YORK = time_zone(300, (11, 0, 1, 2), (3, 0, 2, 2))
BERLIN = time_zone(-60, (10, 0, 5, 3), (3, 0, 5, 2))
SYDNEY = time_zone(-600, (4, 0, 1, 3), (10, 0, 1, 2))


@pytest.mark.parametrize(
    ("zone", "moment", "expected"),
    [
        (NEW_YORK, (3, 8, 6, 59), "2026-03-08T01:59-05:00"),
        (NEW_YORK, (3, 8, 7, 0), "2026-03-08T03:00-04:00"),
        (NEW_YORK, (11, 1, 6, 0), "2026-11-01T01:00-05:00"),
        (BERLIN, (3, 29, 0, 59), "2026-03-29T01:59+01:00"),
        (BERLIN, (3, 29, 1, 0), "2026-03-29T03:00+02:00"),
        (BERLIN, (10, 25, 1, 0), "2026-10-25T02:00+01:00"),
        (SYDNEY, (1, 1, 0, 0), "2026-01-01T11:00+11:00"),
        (SYDNEY, (7, 1, 0, 0), "2026-07-01T10:00+10:00"),
        (time_zone(-540), (7, 1, 0, 0), "2026-07-01T09:00+09:00"),
        (b"", (7, 1, 0, 0), "2026-07-01T00:00+00:00"),
        (time_zone(-540, flags=0) + time_zone(-60)[-66:], (7, 1, 0, 0), "2026-07-01T01:00+01:00"),
    ],
)
def test_a_moment_is_given_in_the_time_zone_of_the_appointment(zone, moment, expected):
    local = local_time(datetime(2026, *moment, tzinfo=UTC), zone)

    assert local.isoformat(timespec="minutes") == expected


@pytest.mark.parametrize(
    "zone", [b"x", time_zone(10**6), time_zone(0, (13, 0, 1, 2), (3, 0, 1, 2))]
)
def test_a_damaged_definition_raises(zone):
    with pytest.raises((error, ValueError, OverflowError)):
        local_time(datetime(2026, 1, 1, tzinfo=UTC), zone)
