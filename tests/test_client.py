"""The client of the package, and the process for other projects' tests that it talks to."""

import subprocess
import sys
import urllib.error
import urllib.request
from datetime import UTC, datetime, timedelta

import pytest
from click.testing import CliRunner

import document_service.__main__ as command
from document_service import in_process
from document_service.client import RefusedError, parse_time
from document_service.testing import DocumentService
from tests.service import ROOT
from tests.test_package import SETUPTOOLS, below_service

NOW = datetime(2026, 11, 25, 12, tzinfo=UTC).astimezone()  # a Wednesday


def test_a_client_imports_nothing_of_the_service():
    program = (
        "import sys, document_service.client, document_service.testing, "
        "document_service.pytest_plugin; print({'flask', 'models', 'click'} & {*sys.modules})"
    )
    printed = subprocess.check_output([sys.executable, "-c", program], cwd=ROOT, text=True)

    assert printed == "set()\n"


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("3d", NOW + timedelta(days=3)),
        ("12h", NOW + timedelta(hours=12)),
        ("Friday", datetime(2026, 11, 27, 23, 59, 59).astimezone()),
        ("wednesday", datetime(2026, 11, 25, 23, 59, 59).astimezone()),
        ("2026-12-24", datetime(2026, 12, 24, 23, 59, 59).astimezone()),
        ("2026-12-24T09:30:00Z", datetime(2026, 12, 24, 9, 30, tzinfo=UTC)),
    ],
)
def test_the_end_of_a_link_is_given_in_words(text, end):
    assert parse_time(text, NOW) == end


def test_a_text_that_is_no_time_is_refused_with_examples():
    with pytest.raises(ValueError, match=r"'soon' is no time: 3d, 12h, friday"):
        parse_time("soon")


def test_the_guard_knows_every_module_of_the_service():
    folders = below_service(SETUPTOOLS["packages"]) - {"templates"}  # which has no module

    assert {*in_process.NAMES} == folders | below_service(SETUPTOOLS["py-modules"])


def test_the_fixture_in_the_process_refuses_a_project_with_a_module_of_the_same_name(
    monkeypatch, tmp_path
):
    (tmp_path / "models.py").touch()
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    for name in in_process.NAMES:
        monkeypatch.delitem(sys.modules, name, raising=False)

    with pytest.raises(ImportError, match=r"models\.py has the name of its module 'models'"):
        in_process.imported_testing()


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    with DocumentService(tmp_path_factory.mktemp("process"), MAX_DOCUMENT_BYTES="100") as service:
        yield service


@pytest.mark.slow
def test_a_process_for_tests_moves_its_clock_and_goes_on_after_a_kill(running, tmp_path):
    file = tmp_path / 'two "words".md'
    file.write_text("# Minutes")
    link = running.client.send(file)
    [document] = running.client.call("GET", "/v1/documents")["documents"]
    url, key = running.url, running.key

    running.kill()
    running.start()
    with urllib.request.urlopen(link) as page:
        assert b"Minutes" in page.read()
    running.move_clock(timedelta(days=8))
    with pytest.raises(urllib.error.HTTPError) as ended:
        urllib.request.urlopen(link)
    assert running.run_background_work() == 0
    running.reset()

    assert document["name"] == file.name
    ended.value.close()
    assert ended.value.code == 410
    assert running.url == url
    assert running.key != key
    with pytest.raises(RuntimeError, match="moves ahead only"):
        running.move_clock(-timedelta(days=1))


@pytest.mark.slow
def test_the_client_raises_what_the_service_answers(running, tmp_path):
    (tmp_path / "long").write_bytes(b"x" * 101)
    with pytest.raises(RefusedError) as caught:
        running.client.send(tmp_path / "long")

    assert (caught.value.status, caught.value.code) == (413, "payload_too_large")


@pytest.mark.slow
def test_the_command_sends_a_file_and_prints_a_link(running, tmp_path):
    (file := tmp_path / "minutes.md").write_text("# Minutes")
    options = ["--until", "3d", "--views", "2", "--url", running.url]

    def send(key, *more):
        words = ["send", str(file), *options, *more]
        environment = {"DOCUMENT_SERVICE_KEY": key}
        return CliRunner().invoke(command.main, words, env=environment, input="open sesame\n")

    sent, refused = send(running.key, "--password"), send("pk_live_none")

    assert sent.exit_code == 0, sent.output
    assert f"{running.url}/" in sent.output
    document = running.client.call("GET", "/v1/documents")["documents"][0]["id"]
    [token] = running.client.call("GET", f"/v1/documents/{document}/tokens")["tokens"]
    assert (token["maxViews"], token["hasPassword"]) == (2, True)
    assert refused.exit_code == 1
    assert refused.output.startswith("Error: ")


@pytest.mark.slow
def test_a_process_for_tests_says_why_it_does_not_start(tmp_path):
    service = DocumentService(tmp_path, LOG="loud")

    with pytest.raises(RuntimeError, match="does not start. DOCSERVICE_LOG "):
        service.start()
