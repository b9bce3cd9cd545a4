"""The licence of the service, and of what comes with it."""

import runpy
import sys
import tomllib
from importlib import metadata

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.service import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def listed(monkeypatch, capsys, *options):
    """Run the command, and return what it prints: the name and the licence of each package."""
    monkeypatch.setattr(sys, "argv", ["licenses.py", *options])
    runpy.run_path(str(ROOT / "deploy" / "licenses.py"), run_name="__main__")
    return capsys.readouterr().out


def install(folder, name, *lines):
    """Put the metadata of a package into a folder, as an installer does.

    The name of the folder has its only hyphen before the version. `flask-smorest-1.0.dist-info`
    would be found as `flask` if the folder lists it first.
    """
    (place := folder / f"{name.replace('-', '_')}-1.0.dist-info").mkdir()
    text = "\n".join(["Metadata-Version: 2.4", f"Name: {name}", "Version: 1.0", *lines])
    (place / "METADATA").write_text(f"{text}\n")


@pytest.fixture
def command(monkeypatch, tmp_path):
    """The functions of the command, which finds the packages of a folder."""
    monkeypatch.syspath_prepend(tmp_path)
    return runpy.run_path(str(ROOT / "deploy" / "licenses.py"))


def test_the_project_is_under_the_mit_licence():
    assert PROJECT["license"] == "MIT"
    assert PROJECT["license-files"] == ["LICENSE"]
    assert "The Document Service authors" in (ROOT / "LICENSE").read_text()


def test_every_package_that_comes_with_the_service_has_a_known_licence(monkeypatch, capsys):
    names = {line.split()[0] for line in listed(monkeypatch, capsys).splitlines()}

    needed = {canonicalize_name(Requirement(one).name) for one in PROJECT["dependencies"]}
    assert needed <= names
    assert {
        "werkzeug",
        "pycryptodomex",
        "argon2-cffi",
    } <= names  # of flask, pyseto, libpass[argon2]
    assert "pytest" not in names


def test_the_command_prints_the_texts_of_the_licences(monkeypatch, capsys):
    printed = listed(monkeypatch, capsys, "--texts")

    assert "--- waitress: " in printed
    assert "Zope Public License (ZPL) Version 2.1" in printed


def test_a_package_with_another_licence_ends_the_command_with_its_name(
    monkeypatch, tmp_path, capsys
):
    for name in PROJECT["dependencies"]:
        install(tmp_path, Requirement(name).name, "License-Expression: MIT")
    install(tmp_path, "closed", "License-Expression: LicenseRef-Proprietary")
    metadata_of_flask = tmp_path / "flask-1.0.dist-info" / "METADATA"
    metadata_of_flask.write_text(f"{metadata_of_flask.read_text()}Requires-Dist: closed\n")
    monkeypatch.syspath_prepend(tmp_path)

    with pytest.raises(SystemExit, match=r"^These have no known licence: closed\.$"):
        listed(monkeypatch, capsys)


def test_what_a_package_needs_only_for_an_extra_or_another_system_is_left_out(command, tmp_path):
    install(
        tmp_path,
        "base",
        "Requires-Dist: both",
        'Requires-Dist: more; extra == "more"',
        'Requires-Dist: absent; sys_platform == "other"',
    )
    install(tmp_path, "both")
    install(tmp_path, "more")

    assert [*command["installed"](["base"])] == ["base", "both"]
    assert [*command["installed"](["base[more]>=1"])] == ["base", "both", "more"]


def test_a_package_that_is_missing_is_an_error(command):
    with pytest.raises(metadata.PackageNotFoundError):
        command["installed"](["not-installed-anywhere"])


def test_a_package_that_states_no_licence_has_an_unknown_one(command, tmp_path):
    install(tmp_path, "silent")
    distributions = command["installed"](["silent"])

    assert command["licence_of"]("silent", distributions["silent"]) == "unknown"
