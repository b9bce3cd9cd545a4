"""`deploy/install.sh` with a systemd that is played by a script: the service runs at the end,
whatever fails or interrupts it.
"""

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from tests.people import PASSWORD
from tests.service import ROOT, free_port
from tests.tus import STREAM
from tests.waiting import until

pytestmark = pytest.mark.slow

SYSTEMCTL = """#!/bin/sh
# Starts and stops the service of the current version as systemd would, and notes each call.
echo "$@" >>"$WORK/calls"
running() { [ -e "$WORK/pid" ] && kill -0 "$(cat "$WORK/pid")" 2>/dev/null; }
case "$1" in
  stop)
    if running; then
      kill "$(cat "$WORK/pid")"
      while running; do sleep 0.05; done
    fi
    rm -f "$WORK/pid"
    ;;
  start | restart)
    "$0" stop
    cd "$WORK/current"
    [ ! -e "$WORK/credential" ] || export DOCSERVICE_KEYRING_FILE="$WORK/credential"
    DOCSERVICE_LISTEN=127.0.0.1:$PORT DOCSERVICE_INSTANCE_PATH="$WORK/data" \\
      setsid .venv/bin/document-service serve >>"$WORK/log" 2>&1 </dev/null &
    echo $! >"$WORK/pid"
    ;;
  show) if running; then echo 0; else echo 9; fi ;;
  is-failed) exit 1 ;;
  cat) [ ! -e "$WORK/credential" ] || echo "LoadCredential=keyring:$WORK/credential" ;;
esac
"""
PYTHON = f"""#!/bin/sh
# Makes an environment that borrows the packages of the one that runs the tests.
mkdir -p "$3/bin"
printf '#!/bin/sh\\nexit 0\\n' >"$3/bin/pip"
printf '#!/bin/sh\\nexec {sys.executable} "$@"\\n' >"$3/bin/python"
chmod +x "$3/bin/"*
"""
NOTHING = "#!/bin/sh\n"
COPIED = ("*.py", "requirements.lock", "deploy", "document_service")  # its folder is where it lies
LINKED = (
    "blueprints",
    "crypto",
    "models",
    "operations",
    "server",
    "templates",
    "viewer",
    "webhooks",
)


