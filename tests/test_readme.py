"""The README's own lines, run as a newcomer pastes them."""

import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from blueprints.commands import COMMANDS
from tests.people import ROOT, until

README = (ROOT / "README.md").read_text()
HOOKS = "Events and webhooks"
SHELLS = [name for name in ("sh", "bash", "zsh", "dash") if shutil.which(name)]


def section(title):
    return re.search(rf"^## {title}\n(.*?)(?=^## )", README, re.M | re.S)[1]


def blocks(language, title="The first five minutes"):
    return re.findall(rf"^```{language}\n(.*?)^```$", section(title), re.M | re.S)


def is_listening(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def here(lines, service):
    return lines.replace("http://127.0.0.1:8000", service.url)


@pytest.mark.skipif(not shutil.which("curl"), reason="there is no curl here")
@pytest.mark.parametrize("shell", SHELLS)
def test_the_first_five_minutes_work_as_they_stand(service, tmp_path, shell):
    original = os.urandom(200_000)
    (tmp_path / "report.pdf").write_bytes(original)
    lines = here("".join(blocks("sh") + blocks("sh", HOOKS)), service).replace(
        "me@example", f"{shell}@example"
    )
    lines = lines.replace("correct horse battery", "correct horse battery staple")

    script = f'{lines}printf "KEY=%s\\n" "$KEY"\n'
    done = subprocess.run(
        [shell, "-e", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True
    )

    assert (tmp_path / "again.pdf").read_bytes() == original
    assert b'id="document"' in (tmp_path / "report.pdf.html").read_bytes()
    assert f"{service.url}/v1/documents/doc_" in done.stdout
    assert re.search(r'"label":"for the auditor"', done.stdout)
    assert re.search(r"^KEY=pk_live_\w{38}$", done.stdout, re.M)
    assert '"code"' not in done.stdout


def test_the_python_lines_work_as_they_stand(service, alice, tmp_path):
    (tmp_path / "report.pdf").write_bytes(b"%PDF-1.4")
    [lines] = blocks("python")
    environment = os.environ | {"KEY": alice.key().record["key"]}

    done = subprocess.run(
        [sys.executable, "-c", here(lines, service)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout.startswith(f"{service.url}/v1/documents/doc_")


def test_the_commands_to_operate_it_work_as_they_stand(start_service, tmp_path):
    service = start_service(RATE_LIMITS="off")
    person = service.register()
    document = person.upload(b"kept")
    lines = "".join(blocks("sh", "Operating")).replace("/var/backups/documents", str(tmp_path))
    beside, restore, after = re.split(r"^(flask restore .*\n)", lines, flags=re.M)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    set_up = {"PATH": path, "FLASK_APP": "app", "BACKUPS": str(tmp_path)}

    def run(script):
        done = subprocess.run(  # noqa: PLW1510
            ["sh", "-e", "-c", script],
            cwd=ROOT,
            env=service.environment() | set_up,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    assert "WRONG" not in run(beside)
    service.stop()
    assert "1 users and 1 documents" in run(restore)
    service.start()
    said = run(after)

    assert "All keys decrypt." in said
    assert "you@example.org has an account" in said
    person = service.log_in(person.record["email"])
    assert person.get(f"/v1/documents/{document['id']}/content").body == b"kept"


def test_every_command_is_told_of():
    told = section("Operating")
    for command in COMMANDS:
        for name in getattr(command, "commands", {"": None}):
            assert f"flask {command.name} {name}".strip() in told


def test_the_readme_has_the_two_commands():
    run = "python3 -m venv .venv && .venv/bin/pip install -q -e . && .venv/bin/python app.py"
    test = "python3 -m venv .venv && .venv/bin/pip install -q -e '.[test]' && .venv/bin/pytest"

    assert f"    {run}\n" in README
    assert f"    {test}\n" in README


def test_the_receiver_in_ten_lines_verifies_what_it_gets(start_service):
    pytest.importorskip("standardwebhooks")
    owner = start_service(WEBHOOK_ALLOW="127.0.0.0/8").register()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    hook = owner.post("/v1/webhooks", json={"url": f"http://127.0.0.1:{port}/"}).json
    [lines] = blocks("python", HOOKS)
    receiver = subprocess.Popen(
        [sys.executable, "-u", "-c", lines.replace("9000", str(port))],
        env=os.environ | {"SECRET": hook["secret"]},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    with receiver:
        until(lambda: is_listening(port))
        owner.post(f"/v1/webhooks/{hook['id']}/test")
        told = receiver.stdout.readline()
        receiver.terminate()

    assert "'type': 'webhook.test'" in told
