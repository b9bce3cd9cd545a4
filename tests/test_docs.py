"""The documentation's commands are run, and what it says of the code is compared with the code."""

import ast
import os
import re
import shutil
import socket
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from blueprints.commands.every import COMMANDS
from blueprints.http.problems import STATUS
from models.core import Limit, counted, rate_limits
from models.events import EVENT_TYPES, MAIL_KINDS, MOST_LINES, SERVICE_TYPES
from models.events.mail_limit import DAY, HOUR, MINUTE
from settings import Settings
from tests.people import Person
from tests.service import ROOT, Service, StartError, free_port
from tests.test_security import existing_tests
from tests.trees import nodes_of
from tests.waiting import until

PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")]
PAGES += sorted((ROOT / "docs").glob("*.md"))
TEXT = {str(page.relative_to(ROOT)): page.read_text() for page in PAGES}
FIVE_MINUTES = ("README.md", "The first five minutes")
SHELLS = [name for name in ("sh", "bash", "zsh", "dash") if shutil.which(name)]
RUN = "python3 -m venv .venv && .venv/bin/pip install -q -e . && .venv/bin/python app.py"
TEST = "python3 -m venv .venv && .venv/bin/pip install -q -e '.[test]' && .venv/bin/pytest"

INSTALLS = "installs packages"
NOT_RUN = {  # the first line of a shell block -> why no test runs it
    RUN: INSTALLS,
    TEST: INSTALLS,
    "DOCSERVICE_LISTEN=127.0.0.1:8001 .venv/bin/python app.py": "the test of a taken port does so",
    "DOCSERVICE_WEBHOOK_ALLOW=127.0.0.0/8 .venv/bin/python app.py": "the test starts it like this",
    "pipx install ./document_service-*.whl && document-service serve": "deploy/try-package does so",
    "python3 -m venv hooks && hooks/bin/pip install -q standardwebhooks": INSTALLS,
    "DOMAIN=docs.example.org docker compose -f deploy/compose.yaml up -d --build": "needs Docker",
    "cd /opt/document-service": "needs systemd",
    "systemctl stop document-service": "needs systemd",
    "deploy/install.sh": "deploy/try-install boots systemd",
    "/opt/document-service/deploy/install.sh rollback": "deploy/try-install boots systemd",
    "mkdir -m 0700 /var/backups/documents": "needs systemd",
    "document-service backup move.sqlite": "needs a second machine",
    'install -d -m 0700 "$(document-service where)" &&': "needs a second machine",
    "python3 -m venv .venv": INSTALLS,
    "uv pip compile --universal --generate-hashes --python-version 3.11 --upgrade --extra s3 "
    "--extra postgres --extra oidc -o requirements.lock pyproject.toml": INSTALLS,
    ".venv/bin/pytest tests/crypto/test_sealing.py": "is a part of the suite itself",
    ".venv/bin/pip install -q -e '.[s3]'": INSTALLS,
    ".venv/bin/pip install -q -e '.[postgres]'": INSTALLS,
    "sudo -u postgres createuser --pwprompt docs": "needs a PostgreSQL server",
    "document-service copy --to postgresql://docs@db.example.net/docs": (
        "the test of a copied service does so"
    ),
    "umask 077 && mkdir -p /etc/document-service && cd /etc/document-service": "needs Docker",
    "DOMAIN=docs.example.org SECRETS=/etc/document-service docker compose -f "
    "deploy/compose.postgres.yaml up -d --build": "needs Docker",
    "docker run --rm -v deploy_keys:/keys document-service cat /keys/keyring > "
    "/etc/document-service/keyring": "needs Docker",
    "pg_dump -Fc postgresql://docs@db.example.net/docs > docs.dump": "needs a PostgreSQL server",
    "aws s3api put-bucket-lifecycle-configuration --bucket my-documents "
    "--lifecycle-configuration file://unfinished.json": "needs Amazon's program",
    "document-service payloads move --to objects": (
        "needs a bucket; the tests of the object store do so"
    ),
    "document-service doctor --deep": "needs a bucket; the tests of the object store do so",
    ".venv/bin/ruff check .": "the checks before the tests in .ci/run do so",
}
LANGUAGES = {"sh", "python", "json", "html", "caddyfile", "nginx", "ini", "text", "yaml", "mermaid"}


def section(page, title):
    return re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", TEXT[page], re.M | re.S)[1]


def blocks(text, language="sh"):
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)


