"""The parameters of prepared queries, as the driver of PostgreSQL takes them."""

import pytest


def test_a_parameter_may_have_a_number_behind_its_name():
    translated = pytest.importorskip("models.storage.postgres").translated
    assert translated("a = :id1 OR b = :id10") == "a = %(id1)s OR b = %(id10)s"
    assert translated("a::text LIKE 'x%' AND b = :b") == "a::text LIKE 'x%%' AND b = %(b)s"
