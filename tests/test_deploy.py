"""The files in deploy/ match the code."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import fields

from blueprints.http.blueprint import max_body_bytes
from blueprints.status import VERSION
from server import Limits
from settings import PREFIX, Settings
from tests.service import ROOT

ANSWERS = """
from app import create_app
client = create_app({"INSTANCE_PATH": "instance"}).test_client()
print([client.get(path).status_code for path in ("/readyz", "/", "/docs", "/embed.js")])
"""


def test_the_image_copies_everything_that_the_service_needs(tmp_path):
    for source in re.findall(r"^COPY (.+) \./", (ROOT / "deploy/Dockerfile").read_text(), re.M):
        for name in source.split():
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            copy(ROOT / name, tmp_path / name)

    command = [sys.executable, "-c", ANSWERS]
    printed = subprocess.check_output(command, cwd=tmp_path, text=True, timeout=60)

    assert printed.strip() == "[200, 200, 200, 200]"


def test_the_files_name_only_settings_that_exist():
    known = {PREFIX + one.name.upper() for one in fields(Settings)}
    for path in (ROOT / "deploy").iterdir():
        assert set(re.findall(PREFIX + r"[A-Z_]+", path.read_text())) <= known, path.name


def test_the_memory_limit_holds_the_service_and_all_bodies_at_once():
    unit = (ROOT / "deploy/document-service.service").read_text()
    (gib,) = re.findall(r"^MemoryMax=(\d+)G$", unit, re.M)
    largest = Settings.max_document_bytes
    bodies_bytes = Limits(max_body_bytes(largest)).concurrent_bodies * max_body_bytes(largest)

    assert bodies_bytes + (256 << 20) <= int(gib) << 30
    for text in (unit, (ROOT / "docs/operating.md").read_text()):
        assert f"at most {bodies_bytes / (1 << 30):.2f} GiB" in text


def test_the_nginx_example_lets_the_largest_upload_through():
    text = (ROOT / "docs/operating.md").read_text()
    (mib,) = re.findall(r"client_max_body_size (\d+)m;", text)
    largest = Settings.max_document_bytes

    assert max_body_bytes(largest) <= int(mib) << 20
    assert f"bodies of {mib} MiB" in text


def test_the_unit_forbids_inspection_and_core_dumps_but_not_the_parsers_filter():
    unit = (ROOT / "deploy/document-service.service").read_text()
    lines = re.findall(r"^SystemCallFilter=(.+)$", unit, re.M)
    allowed = {name for line in lines if line[0] != "~" for name in line.split()}
    denied = {name for line in lines if line[0] == "~" for name in line[1:].split()}

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
    assert not allowed & {
        *("ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "kcmp"),
        *("bpf", "io_uring_setup", "keyctl", "userfaultfd", "perf_event_open", "mount", "unshare"),
    }
    assert "ulimits: { core: 0 }" in compose


def test_the_version_is_the_same_everywhere_and_in_the_changelog():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    changes = (ROOT / "CHANGELOG.md").read_text()
    released = re.findall(r"^## \[(\d\S*)\] - \d{4}-\d\d-\d\d$", changes, re.M)

    assert project["version"] == VERSION == released[0]