def commands(text):
    """The shell blocks of a text that tests run."""
    return [block for block in blocks(text) if block.splitlines()[0] not in NOT_RUN]


def local(lines, service):
    """The same lines for a service that listens elsewhere."""
    lines = lines.replace("http://127.0.0.1:8000", service.url)
    return lines.replace("correct horse battery", "correct horse battery staple")


def write_scripts(page, folder, service):
    """Save the page's Python blocks under the name in their first line."""
    for block in blocks(TEXT[page], "python"):
        name = block.splitlines()[0].removeprefix("# ")
        (folder / name).write_text(local(block, service))


def five_minutes(service, shell):
    """The blocks of the README, for an account of this shell's own."""
    return [
        local(block, service).replace("me@example", f"{shell}@example")
        for block in commands(section(*FIVE_MINUTES))
    ]


def run_shell(shell, lines, folder):
    command = [shell, "-e", "-c", lines]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    assert '"code"' not in done.stdout
    return done.stdout


def test_every_shell_block_is_run_or_listed_with_a_reason():
    runnable = {
        *blocks(section(*FIVE_MINUTES)),
        *blocks(TEXT["docs/api.md"]),
        *blocks(TEXT["docs/webhooks.md"]),
        *blocks(TEXT["docs/operating.md"]),
    }
    found = {block for text in TEXT.values() for block in blocks(text)}
    listed = {block for block in found if block.splitlines()[0] in NOT_RUN}

    assert {block.splitlines()[0] for block in listed} == set(NOT_RUN)
    assert found - listed <= runnable
    for page, text in TEXT.items():
        assert set(re.findall(r"^```(\w*)\n.*?^```$", text, re.M | re.S)) <= LANGUAGES, page


@pytest.mark.skipif(not shutil.which("curl"), reason="there is no curl here")
@pytest.mark.parametrize("shell", SHELLS)
def test_the_first_five_minutes_work_as_written(service, tmp_path, shell):
    *steps, revoke, delete = five_minutes(service, shell)
    view = 'curl -s -o /dev/null -w "%{http_code}\\n" '
    first, second = (
        f"{view}$(field viewUrl < answer.json)\n",
        f"{view}$(field viewUrl < link.json)\n",
    )

    printed = run_shell(
        shell,
        "".join(steps)
        + f'printf "KEY=%s\\n" "$KEY"\n{second}'
        + revoke
        + second
        + first
        + delete
        + first,
        tmp_path,
    )

    assert (tmp_path / "again.md").read_bytes() == (tmp_path / "minutes.md").read_bytes()
    assert b'id="document"' in (tmp_path / "minutes.md.html").read_bytes()
    assert (
        len(re.findall(rf"^{service.url}/v1/documents/doc_\w+/view\?token=dt_\w+$", printed, re.M))
        == 2
    )
    assert re.search(r"^KEY=pk_live_\w{38}\n200\n410\n200\n410\n\Z", printed, re.M)


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("curl"), reason="there is no curl here")
@pytest.mark.parametrize("shell", SHELLS)
def test_the_examples_of_the_api_page_work_as_written(service, tmp_path, shell):
    write_scripts("docs/api.md", tmp_path, service)
    *before, _delete = five_minutes(service, f"api.{shell}")

    printed = run_shell(
        shell.removeprefix("api."),
        "".join([*before, *(local(block, service) for block in commands(TEXT["docs/api.md"]))]),
        tmp_path,
    )

    first, again = re.findall(r"^key_\w+$", printed, re.M)
    assert first == again, "the Idempotency-Key made a second key"
    assert '"name":"minutes.md"' in printed
    assert '"label":"for the board"' in printed
    assert len(re.findall(rf"^{service.url}/v1/documents/doc_\w+/view\?", printed, re.M)) == 4
    assert (tmp_path / "sealed.html").stat().st_size > 0


@pytest.mark.skipif(not shutil.which("curl"), reason="there is no curl here")
def test_the_webhook_receiver_verifies_and_prints_a_test_event(start_service, tmp_path):
    pytest.importorskip("standardwebhooks")
    service = start_service(WEBHOOK_ALLOW="127.0.0.0/8", RATE_LIMITS="off")
    write_scripts("docs/webhooks.md", tmp_path, service)
    port = free_port()
    (receiver := tmp_path / "receiver.py").write_text(
        receiver.read_text().replace("9000", str(port))
    )
    *before, _delete = five_minutes(service, "hook")
    feed, create, send, look = [
        block.replace("hooks/bin/python", sys.executable).replace(
            "127.0.0.1:9000", f"127.0.0.1:{port}"
        )
        for block in commands(TEXT["docs/webhooks.md"])
    ]
    shell = subprocess.Popen(
        ["sh", "-e"],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
    )
    with shell:
        shell.stdin.write("".join([*before, feed, create]))
        until(lambda: is_listening(port))
        shell.stdin.write(f"{send}echo\n")
        received = next(line for line in shell.stdout if line.startswith("{'type'"))
        shell.stdin.write(look)
        shell.stdin.close()
        rest = shell.stdout.read()

    assert "'type': 'webhook.test'" in received
    assert '"deliveries":[{' in rest
    assert shell.returncode == 0


