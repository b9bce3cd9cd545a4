"""viewer/formats/sheets/number_format.py"""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.formats.sheets.number_format import BUILT_IN, MAX_CODE, format_number


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (31001.0, "31001"),
        (0.1 + 0.2, "0.3"),
        (-2.5, "-2.5"),
        (1e300, "1E+300"),
        (123456789012345.0, "123456789012345"),
        (math.inf, "inf"),
    ],
)
def test_a_number_without_a_format_is_shown_plainly(value, shown):
    assert format_number(value, "General") == format_number(value, "") == shown


SHOWN = [
    # digits fill the placeholders
    (0.19, "0%", "19%"),
    (0.1234, "0.0%", "12.3%"),
    (1234.5, "#,##0.00", "1,234.50"),
    (1234567, "#,##0", "1,234,567"),
    (1234567, "#,##0,", "1,235"),
    (2.5, "0", "3"),
    (0, "#", ""),
    (0.5, "#.##", ".5"),
    (1234.567, "0.0##", "1234.567"),
    (3, "00000", "00003"),
    (-1234.5, "#,##0.0", "-1,234.5"),
    (-0.001, "0.00", "0.00"),
    (1.5, '0.0 "kg"', "1.5 kg"),
    (1.5, "0.0\\m", "1.5m"),
    (123456789, "000-00-0000", "123-45-6789"),
    (5551234567, "(000) 000-0000", "(555) 123-4567"),
    (1e308, "0", "1" + "0" * 308),
    # currencies, sections for signs and conditions
    (1234.5, '#,##0.00 "€"', "1,234.50 €"),
    (1234.5, "[$€-407] #,##0.00", "€ 1,234.50"),
    (1234.5, '_-* #,##0.00 "€"_-;-* #,##0.00 "€"_-', " 1,234.50 € "),
    (-5, "$#,##0.00;[Red]($#,##0.00)", "($5.00)"),
    (0, '0.0;-0.0;"none"', "none"),
    (5, '[<10]"low";[>=10]"high"', "low"),
    (50, '[<10]"low";[>=10]"high"', "high"),
    (-5, "[<0]-0;0", "-5"),
    (50, "[<0]-0;0", "50"),
    # scientific numbers, and fractions, which are decimals
    (12345.678, "0.00E+00", "1.23E+04"),
    (0.00012, "##0.0E+0", "1.2E-04"),
    (9.999, "0.0E+0", "1.0E+01"),
    (0, "0.00E+00", "0.00E+00"),
    (-12345.678, '0.0E+00 "m"', "-1.2E+04 m"),
    (1.25, "# ?/?", "1.25"),
    (-0.75, "# ?/8", "-0.75"),
    # dates and times
    (46053, BUILT_IN[14], "2026-01-31"),
    (46053.5, BUILT_IN[22], "2026-01-31 12:00"),
    (46053, "dddd, d. mmmm yyyy", "Saturday, 31. January 2026"),
    (46053, "ddd d-mmm-yy", "Sat 31-Jan-26"),
    (46053, "mmmmm", "J"),
    (46053.75, "d/m/yyyy h:mm AM/PM", "31/1/2026 6:00 PM"),
    (0.5, "h:mm A/P", "12:00 P"),
    (46053.123456, "mm:ss.0", "57:46.5"),
    (59.9996 / 86400, "mm:ss", "01:00"),
    (1.5, "[h]:mm:ss", "36:00:00"),
    (1.5, "[mm]:ss", "2160:00"),
    (1, "yyyy-mm-dd", "1900-01-01"),
    (61, "yyyy-mm-dd", "1900-03-01"),
    (-1, "yyyy-mm-dd", "-1"),
    (3e6, "yyyy-mm-dd", "3000000"),
    (46053, '[$-409]mmmm\\ "of" yyyy;@', "January of 2026"),
]


@pytest.mark.parametrize(("value", "code", "shown"), SHOWN)
def test_a_number_is_shown_as_its_format_says(value, code, shown):
    assert format_number(value, code) == shown


def test_a_workbook_may_count_its_days_from_1904():
    assert format_number(0, "yyyy-mm-dd", from_1904=True) == "1904-01-01"


def test_an_overlong_code_counts_as_none():
    assert format_number(5, "0" * (MAX_CODE + 1)) == "5"


CODES = st.text(alphabet='0#?.,%/E+-;[]hmsydAMP/@"\\_*<>= $€GeneralRd9', max_size=30)


@given(value=st.floats(), code=CODES)
def test_any_number_with_any_code_gives_a_short_text(value, code):
    assert len(format_number(value, code)) < 2_000
