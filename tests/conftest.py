"""Fixtures for all tests: running services, a browser; none starts before a test asks for it."""

import importlib.util
import inspect
import os
import secrets
import shutil
from functools import partial
from pathlib import Path
from time import monotonic  # tests replace that of the module

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis.strategies import text

from crypto import passwords
from tests import postgres
from tests.lasting_browser import LastingBrowser
from tests.listener import Listener
from tests.mailbox import BASE, Mailbox, until_sent
from tests.object_gateway import Proxy, shared_gateway
from tests.people import Person
from tests.requirements import skip_unless_required
from tests.service import QuickService, Service
from tests.viewer.convertible import stand_in
from tests.viewer.firefox import Firefox

NEEDED = {  # a fixture -> the marker of the tests that need it
    "launch_chromium": "browser",
    "start_firefox": "browser",
    "postgres_server": "postgres",
    "gateway": "s3",
    "soffice": "office",
}
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Chromium 156 crashes at times when several PDFs in sandboxed frames are left: PdfOopif. The
    # others are from the list of Playwright that this one replaces.
    "--disable-features=PdfOopif,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,PaintHolding,"
    "MediaRouter,OptimizationHints,NetworkTimeServiceQuerying,PreconnectToSearch,AimEnabled",
]


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


def pytest_configure(config):
    settings.register_profile(
        "any load", deadline=None, suppress_health_check=[HealthCheck.too_slow]
    )
    settings.load_profile("any load")
    Service.engine = config.getoption("engine")


def pytest_collection_finish(session):
    """The first property waits until Hypothesis has read the modules and all of Unicode."""
    if session.config.getoption("most_seconds"):
        given(text())(lambda _: None)()


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


@pytest.fixture(autouse=True)
def no_service_logs_a_traceback(request):
    """Check after each test what every running service has logged meanwhile.

    A test that provokes errors names them in `@pytest.mark.logs_traceback("package.Error")`.
    """
    marks = request.node.iter_markers("logs_traceback")
    Service.expected_errors = frozenset(name for mark in marks for name in mark.args)
    yield
    for service in list(Service.running):
        service.check_log()
    Service.expected_errors = frozenset()


@pytest.fixture(autouse=True)
def quick_passwords(monkeypatch):
    """Hash passwords in this process with the least that Argon2id takes."""
    quick = passwords._argon2id.using(memory_cost=8, rounds=1)
    monkeypatch.setattr(passwords, "_argon2id", quick)


@pytest.fixture(scope="module")
def start_service(tmp_path_factory):
    """A function that starts a service with these settings; all are stopped after the module."""
    started = []

    def start(kind=QuickService, **settings):
        started.append(kind(tmp_path_factory.mktemp("service"), **settings))
        return started[-1]

    yield start
    for service in started:
        service.process.terminate()
    for service in started:
        service.close()


@pytest.fixture(scope="session")
def postgres_server():
    """A PostgreSQL server; without one, tests that need it are skipped."""
    if importlib.util.find_spec("psycopg") is None:
        skip_unless_required("postgres", "no psycopg here: pip install -e '.[postgres]'")
    try:
        return postgres.server()
    except postgres.NoPostgres as error:
        skip_unless_required("postgres", str(error))


@pytest.fixture(scope="session")
def service(tmp_path_factory):
    """The service that most tests share."""
    service = QuickService(tmp_path_factory.mktemp("service"), RATE_LIMITS="off")
    yield service
    service.close()


@pytest.fixture(scope="session")
def alice(service):
    return service.register("alice@example.org", name="Alice")


@pytest.fixture(scope="session")
def bob(service):
    return service.register("bob@example.org")


@pytest.fixture
def new_user(service):
    """A user who has no documents, keys or webhooks yet."""
    return service.register()


@pytest.fixture
def anonymous(service):
    """A person without a credential."""
    return Person(service)