def is_listening(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


FORKING = """
import json, os, signal, socket, sys, traceback
import app, blueprints.commands.every
from document_service.__main__ import main
listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
listener.bind(f"{sys.argv[1]}.new")
listener.listen()
os.rename(f"{sys.argv[1]}.new", sys.argv[1])
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
while True:
    caller, _ = listener.accept()
    request, handles, _, _ = socket.recv_fds(caller, 1 << 18, 3)
    if os.fork() == 0:
        break
    caller.close()
    for handle in handles:
        os.close(handle)
signal.signal(signal.SIGCHLD, signal.SIG_DFL)
for number, handle in enumerate(handles):
    os.dup2(handle, number)
    os.close(handle)
sys.argv, environment = json.loads(request)
os.environ.clear()
os.environ.update(environment)
code = 1
try:
    main(prog_name="document-service")
except SystemExit as ended:
    code = ended.code or 0
except BaseException:
    traceback.print_exc()
sys.stdout.flush()
sys.stderr.flush()
caller.send(str(code).encode())
os._exit(code)
"""
COMMAND = """#!{} -IS
import json, os, socket, sys
server = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
server.connect({!r})
socket.send_fds(server, [json.dumps([sys.argv, dict(os.environ)]).encode()], [0, 1, 2])
sys.exit(int(server.recv(9) or 1))
"""


@pytest.fixture
def quick_command(tmp_path):
    """A folder with the command, which forks a process that has imported the service."""
    (folder := tmp_path / "bin").mkdir()
    program = folder / "document-service"
    program.write_text(COMMAND.format(sys.executable, str(folder / "socket")))
    program.chmod(0o700)
    with subprocess.Popen([sys.executable, "-c", FORKING, folder / "socket"], cwd=ROOT) as process:
        until((folder / "socket").exists)
        yield folder
        process.kill()


def test_the_operator_commands_work_as_written(start_service, tmp_path, quick_command):
    service = start_service(RATE_LIMITS="off")
    person = service.register()
    document = person.upload(b"kept")
    lines = "".join(commands(TEXT["docs/operating.md"]))
    lines = lines.replace("/var/backups/documents", str(tmp_path))
    lines = lines.replace(
        "document-service mail test you@example.org\n", ""
    )  # tests of mail have a server
    beside, restore, after = re.split(r"^(document-service restore .*\n)", lines, flags=re.M)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    set_up = {"PATH": path, "BACKUPS": str(tmp_path)}

    def run(script, **changed):
        done = subprocess.run(  # noqa: PLW1510
            ["sh", "-e", "-c", script],
            cwd=ROOT,
            env=service.environment() | set_up | changed,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    assert "WRONG" not in run(beside, PATH=f"{quick_command}:{path}")
    service.stop()
    assert "1 user and 1 document" in run(restore)  # by the program that was installed
    service.start()
    printed = run(after, PATH=f"{quick_command}:{path}")

    assert "you@example.org has an account" in printed
    assert "All keys decrypt." in printed
    person = service.log_in(person.record["email"])
    assert person.get(f"/v1/documents/{document['id']}/content").body == b"kept"


ROTATION = next(block for block in blocks(TEXT["docs/operating.md"]) if "keys rotate" in block)


PROGRAM = """#!/bin/sh
echo "$(basename "$0") $*" >> {record}
case "$(basename "$0") $*" in *"{fails}"*) exit 1 ;; esac
[ -n "$1" ] && echo "$*"
"""


@pytest.mark.parametrize("fails", ["where", "cp", "keys rotate", "keys kept", "keys check"])
def test_no_root_key_is_retired_after_a_step_that_failed(tmp_path, fails):
    record = tmp_path / "record"
    for name in ("cp", "document-service"):
        (tmp_path / name).write_text(PROGRAM.format(record=record, fails=fails))
        (tmp_path / name).chmod(0o700)
    lines = ROTATION.replace("/var/backups/documents", str(tmp_path))
    path = f"{tmp_path}:{os.environ['PATH']}"
    done = subprocess.run(["sh", "-c", lines], env={"PATH": path}, check=False)

    assert done.returncode != 0
    assert ("document-service keys retire" in record.read_text()) == (fails == "keys check")


def test_a_second_rotation_on_one_day_keeps_the_copies_of_the_first(tmp_path):
    keyring, programs = tmp_path / "keyring", tmp_path / "programs"
    programs.mkdir()
    for name, lines in {
        "date": f'exec {shutil.which("date")} -u -d "@$(cat {tmp_path}/clock)" "$@"',
        "document-service": f'[ "$1" = where ] && echo {keyring}; exit 0',
    }.items():
        (programs / name).write_text(f"#!/bin/sh\n{lines}\n")
        (programs / name).chmod(0o700)
    lines = ROTATION.replace("/var/backups/documents", str(tmp_path))

    for hour in (8, 9):
        (tmp_path / "clock").write_text(str(hour * 3600))
        keyring.write_text(f"of {hour}")
        path = f"{programs}:{os.environ['PATH']}"
        subprocess.run(["sh", "-c", lines], env={"PATH": path}, check=True)

    kept = sorted(one.read_text() for one in (tmp_path / "keyrings").iterdir())
    assert kept == ["of 8", "of 8", "of 9", "of 9"]


@pytest.mark.slow
def test_a_taken_port_is_reported_as_the_readme_says(service, tmp_path):
    with pytest.raises(StartError) as failed:
        Service(tmp_path, LISTEN=f"127.0.0.1:{service.port}")
    assert "Address already in use" in str(failed.value)
    assert "`Address already in use`" in section("README.md", "Run it")


INSTALLER = re.compile(
    r"""\b(?:pip[\d.]*|pipx|uvx?)\ [^\n`|&;]*
    |\bdependencies\ *=\ *\[(?:[^\n]+|\n(?:\ +[^\n]*\n)*)""",
    re.X,
)
BARE_NAME = re.compile(r"(?<![\w./-])document[-_.]service(?![\w/-]|\.\w|(?:\[[^\]]*\])? *@ )", re.I)
GIVEN_FILE = re.compile(r"""(?<=\ )(?:--from|--spec)[=\ ](\S+)(.*?\ )document-service(?=\ |$)""")


def installs_by_name(text):
    """What of a text has an index of packages look for the name of the service.

    Behind an installer's name only the command of a package that was named before is called so.
    """
    for line in INSTALLER.findall(text.replace("\\\n", " ")):
        if BARE_NAME.search(GIVEN_FILE.sub(r"\1\2", line, count=1)):
            yield line


def test_no_line_installs_by_a_name_that_anybody_may_register_at_the_index_of_packages():
    sources = [path for path in ROOT.glob("**/*.py") if "tests" not in path.parts]
    pages = [*ROOT.glob("templates/**/*.html"), *ROOT.glob("deploy/*"), *ROOT.glob(".ci/*")]
    own = [one for one in (*sources, *pages) if ".venv" not in one.parts and one.is_file()]

    for text in (*TEXT.values(), *(one.read_text() for one in own)):
        assert list(installs_by_name(text)) == []


@pytest.mark.parametrize(
    "wrong",
    [
        "pip install document-service",
        "pip3 install document-service",
        "pip3.11 install -U document-service",
        "python3 -m pip install --user Document_Service",
        "pip wheel document-service",
        "pip install \\\n  document-service",
        "pip install requests 'document-service>=1'",
        "pipx install 'document-service[oidc]' && document-service serve",
        "pipx inject hooks document-service",
        "pipx run document-service serve",
        "Run: pipx run document-service.",
        "uv tool install document_service==1.0.1",
        "uv tool install --from document-service document-service",
        "uv add --dev document-service[pytest]",
        "uvx document-service serve",
        "uvx --from document-service document-service serve",
        "uvx --from 'document-service[oidc]' document-service serve",
        "uvx --from=document-service document-service",
        'dependencies = ["document-service[pytest]"]',
        'dependencies = [\n    "flask",\n    "document-service[pytest]",\n]\n',
    ],
)
def test_a_line_that_installs_by_the_bare_name_is_found(wrong):
    assert list(installs_by_name(wrong))


@pytest.mark.parametrize(
    "right",
    [
        "pipx install ./document_service-*.whl && document-service serve",
        "pip install './document_service-1.0.1-py3-none-any.whl[oidc]'",
        "pip install 'document-service[oidc] @ https://example.org/document_service.whl'",
        "pip install -e ../document-service",
        "pip install ../document-service/dist/document_service-1.0.1.tar.gz",
        "uvx --from ./document_service-1.0.1-py3-none-any.whl document-service serve",
        "pipx run --spec ./document_service-1.0.1-py3-none-any.whl document-service serve",
        "`pip` installs it, and `document-service serve` serves",
        'dependencies = ["flask"]\n[project.scripts]\ndocument-service = "x"',
        'dependencies = [\n    "flask",\n]\n[project.scripts]\ndocument-service = "x"',
    ],
)
def test_a_line_that_installs_a_file_is_none_of_them(right):
    assert not list(installs_by_name(right))


def test_every_command_is_documented():
    text = TEXT["docs/operating.md"] + TEXT["docs/scaling.md"]
    for command in COMMANDS:
        for name in getattr(command, "commands", {"": None}):
            assert f"document-service {command.name} {name}".strip() in text


def test_the_readme_is_short_and_has_the_two_commands():
    assert len(TEXT["README.md"].splitlines()) <= 160
    assert {f"{RUN}\n", f"{TEST}\n"} <= set(blocks(TEXT["README.md"]))


def test_every_relative_link_and_picture_exists():
    for page, text in TEXT.items():
        named = re.findall(r"\]\(([^)\s]+)\)|(?:src|srcset)=\"([^\"]+)\"", text)
        for link in filter(lambda link: "://" not in link, map("".join, named)):
            path, _, anchor = link.partition("#")
            target = (ROOT / page).parent / path if path else ROOT / page
            assert target.exists(), f"{page}: {link}"
            if anchor:
                assert anchor in headings(target.read_text()), f"{page}: {link}"
    assert all(path.stat().st_size < 150_000 for path in (ROOT / "docs/images").iterdir())


def test_every_file_that_a_page_names_exists():
    for page in set(TEXT) - {"CHANGELOG.md"}:
        for name in re.findall(r"`((?:\w+/)+[\w.-]+\.\w+)`", TEXT[page]):
            assert (ROOT / name).exists(), f"{page}: {name}"


def headings(text):
    """The anchors of a page's headings, as GitHub makes them."""
    titles = re.findall(r"^#+ (.+)$", text, re.M)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def test_the_error_table_lists_every_code_with_its_status():
    row = re.compile(r"^\| (\d{3}) \| `(\w+)` \| [^|]+ \| [^|]+ \|$", re.M)
    listed = {code: int(status) for status, code in row.findall(TEXT["docs/api.md"])}
    assert listed == STATUS | {"bad_request": 400, "method_not_allowed": 405}


def test_the_settings_table_has_the_sentences_of_the_code():
    row = re.compile(r"^\| `([A-Z_]+)` \| [^|]+ \| (.+?) \|$", re.M)
    listed = dict(row.findall(TEXT["docs/operating.md"]))
    sentences = {one.name.upper(): one.metadata["description"] for one in fields(Settings)}
    assert listed == sentences


def test_the_tables_of_events_have_every_type_in_its_order():
    row = re.compile(r"^\| `(\w+\.\w+)` \| ", re.M)
    assert row.findall(TEXT["docs/webhooks.md"]) == list(EVENT_TYPES)
    table = TEXT["docs/operating.md"].partition("| In the service's chain | When |")[2]
    names = re.findall(r"^\| (.*?) \|", table.partition("\n\n")[0], re.M)
    listed = re.findall(r"`(\w+\.\w+)`", " ".join(names))
    assert sorted(listed) == sorted(SERVICE_TYPES)


def test_every_metric_of_the_alerts_is_exported(start_service):
    service = start_service(METRICS="on")
    service.register()
    exported = Person(service).get("/metrics").text
    named = re.findall(r"\b(?:docservice|process)_\w+", section("docs/operating.md", "Watch"))
    assert len(named) > 5
    assert [name for name in named if name not in exported] == []


def test_the_example_of_a_log_line_has_the_form_of_a_real_one(service, anonymous):
    anonymous.get("/healthz")
    form = r"[\dT:.-]{23}Z \S+ [A-Z-]+ \S+ \d{3} [\d.]+ ms \d+ bytes by \S+"
    [example] = blocks(section("docs/operating.md", "Watch"), "text")
    assert re.fullmatch(form, example.strip())
    assert re.search(f"^{form}$", service.stderr(), re.M)


def test_the_picture_of_the_layers_shows_every_import_between_them():
    _capabilities, picture = blocks(TEXT["docs/architecture.md"], "mermaid")
    drawn = set(re.findall(r"^ *(\w+) --> (\w+)$", picture, re.M))
    layers = {name for edge in drawn for name in edge}
    imported = {
        (layer, other)
        for layer in layers
        for file in [*ROOT.glob(f"{layer}.py"), *(ROOT / layer).rglob("*.py")]
        for other in imports(file) & (layers - {layer})
    }

    assert drawn == imported
    folders = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests"}
    assert layers == folders | {"app", "environment", "settings", "testing"}


def imports(file):
    """The top-level names that a file imports absolutely."""
    nodes = nodes_of(file)
    modules = [n.module for n in nodes if isinstance(n, ast.ImportFrom) and not n.level]
    modules += [a.name for n in nodes if isinstance(n, ast.Import) for a in n.names]
    return {module.partition(".")[0] for module in modules}


def test_the_walks_name_files_and_functions_that_exist():
    row = re.compile(r"^\| \d+ \| `([\w/]+\.py)` \| ((?:`\w+`(?:, )?)+) \| .+ \|$", re.M)
    steps = row.findall(TEXT["docs/architecture.md"])
    assert len(steps) > 20
    for file, names in steps:
        source = (ROOT / file).read_text()
        for name in re.findall(r"\w+", names):
            assert re.search(rf"^\s*(?:def|class) {name}\b|^{name}\b", source, re.M), (file, name)


def test_what_you_owe_names_its_home_and_tests_that_exist():
    table = section("docs/architecture.md", "What you owe when you add …")
    rows = re.findall(r"^\| (.+?) \| (.+?) \| (.+?) \| (.+?) \|$", table, re.M)[1:]
    assert len(rows) > 12
    existing = existing_tests()
    for what, _, home, told_by in rows:
        names = re.findall(r"`(test_\w+)`", told_by)
        assert names, what
        assert set(names) <= existing, what
        for name, file in re.findall(r"`(\w+)` in `([\w/]+\.py)`", home):
            assert re.search(rf"\b{name}\b", (ROOT / file).read_text()), (what, name, file)


def test_the_limits_of_requests_are_listed_as_they_are():
    row = re.compile(
        r"^\| `([\w-]+)` \| ([\d,]+) .+ in ([\d,]+) (minutes|hours)[^|]* \| .+ \|$", re.M
    )
    seconds = {"minutes": 60, "hours": 3600}
    table = TEXT["docs/api.md"].partition("## Limits")[2]
    listed = {
        (name, int(count.replace(",", "")), int(length) * seconds[unit])
        for name, count, length, unit in row.findall(table)
    }
    limits = [one for one in vars(rate_limits).values() if isinstance(one, Limit)]
    known = {(one.name, one.count, one.seconds) for one in limits}
    assert listed == known - {("original-load", 1, 3600)}  # which refuses nobody


KINDS_OF_MAIL = {  # and their names in the documentation
    "code": "code for a link",
    "reset": "new password",
    "confirmation": "question whether notices may be sent",
    "notice": "notice",
    "link": "link for named people",
    "receipt": "receipt of what was accepted",
    "invitation": "invitation",
    "member": "invitation to a space",
}


def test_the_page_for_operators_says_how_often_and_for_how_long_a_mail_is_sent():
    table = TEXT["docs/operating.md"].partition("| Mail | Is tried for |")[2].partition("\n\n")[0]
    rows = [line.strip("| ").split(" | ") for line in table.splitlines()[2:]]
    listed = {re.sub(r"\[(.*)\]\(.*\)", r"\1", name): terms for name, *terms in rows}

    assert listed == {
        KINDS_OF_MAIL[name]: [in_words(kind.life_seconds), limits_in_words(name, kind)]
        for name, kind in MAIL_KINDS.items()
    }


def in_words(seconds):
    if seconds >= DAY:
        return counted(seconds // DAY, "day")
    return counted(seconds // HOUR, "hour") if seconds >= HOUR else f"{seconds // MINUTE} minutes"


def limits_in_words(name, kind):
    spans = {MINUTE: "minute", HOUR: "hour", DAY: "24 hours"}
    limits = [f"{one.count} in any {spans[one.seconds]}" for one in kind.limits]
    lines = [f"with up to {MOST_LINES} lines"] if name == "notice" else []
    return ", ".join(limits + lines) or "–"
