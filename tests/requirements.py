"""What tests need beside Python packages."""

import os

import pytest


def skip_unless_required(name, why):
    """Skip the test, or fail it if TESTS_REQUIRE in the environment lists the name."""
    end = pytest.fail if name in os.environ.get("TESTS_REQUIRE", "").split() else pytest.skip
    end(why)
