"""How tests run: markers, options, and the least that the machine has to have."""

import gc
import inspect
import os
import shutil
from time import monotonic  # tests replace that of the module

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis.strategies import text

from tests.listener import Listener
from tests.requirements import skip_unless_required

NEEDED = {  # a fixture -> the marker of the tests that need it
    "chromium_of_playwright": "browser",
    "launch_chromium": "browser",
    "start_firefox": "browser",
    "webkit_browser": "browser",
    "postgres_server": "postgres",
    "gateway": "s3",
    "soffice": "office",
}


def pytest_xdist_auto_num_workers(config):
    """Run a selection of single files or by name in this process, and the rest in workers.

    So a debugger and the output of one test are at hand without an option.
    """
    chosen = config.option.keyword or config.option.capture == "no"
    files = all(".py" in argument for argument in config.args)
    return 0 if chosen or files else None


def pytest_addoption(parser):
    parser.addoption("--engine", choices=("sqlite", "postgres"), default="sqlite")
    parser.addoption("--most-seconds", type=float, help="a test that takes longer fails")


def pytest_configure():
    settings.register_profile(
        "any load", deadline=None, suppress_health_check=[HealthCheck.too_slow]
    )
    settings.load_profile("any load")


def pytest_collection_finish(session):
    """Let no test pay for what is the same for all.

    The first property waits until Hypothesis has read the modules and all of Unicode. Each full
    collection of garbage would go through all the tests.
    """
    if session.config.getoption("most_seconds"):
        given(text())(lambda _: None)()
    gc.freeze()


@pytest.hookimpl(tryfirst=True)  # before `-m` chooses
def pytest_collection_modifyitems(config, items):
    """Mark tests by the fixtures they need; on PostgreSQL, leave out those marked `sqlite_only`."""
    for item in items:
        for fixture in NEEDED.keys() & set(item.fixturenames):
            item.add_marker(NEEDED[fixture])
        if "start_service" in inspect.signature(item.obj).parameters:
            item.add_marker("slow")  # it starts a service of its own
        if config.getoption("engine") == "postgres":
            for mark in item.iter_markers("sqlite_only"):
                item.add_marker(pytest.mark.skip(reason=f"SQLite only: {mark.args[0]}"))


def _seconds():
    """The processor time of this process and its ended children, and the time on the clock."""
    return sum(os.times()[:4]), monotonic()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """Fail a test that takes longer than `--most-seconds`, its fixtures not counted.

    It takes what is longer: the processor time, or of the clock's the share that a process gets at
    this load of the machine.
    """
    began = _seconds()
    result = yield
    if most := item.config.getoption("most_seconds"):
        used, passed = (end - start for start, end in zip(began, _seconds(), strict=True))
        took = max(used, passed / max(1, os.getloadavg()[0] / os.cpu_count()))
        assert took < most, f"It took {took:.1f} s: mark it `slow`, or make it quicker."
    return result


@pytest.fixture(scope="session")
def soffice():
    """The path of LibreOffice."""
    return shutil.which("soffice") or skip_unless_required(
        "office", "no LibreOffice here: apt-get install libreoffice-{writer,calc,impress}"
    )


@pytest.fixture(scope="session")
def listener():
    """The address that hostile documents try to contact."""
    listener = Listener()
    yield listener
    listener.close()
