"""Fixtures for all tests: running services, a browser; none starts before a test asks for it."""

import importlib.util
import secrets
import shutil
from functools import partial
from pathlib import Path

import pytest

from crypto import passphrases, passwords
from models.events import current_actor
from tests import compiled_templates, postgres, quick_disk
from tests.browser import webkit
from tests.browser.firefox import Firefox
from tests.lasting_browser import LastingBrowser
from tests.mailbox import BASE, Mailbox, until_sent
from tests.object_gateway import Proxy, shared_gateway
from tests.people import Person
from tests.requirements import skip_unless_required
from tests.service import QuickService, Service, SyncingService
from viewer.tests.convertible import stand_in

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Chromium 156 crashes at times when several PDFs in sandboxed frames are left: PdfOopif. Beside
    # each page it starts a process for the next, a tenth of what a page takes: SpareRenderer. The
    # others are from the list of Playwright that this one replaces.
    "--disable-features=PdfOopif,SpareRendererForSitePerProcess,HttpsUpgrades,"
    "HttpsFirstBalancedModeAutoEnable,PaintHolding,"
    "MediaRouter,OptimizationHints,NetworkTimeServiceQuerying,PreconnectToSearch,AimEnabled",
]


def pytest_configure(config):
    quick_disk.use()
    compiled_templates.share()
    Service.engine = config.getoption("engine")


@pytest.fixture
def quick_passphrases(monkeypatch):
    """Derive the keys of exports with the least that Argon2id takes."""
    monkeypatch.setattr(passphrases, "MEMORY_KIB", 8)
    monkeypatch.setattr(passphrases, "PASSES", 1)
    monkeypatch.setattr(passphrases, "LANES", 1)


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
def former_actor():
    """A test begins as the service; whom it lets act, as requests do, acts in no other one."""
    former = current_actor.set({"via": "service"})
    yield
    current_actor.reset(former)


@pytest.fixture(autouse=True)
def quick_passwords(monkeypatch):
    """Hash passwords in this process with the least that Argon2id takes."""
    quick = passwords._argon2id().using(memory_cost=8, rounds=1)
    monkeypatch.setattr(passwords, "_argon2id", lambda: quick)


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
def chromium_of_playwright():
    """What starts Chromium; tests that need it are skipped if playwright is not installed."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as driver:
        yield driver.chromium


@pytest.fixture(scope="session")
def launch_chromium(chromium_of_playwright):
    """A function that starts Chromium; tests that need it are skipped if it is not installed.

    The program is the one without windows, if it is there: a page takes it a quarter of the time.
    """
    programs = ("chromium-headless-shell", "chromium", "chromium-browser")
    program = next(filter(None, map(shutil.which, programs)), None)
    if not program and not Path(chromium_of_playwright.executable_path).exists():
        skip_unless_required("browser", "no Chromium here: apt-get install chromium")
    return partial(chromium_of_playwright.launch, executable_path=program, args=ARGUMENTS)


@pytest.fixture(scope="session")
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
def firefox(start_firefox):
    """Firefox; a test opens a tab of its own."""
    firefox = start_firefox()
    yield firefox
    firefox.close()


@pytest.fixture(scope="session")
def firefox_with_pdf(start_firefox):
    """Firefox with its viewer of PDFs."""
    firefox = start_firefox(shows_pdf=True)
    yield firefox
    firefox.close()


@pytest.fixture(scope="session")
def webkit_browser(tmp_path_factory):
    """WebKit, in which one page at a time is open; tests are skipped if it is not installed."""
    if not webkit.is_installed():
        skip_unless_required("browser", f"no WebKit here: apt-get install {webkit.PACKAGES}")
    browser = webkit.WebKit(tmp_path_factory.mktemp("webkit"))
    yield browser
    browser.close()


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
    """A service that sends mail, and takes its time to store one, as in operation."""
    settings = {"SMTP_URL": box.url(), "BASE_URL": BASE, "RATE_LIMITS": "off"}
    service = SyncingService(tmp_path_factory.mktemp("service"), **settings)
    yield service
    service.close()


@pytest.fixture
def email(mailing, box):
    """A new address; what was sent to others has arrived."""
    until_sent(mailing)
    box.mails.clear()
    return f"{secrets.token_hex(6)}@example.org"