class Machine:
    """A machine on which install.sh has its folders below `work`."""

    def __init__(self, work):
        self.work = work
        self.port = free_port()
        (work / "bin").mkdir()
        (work / "data").mkdir(mode=0o700)
        programs = {"systemctl": SYSTEMCTL, "python3": PYTHON, "useradd": NOTHING, "chown": NOTHING}
        for name, text in programs.items():
            (work / "bin" / name).write_text(text)
            (work / "bin" / name).chmod(0o755)
        self.environment = {
            "PATH": f"{work}/bin:{os.environ['PATH']}",
            "WORK": str(work),
            "PORT": str(self.port),
            "URL": f"http://127.0.0.1:{self.port}",
            "READY_SECONDS": "40",
        }

    def checkout(self, name="checkout", app=None):
        """Make a checkout; `app` is the text of an app.py that does not work."""
        folder = self.work / name
        folder.mkdir()
        for pattern in COPIED:
            for path in ROOT.glob(pattern):
                subprocess.run(["cp", "-r", path, folder], check=True)
        for one in LINKED:
            (folder / one).symlink_to(ROOT / one)
        script = folder / "deploy" / "install.sh"
        text = script.read_text()
        for place, inside in (
            ("/opt/$SERVICE-versions", "versions"),
            ("/opt/$SERVICE", "current"),
            ("/var/backups/$SERVICE", "backups"),
            ("/var/lib/$SERVICE", "data"),
            ("/etc/systemd/system/", "unit-"),
            ("/etc/$SERVICE", "settings"),
        ):
            text = text.replace(place, f"{self.work}/{inside}")
        script.write_text(text)
        if app is not None:
            (folder / "app.py").write_text(app)
        return script

    def begin(self, script, *options):
        return subprocess.Popen(
            [script, *options],
            env=self.environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def run(self, script, *options, code=0):
        process = self.begin(script, *options)
        printed, _ = process.communicate(timeout=240)
        assert process.returncode == code, printed
        return printed

    def is_ready(self):
        command = ["curl", "-sf", "-o", "/dev/null", f"{self.environment['URL']}/readyz"]
        return subprocess.run(command, check=False).returncode == 0

    def calls(self):
        return (self.work / "calls").read_text().splitlines()

    def current(self):
        return os.readlink(self.work / "current")

    def backups(self):
        return sorted((self.work / "backups").glob("*.sqlite"))

    def versions(self):
        return sorted(str(path) for path in (self.work / "versions").iterdir())


class Account:
    """An account of the service on a machine, by its API key."""

    def __init__(self, machine):
        self._url = machine.environment["URL"]
        self._headers = {}
        login = {"email": "ada@example.org", "password": PASSWORD}
        self.send("POST", "/v1/auth/register", login)
        token = json.loads(self.send("POST", "/v1/auth/login", login)[1])["accessToken"]
        self._headers = {"Authorization": f"Bearer {token}"}
        key = json.loads(self.send("POST", "/v1/api-keys", {})[1])["key"]
        self._headers = {"X-API-Key": key}

    def send(self, method, path, data=None, headers=()):
        """Return headers and body of an answer."""
        given = self._headers | dict(headers)
        if isinstance(data, dict):
            data, given = json.dumps(data).encode(), given | {"Content-Type": "application/json"}
        request = urllib.request.Request(self._url + path, data, given, method=method)
        with urllib.request.urlopen(request, timeout=120) as answer:
            return answer.headers, answer.read()

    def upload(self, content):
        """Upload a file in pieces; return the id of the document."""
        size = {"Upload-Length": str(len(content))}
        address = self.send("POST", "/v1/uploads", headers=size)[0]["Location"]
        path = address.removeprefix(self._url)
        head = STREAM | {"Upload-Offset": "0"}
        return self.send("PATCH", path, content, head)[0]["Document-Id"]

    def content(self, id):
        """Return the bytes of a document; None if it is not there."""
        try:
            return self.send("GET", f"/v1/documents/{id}/content")[1]
        except urllib.error.HTTPError as error:
            if error.code == 404:
                return None
            raise


@pytest.fixture
def machine(tmp_path):
    machine = Machine(tmp_path)
    yield machine
    subprocess.run(
        [tmp_path / "bin" / "systemctl", "stop"], env=machine.environment, check=True, timeout=60
    )


@pytest.fixture
def installed(machine):
    machine.run(machine.checkout())
    (machine.work / "calls").write_text("")
    return machine


def test_an_update_backs_up_and_the_way_back_restores(installed):
    machine = installed
    first = machine.current()

    machine.run(machine.work / "checkout/deploy/install.sh")
    second = machine.current()
    (backup,) = machine.backups()

    assert second != first
    assert backup.name.startswith(Path(first).name)
    assert machine.is_ready()

    said = machine.run(machine.work / "current/deploy/install.sh", "rollback")

    assert machine.current() == first
    assert len(machine.backups()) == 2
    assert "What came since is in" in said
    assert machine.is_ready()


def test_the_way_back_has_the_large_payloads_of_before_and_keeps_those_of_since(installed):
    machine = installed
    account = Account(machine)
    large = os.urandom(1 << 20) * 65  # above 64 MiB: in a file
    kept, other = account.upload(large), account.upload(large[1:])
    machine.run(machine.work / "checkout/deploy/install.sh")
    (before,) = machine.backups()
    account.send("DELETE", f"/v1/documents/{other}")
    until(lambda: len(payloads_in(machine.work / "data/payloads")) == 1)
    newer = account.upload(large[2:])

    machine.run(machine.work / "current/deploy/install.sh", "rollback")

    assert [account.content(id) for id in (kept, other, newer)] == [large, large[1:], None]
    (since,) = set(machine.backups()) - {before}
    payloads = [
        payloads_in(machine.work / "backups" / f"{one.name}.payloads") for one in (before, since)
    ]
    assert [len(one) for one in payloads] == [2, 2]
    assert len({path.name for one in payloads for path in one}) == 3


def payloads_in(folder):
    return [path for path in folder.rglob("*") if path.is_file()]


def test_a_version_that_does_not_start_is_given_up_and_deleted(installed):
    machine = installed
    former = machine.current()
    began = time.monotonic()

    said = machine.run(machine.checkout("broken", "raise SystemExit('broken')"), code=1)

    assert "did not get ready" in said
    assert machine.current() == former
    assert machine.versions() == [former]
    assert machine.is_ready()
    assert time.monotonic() - began < 40  # READY_SECONDS are not waited for


def test_a_keyring_that_is_a_credential_is_found_where_the_unit_has_it(installed):
    machine = installed
    (machine.work / "data/keyring").rename(machine.work / "credential")

    machine.run(machine.work / "checkout/deploy/install.sh")
    machine.run(machine.work / "current/deploy/install.sh", "rollback")

    assert machine.is_ready()


def in_place_of_the_folder(machine):
    (machine.work / "backups").write_text("no folder")


def without_a_database(machine):
    (machine.work / "data/documents.sqlite").rename(machine.work / "elsewhere.sqlite")


@pytest.mark.parametrize("obstacle", [in_place_of_the_folder, without_a_database])
def test_an_update_without_a_backup_is_refused_before_the_service_is_stopped(installed, obstacle):
    machine = installed
    former = machine.current()
    obstacle(machine)

    said = machine.run(machine.work / "checkout/deploy/install.sh", code=1)

    assert "--no-backup" in said
    assert "the service runs as before" in said
    assert not {"stop", "start", "restart"} & {one.split()[0] for one in machine.calls()}
    assert machine.versions() == [former]


def test_a_way_back_that_cannot_be_restored_leaves_the_service_as_it_was(installed):
    machine = installed
    machine.run(machine.work / "checkout/deploy/install.sh")
    newer = machine.current()
    (backup,) = machine.backups()
    os.truncate(backup, backup.stat().st_size - 4096)

    said = machine.run(machine.work / "current/deploy/install.sh", "rollback", code=1)

    assert "was cut off" in said
    assert machine.current() == newer
    assert machine.is_ready()


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGINT, signal.SIGTERM])
def test_an_update_that_is_interrupted_starts_the_former_version_again(installed, number):
    machine = installed
    former = machine.current()
    ignored = signal.signal(number, signal.SIG_DFL)  # as below nohup: a shell can't trap it then
    process = machine.begin(machine.checkout("slow", "import time\ntime.sleep(600)\n"))
    signal.signal(number, ignored)
    deadline = time.monotonic() + 120
    while not any(call.startswith("restart") for call in machine.calls()):
        assert time.monotonic() < deadline
        time.sleep(0.05)

    os.killpg(process.pid, number)
    printed, _ = process.communicate(timeout=120)

    assert process.returncode == 128 + number, printed
    assert machine.current() == former
    assert machine.is_ready()