@pytest.fixture(scope="session")
def document(alice):
    """A document of Alice's that no test changes."""
    return alice.upload(b"what Alice keeps", "text/plain", name="kept.txt")


@pytest.fixture(scope="session")
def webhook(alice):
    """A webhook of Alice's that no test changes; only `webhook.test` is sent to it."""
    body = {"url": "https://hook.example/in", "events": ["webhook.test"]}
    return alice.post("/v1/webhooks", json=body).json


@pytest.fixture
def temporary_document(alice):
    """A document of Alice's that the test may change or delete."""
    return alice.upload(b"what Alice may lose", "text/plain", name="lost.txt")


@pytest.fixture(scope="session")
def launch_chromium():
    """A function that starts Chromium; tests that need it are skipped if it is not installed.

    The program is the one without windows, if it is there: a page takes it a quarter of the time.
    """
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    programs = ("chromium-headless-shell", "chromium", "chromium-browser")
    program = next(filter(None, map(shutil.which, programs)), None)
    with playwright.sync_playwright() as driver:
        if not program and not Path(driver.chromium.executable_path).exists():
            skip_unless_required("browser", "no Chromium here: apt-get install chromium")
        yield partial(driver.chromium.launch, executable_path=program, args=ARGUMENTS)


@pytest.fixture(scope="module")
def start_firefox(tmp_path_factory):
    """A function that starts Firefox; tests that need it are skipped if it is not installed."""
    websocket = pytest.importorskip("websocket", reason="websocket-client is not installed")
    program = shutil.which("firefox-esr") or shutil.which("firefox")
    if not program:
        skip_unless_required("browser", "no Firefox here: apt-get install firefox-esr")

    def start(**options):
        profile = tmp_path_factory.mktemp("firefox")
        return Firefox(program, profile, websocket.create_connection, **options)

    return start


@pytest.fixture(scope="session")
def soffice():
    """The path of LibreOffice."""
    return shutil.which("soffice") or skip_unless_required(
        "office", "no LibreOffice here: apt-get install libreoffice-writer libreoffice-impress"
    )


@pytest.fixture(scope="module")
def converting(start_service, tmp_path_factory):
    """A service whose conversions a program makes at once that stands in for LibreOffice."""
    return start_service(RATE_LIMITS="off", CONVERTER=stand_in(tmp_path_factory.mktemp("office")))


@pytest.fixture(scope="session")
def browser(launch_chromium):
    """Chromium, started again after a crash."""
    chromium = LastingBrowser(launch_chromium)
    yield chromium
    chromium.close()


@pytest.fixture(scope="session")
def listener():
    """The address that hostile documents try to contact."""
    listener = Listener()
    yield listener
    listener.close()


@pytest.fixture(scope="session")
def gateway(tmp_path_factory, request):
    """A real S3 server; tests that need it are skipped if it is not installed."""
    folder = tmp_path_factory.getbasetemp()
    if hasattr(request.config, "workerinput"):  # the folder of all workers
        folder = folder.parent
    with shared_gateway(folder / "gateway") as gateway:
        yield gateway


@pytest.fixture
def proxy(gateway):
    """A way to the S3 server that the test can close."""
    proxy = Proxy(gateway.port)
    yield proxy
    proxy.close()


@pytest.fixture(scope="session")
def box():
    """A mail server."""
    with Mailbox() as box:
        yield box


@pytest.fixture(scope="session")
def mailing(tmp_path_factory, box):
    """A service that sends mail."""
    settings = {"SMTP_URL": box.url(), "BASE_URL": BASE, "RATE_LIMITS": "off"}
    service = QuickService(tmp_path_factory.mktemp("service"), **settings)
    yield service
    service.close()


@pytest.fixture
def email(mailing, box):
    """A new address; what was sent to others has arrived."""
    until_sent(mailing)
    box.mails.clear()
    return f"{secrets.token_hex(6)}@example.org"
