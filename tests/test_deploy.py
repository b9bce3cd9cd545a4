"""The files in deploy/ match the code."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
import tomllib
from dataclasses import fields
from importlib import metadata
from ipaddress import ip_address, ip_network

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from blueprints.http.blueprint import max_body_bytes
from blueprints.status import VERSION
from environment import ENVIRONMENT_FILE, with_file_of_settings
from server import Limits
from settings import PREFIX, Settings, read_settings
from tests.service import ROOT
from viewer.sandbox.converter import MAX_FOLDER
from viewer.sandbox.converter_process import CPU_SECONDS, MEMORY_MB

LANDLOCK = {"landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self"}
ANSWERS = """
from app import create_app
client = create_app({"INSTANCE_PATH": "instance"}).test_client()
print([client.get(path).status_code for path in ("/readyz", "/", "/docs", "/embed.js")])
"""


@pytest.mark.slow
def test_the_image_copies_everything_that_the_service_needs(tmp_path):
    for source in re.findall(r"^COPY (.+) \./", (ROOT / "deploy/Dockerfile").read_text(), re.M):
        for name in source.split():
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            copy(ROOT / name, tmp_path / name)
    command = [sys.executable, "-c", ANSWERS]
    printed = subprocess.check_output(command, cwd=tmp_path, text=True, timeout=60)
    assert printed.strip() == "[200, 200, 200, 200]"


def test_the_files_name_only_settings_that_exist():
    known = {PREFIX + one.name.upper() for one in fields(Settings)} | {ENVIRONMENT_FILE}
    for path in (ROOT / "deploy").iterdir():
        assert set(re.findall(PREFIX + r"[A-Z_]+", path.read_text())) <= known, path.name


@pytest.mark.parametrize("name", ["document-backup", "document-doctor"])
def test_what_a_timer_runs_tells_somebody_when_it_fails(name):
    unit = (ROOT / f"deploy/{name}.service").read_text()
    (told,) = re.findall(r"^OnFailure=(.+)$", unit, re.M)
    assert (ROOT / "deploy" / told.replace("%n", "")).exists()
    for path in re.findall(r"DOCSERVICE_ENVIRONMENT_FILE=(\S+)", unit):
        assert path in (ROOT / "deploy/document-service.service").read_text()
    timer = (ROOT / f"deploy/{name}.timer").read_text()
    assert "Persistent=true" in timer


def test_the_unit_deletes_both_parts_of_an_old_backup_and_no_part_of_a_newer_one(tmp_path):
    unit = (ROOT / "deploy/document-backup.service").read_text()
    commands = re.findall(r"^ExecStart=(/usr/bin/find .+)$", unit, re.M)
    now = time.time()
    old = [(f"old-{number}", 31.1) for number in range(8)]
    for name, days in [*old, ("new", 29), ("killed", 40)]:
        file, folder = tmp_path / f"{name}.sqlite", tmp_path / f"{name}.sqlite.payloads"
        if name in ("old-0", "old-1"):
            file.touch()  # the order in which the disk lists the two parts may be that of making
        (folder / "00").mkdir(parents=True)
        (folder / "00" / "upl_old").write_text("a payload is older than the backups that link it")
        os.utime(folder / "00" / "upl_old", (0, 0))
        if name != "killed":
            file.touch()
            os.utime(file, (now, now - days * 86_400))
        os.utime(folder, (now, now - days * 86_400))
    (tmp_path / "killed.sqlite.part").touch()

    for command in commands:
        words = shlex.split(command.replace("/var/backups/documents", str(tmp_path)))
        subprocess.run([word.replace("$$", "$") for word in words], check=True)

    left = sorted(path.name for path in tmp_path.iterdir())
    assert left == ["killed.sqlite.part", "new.sqlite", "new.sqlite.payloads"]
    assert (tmp_path / "new.sqlite.payloads" / "00" / "upl_old").exists()


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="no systemd here")
def test_systemd_takes_the_units_of_backup_doctor_and_alert(tmp_path):
    for path in (ROOT / "deploy").glob("document-*.*"):
        (tmp_path / path.name).write_text(
            path.read_text().replace("/opt/document-service", str(ROOT))
        )
    units = [tmp_path / f"document-{name}" for name in ("backup.timer", "doctor.timer")]
    command = ["systemd-analyze", "verify", "--recursive-errors=no", *units]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    said = [line for line in done.stderr.splitlines() if "document-" in line]
    assert said == []


def test_each_alert_has_a_severity_and_a_sentence_and_asks_for_what_metrics_have():
    yaml = pytest.importorskip("yaml")
    text = (ROOT / "docs/operating.md").read_text()
    (block,) = re.findall(r"^```yaml\n(groups:.*?)^```", text, re.M | re.S)
    (group,) = yaml.safe_load(block)["groups"]
    source = (ROOT / "blueprints/http/exposition.py").read_text()
    for rule in group["rules"]:
        assert rule["labels"]["severity"] in {"critical", "warning", "info"}, rule
        assert rule["annotations"]["summary"].endswith("."), rule
        assert "webhooks_failing" not in rule["expr"]  # a receiver that is gone is its owner's
        for name in re.findall(r"docservice_\w+", rule["expr"]):
            assert re.sub("_(total|bucket|count)$", "", name) in source, name


def test_the_memory_limit_holds_the_service_and_all_bodies_at_once():
    unit = (ROOT / "deploy/document-service.service").read_text()
    (gib,) = re.findall(r"^MemoryMax=(\d+)G$", unit, re.M)
    largest = Settings.max_document_bytes
    bodies_bytes = Limits(max_body_bytes(largest)).concurrent_bodies * max_body_bytes(largest)
    assert bodies_bytes + (256 << 20) <= int(gib) << 30
    for text in (unit, (ROOT / "docs/operating.md").read_text()):
        assert f"at most {bodies_bytes / (1 << 30):.2f} GiB" in text


def test_the_unit_goes_on_where_memory_runs_out_and_starts_again_whatever_happened():
    unit = (ROOT / "deploy/document-service.service").read_text()
    for line in ("OOMPolicy=continue", "Restart=on-failure", "RestartSec=2s"):
        assert re.search(f"^{line}$", unit, re.M), line  # five failures in 10 s would be the end


def test_the_unit_the_script_and_the_pages_name_one_file_of_settings():
    path = "/etc/document-service/environment"
    unit = (ROOT / "deploy/document-service.service").read_text()
    assert f"Environment={ENVIRONMENT_FILE}={path}\n" in unit
    script = (ROOT / "deploy/install.sh").read_text()
    assert "SETTINGS=/etc/$SERVICE/environment" in script
    assert f"{ENVIRONMENT_FILE}=$SETTINGS" in script
    units = [path.read_text() for path in (ROOT / "deploy").glob("document-*.service")]
    units = [unit for unit in units if "bin/document-service " in unit]
    assert units
    assert all(f"{ENVIRONMENT_FILE}={path}\n" in unit for unit in units)


def test_the_script_makes_the_file_of_settings_once_and_sources_it_never(tmp_path):
    script = (ROOT / "deploy/install.sh").read_text()
    (make,) = re.findall(r"^make_settings\(\) \{.*?^\}$", script, re.M | re.S)
    made = tmp_path / "etc/environment"
    stubs = "useradd() { :; }; chown() { echo $1; }; SERVICE=document-service"
    lines = f"set -eu; umask 022; {stubs}; SETTINGS={made}; {make}\nmake_settings; make_settings"

    printed = subprocess.check_output(["sh", "-c", lines], text=True)

    assert printed == "root:document-service\n"
    assert made.stat().st_mode & 0o777 == 0o640
    assert with_file_of_settings({ENVIRONMENT_FILE: str(made)}).keys() == {ENVIRONMENT_FILE}
    assert not re.search(r"(?:^|[;&]\s*)(?:\.|source) ", script, re.M)


def test_the_documentation_says_what_a_conversion_may_take():
    text = (ROOT / "docs/operating.md").read_text()
    assert f"Each with {MEMORY_MB >> 10} GiB of address space" in text
    assert f"{((MEMORY_MB << 20) + MAX_FOLDER) / (1 << 30):.2f} GiB" in text
    assert f"{CPU_SECONDS} s of CPU time" in text


def test_the_nginx_example_lets_the_largest_upload_through():
    text = (ROOT / "docs/operating.md").read_text()
    example = text.partition("For nginx.")[2]
    mib = re.search(r"client_max_body_size (\d+)m;", example)[1]
    largest = Settings.max_document_bytes
    assert max_body_bytes(largest) <= int(mib) << 20
    assert f"bodies of {mib} MiB" in text


def test_the_unit_forbids_inspection_and_core_dumps_but_not_the_parsers_filter():
    unit = (ROOT / "deploy/document-service.service").read_text()
    lines = re.findall(r"^SystemCallFilter=(.+)$", unit, re.M)
    allowed = {name for line in lines if line[0] != "~" for name in line.split()}
    denied = {name for line in lines if line[0] == "~" for name in line[1:].split()}
    assert allowed >= LANDLOCK
    assert "seccomp" in allowed  # older releases of systemd do not count it to @system-service
    assert {"@debug", "@keyring", "process_vm_readv", "process_vm_writev"} <= denied
    assert re.search(r"^LimitCORE=0$", unit, re.M)


def test_the_containers_profile_forbids_inspection_but_not_the_parsers_filter():
    compose = (ROOT / "deploy/compose.yaml").read_text()
    (profile,) = re.findall(r'"seccomp=([\w.]+)"', compose)
    rules = json.loads((ROOT / "deploy" / profile).read_text())
    allowed = {name for rule in rules["syscalls"][:1] for name in rule["names"]}

    assert rules["defaultAction"] == "SCMP_ACT_ERRNO"
    assert {"seccomp", "prctl", "setrlimit", "vfork", "execve"} <= allowed
    assert allowed >= LANDLOCK
    assert not allowed & {
        "ptrace",
        "process_vm_readv",
        "process_vm_writev",
        "pidfd_getfd",
        "kcmp",
        "bpf",
        "io_uring_setup",
        "keyctl",
        "userfaultfd",
        "perf_event_open",
        "mount",
        "unshare",
    }
    assert "ulimits: { core: 0 }" in compose


def locked():
    """Canonical name -> requirement, with its pin and marker, and the number of its hashes."""
    text = (ROOT / "requirements.lock").read_text()
    found = re.findall(r"^(\S.*?) \\\n((?:    --hash=sha256:[0-9a-f]{64}.*\n)+)", text, re.M)
    pins = [(Requirement(line), hashes.count("--hash")) for line, hashes in found]
    assert len(pins) == len(re.findall(r"^[^\s#]", text, re.M))
    return {canonicalize_name(one.name): (one, hashes) for one, hashes in pins}


def satisfied(needed, pins):
    """Whether the pin of what is needed has a version that it takes."""
    (pin, _), extras = pins[canonicalize_name(needed.name)], {"extra": ""}
    (version,) = [one.version for one in pin.specifier]
    return needed.specifier.contains(version) and (not pin.marker or pin.marker.evaluate(extras))


def test_the_lock_file_pins_every_dependency_with_its_hashes():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    pins = locked()
    for one in [*project["dependencies"], *extras["s3"], *extras["postgres"], *extras["oidc"]]:
        assert satisfied(Requirement(one), pins), one
    assert "psycopg-binary" in pins  # what psycopg[binary] adds
    assert all(hashes for _, hashes in pins.values())


@pytest.mark.postgres  # psycopg is one of them
def test_the_lock_file_pins_what_its_packages_need():
    pins = locked()
    for name, (pin, _) in pins.items():
        if pin.marker and not pin.marker.evaluate():
            continue
        for line in metadata.distribution(name).requires or ():
            needed = Requirement(line)
            if not needed.marker or needed.marker.evaluate({"extra": ""}):
                assert satisfied(needed, pins), (name, line)


def test_the_image_installs_by_hash_on_a_base_named_by_its_digest():
    dockerfile = (ROOT / "deploy/Dockerfile").read_text()
    compose = "".join(path.read_text() for path in (ROOT / "deploy").glob("compose*.yaml"))
    bases = set(re.findall(r"^(?:ARG BASE=| +image: )(\S+)", dockerfile + compose, re.M))
    assert len(bases - {"document-service"}) == 3
    for one in bases - {"document-service"}:
        assert re.fullmatch(r"\w+:\d+(\.\d+)+\S*@sha256:[0-9a-f]{64}", one)
    assert "--require-hashes -r requirements.lock" in dockerfile
    assert dockerfile.count("pip install") == 1
    assert re.findall(r"^FROM (.*)$", dockerfile, re.M) == ["$BASE"]


def test_the_builder_is_sent_what_the_image_copies_and_no_keyring():
    dockerfile = (ROOT / "deploy/Dockerfile").read_text()
    first, *rest = [
        line for line in (ROOT / ".dockerignore").read_text().splitlines() if line[:1] != "#"
    ]
    copied = {
        name for line in re.findall(r"^COPY (.+) \./", dockerfile, re.M) for name in line.split()
    }
    assert first == "*"
    assert {line.removeprefix("!") for line in rest if line[0] == "!"} == copied
    assert "**/__pycache__" in rest


def test_the_container_keeps_the_keyring_apart_from_the_database():
    dockerfile = (ROOT / "deploy/Dockerfile").read_text()
    compose = (ROOT / "deploy/compose.yaml").read_text()
    (keyring,) = re.findall(r"DOCSERVICE_INSTANCE_PATH=(\S+)", dockerfile)
    (database,) = re.findall(r"DOCSERVICE_DATABASE=(\S+)/documents.sqlite", dockerfile)
    mounts = dict(reversed(one.split(":")) for one in re.findall(r'"(\w+:/\w+)"', compose))
    assert mounts[keyring] != mounts[database]
    assert f"VOLUME {database} {keyring}" in dockerfile


@pytest.mark.postgres
def test_the_services_on_postgresql_share_database_keyring_and_proxy():
    yaml = pytest.importorskip("yaml")
    conninfo = pytest.importorskip("psycopg.conninfo")
    file, alone = (
        yaml.safe_load((ROOT / f"deploy/{name}").read_text())
        for name in ("compose.postgres.yaml", "compose.yaml")
    )
    services, secrets = file["services"], file["secrets"]
    nodes = [name for name, one in services.items() if one.get("image") == "document-service"]
    given = services[nodes[0]]["environment"]
    values = {name: re.sub(r"\$\{.*?\}", "name.example", text) for name, text in given.items()}
    settings = read_settings(values, {}, ROOT)
    address = conninfo.conninfo_to_dict(settings.database)
    database, proxy = services["database"]["environment"], services["caddy"]
    caddyfile = (ROOT / "deploy/Caddyfile.postgres").read_text()

    assert nodes == ["documents-1", "documents-2"]
    assert services[nodes[0]] == services[nodes[1]]
    for name in nodes:
        assert f"{name}:8000" in caddyfile
    assert (address["host"], address["user"], address["dbname"]) == (
        "database",
        database["POSTGRES_USER"],
        database["POSTGRES_DB"],
    )
    mounted = {f"/run/secrets/{name}" for name in services[nodes[0]]["secrets"]}
    assert {address["passfile"], str(settings.keyring_file)} == mounted
    assert database["POSTGRES_PASSWORD_FILE"] == "/run/secrets/database_password"
    assert services["database"]["secrets"] == ["database_password"]
    assert all(one["file"].endswith(f"/{name}") for name, one in secrets.items())
    (trusted,) = settings.trusted_proxy.given
    assert str(trusted.network_address) == proxy["networks"]["inside"]["ipv4_address"]
    hardened = ("read_only", "cap_drop", "security_opt", "ulimits", "tmpfs", "shm_size", "build")
    for name in hardened:
        assert services[nodes[0]][name] == alone["services"]["documents"][name]


@pytest.mark.parametrize("name", ["compose.yaml", "compose.postgres.yaml"])
def test_compose_passes_every_setting_on_and_closes_registration_after_the_first_account(name):
    yaml = pytest.importorskip("yaml")
    services = yaml.safe_load((ROOT / "deploy" / name).read_text())["services"]
    ours = [one for key, one in services.items() if key.startswith("documents")]
    assert ours
    for service in ours:
        default, own = service["env_file"]
        assert own == {"path": "settings.env", "required": False}
        given = with_file_of_settings({ENVIRONMENT_FILE: str(ROOT / "deploy" / default)})
        assert given["DOCSERVICE_REGISTRATION"] == "first"
        fixed = {"BASE_URL", "TRUSTED_PROXY", "DATABASE", "KEYRING_FILE"}
        assert {one.removeprefix(PREFIX) for one in service["environment"]} <= fixed
        assert "" not in service["environment"].values()


@pytest.mark.parametrize("name", ["compose.yaml", "compose.postgres.yaml"])
def test_no_other_container_can_be_given_the_address_of_the_proxy(name):
    compose = (ROOT / "deploy" / name).read_text()
    proxy, trusted = (
        ip_address(re.search(rf"{key}: ([\d.]+)", compose)[1])
        for key in ("ipv4_address", "DOCSERVICE_TRUSTED_PROXY")
    )
    subnet, given = (
        ip_network(re.search(rf"{key}: ([\d./]+)", compose)[1]) for key in ("subnet", "ip_range")
    )

    assert proxy == trusted
    assert proxy in subnet
    assert given.subnet_of(subnet)
    assert proxy not in given


def test_the_version_is_the_same_everywhere_and_in_the_changelog():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    changes = (ROOT / "CHANGELOG.md").read_text()
    released = re.findall(r"^## \[(\d\S*)\] - \d{4}-\d\d-\d\d$", changes, re.M)
    assert project["version"] == VERSION == released[0]
    pages = "".join(page.read_text() for page in [ROOT / "README.md", *ROOT.glob("docs/*.md")])
    assert set(re.findall(r"document_service-(\d[\d.]*\d)-py3", pages)) == {VERSION}