def test_keep_deletes_all_but_the_newest_versions_and_backups(installed):
    machine = installed
    script = machine.work / "checkout/deploy/install.sh"
    for _ in range(2):
        machine.run(script)
    assert len(machine.versions()) == 3
    former = machine.current()
    for backup in machine.backups():
        (backup.parent / f"{backup.name}.payloads" / "00").mkdir(parents=True)

    machine.run(script, "--keep", "2")

    assert machine.versions() == [former, machine.current()]
    assert len(machine.backups()) == 2
    folders = {path.stem for path in (machine.work / "backups").glob("*.payloads")}
    assert folders <= {path.name for path in machine.backups()}
    assert folders
    machine.run(machine.work / "current/deploy/install.sh", "rollback")
    assert machine.current() == former


@pytest.mark.parametrize("words", [["--keep"], ["--keep", "0"], ["--keep", "x"], ["--purge"]])
def test_a_wrong_option_is_answered_with_the_right_ones(machine, words):
    said = machine.run(machine.checkout(), *words, code=2)
    assert re.search(r"--keep N", said)
    assert not (machine.work / "calls").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root mounts a disk")
def test_an_update_without_room_for_the_backup_is_refused_while_the_service_runs(installed):
    machine = installed
    former = machine.current()
    folder = machine.work / "backups"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "none", folder]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("this user may not mount file systems")
    try:
        said = machine.run(machine.work / "checkout/deploy/install.sh", code=1)
        left = list(folder.iterdir())
    finally:
        subprocess.run(["umount", folder], check=True)

    assert "no room left" in said
    assert left == []
    assert machine.current() == former
    assert machine.is_ready()
    assert not {"stop", "restart"} & {one.split()[0] for one in machine.calls()}
