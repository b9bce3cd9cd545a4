"""What is shipped to deploy the service fits the service."""

import re
import shutil
import subprocess
import sys
import tomllib

from blueprints.http.blueprint import max_body_bytes
from blueprints.status import VERSION
from server import Limits
from settings import PREFIX, SETTINGS
from tests.people import ROOT

ANSWERS = """
from app import create_app
client = create_app({"INSTANCE_PATH": "instance"}).test_client()
print([client.get(path).status_code for path in ("/readyz", "/", "/docs", "/embed.js")])
"""


def test_what_the_image_copies_is_all_that_the_service_needs(tmp_path):
    for source in re.findall(r"^COPY (.+) \./", (ROOT / "deploy/Dockerfile").read_text(), re.M):
        for name in source.split():
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            copy(ROOT / name, tmp_path / name)

    command = [sys.executable, "-c", ANSWERS]
    asked = subprocess.check_output(command, cwd=tmp_path, text=True, timeout=60)

    assert asked.strip() == "[200, 200, 200, 200]"


def test_every_setting_that_the_files_name_exists():
    known = {PREFIX + one.name for one in SETTINGS}
    for path in (ROOT / "deploy").iterdir():
        assert set(re.findall(PREFIX + r"[A-Z_]+", path.read_text())) <= known, path.name


def test_the_bodies_that_may_come_in_at_once_fit_beside_the_service_into_its_memory():
    unit = (ROOT / "deploy/document-service.service").read_text()
    (gib,) = re.findall(r"^MemoryMax=(\d+)G$", unit, re.M)
    (largest,) = (one.default for one in SETTINGS if one.name == "MAX_DOCUMENT_BYTES")
    bodies_bytes = Limits(max_body_bytes(largest)).concurrent_bodies * max_body_bytes(largest)

    assert bodies_bytes + (256 << 20) <= int(gib) << 30


def test_there_is_one_version_and_the_changelog_tells_of_it():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    changes = (ROOT / "CHANGELOG.md").read_text()
    told = re.findall(r"^## \[(\d\S*)\] - \d{4}-\d\d-\d\d$", changes, re.M)

    assert project["version"] == VERSION == told[0]
