"""The package that is installed, and its command."""

import io
import os
import pwd
import re
import runpy
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path
from types import SimpleNamespace

import click
import pytest
from click.testing import CliRunner

import document_service.__main__ as command
from blueprints.commands.every import COMMANDS
from environment import ENVIRONMENT_FILE
from tests.service import ROOT

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
SETUPTOOLS = PYPROJECT["tool"]["setuptools"]
EXTRAS = PYPROJECT["project"]["optional-dependencies"]
OF_DEVELOPERS = {"benchmarks", "build", "conftest", "deploy", "dist", "docs", "instance", "tests"}
INSIDE = "document_service.service."
BUILD = runpy.run_path(str(ROOT / "deploy/build_package.py"))


def of_the_service(paths):
    """The names of top-level modules and folders that belong to the service."""
    names = {path.stem for path in paths if not path.name.startswith(".")}
    return names - OF_DEVELOPERS - {"document_service", "__pycache__"}


def below_service(names):
    return {name.removeprefix(INSIDE) for name in names if name.startswith(INSIDE)}


def test_the_wheel_has_all_of_the_service():
    folders = [path for path in ROOT.iterdir() if path.is_dir() and path.suffix != ".egg-info"]

    assert below_service(SETUPTOOLS["packages"]) == of_the_service(folders)
    assert below_service(SETUPTOOLS["py-modules"]) == of_the_service(ROOT.glob("*.py"))
    assert SETUPTOOLS["package-dir"] == {"document_service.service": "."}


def packed(path, files):
    """A source distribution of files and modes, with the times and owners of its order."""
    with tarfile.open(path, "w:gz") as archive:
        for number, (name, mode) in enumerate(files):
            member = tarfile.TarInfo(name)
            member.mode, member.size = mode, len(name)
            member.mtime, member.uid, member.uname = 1e9 + number / 3, number, name
            archive.addfile(member, io.BytesIO(name.encode()))
    return path


def test_source_distributions_of_the_same_files_are_equal_byte_for_byte(tmp_path):
    files = [("service/" + "long" * 40, 0o644), ("service/program", 0o755)]
    one = packed(tmp_path / "one.tar.gz", files)
    other = packed(tmp_path / "other.tar.gz", files[::-1])
    for archive in (one, other):
        BUILD["set_times"](archive, 1_700_000_000)

    assert one.read_bytes() == other.read_bytes()
    assert int.from_bytes(one.read_bytes()[4:8], "little") == 1_700_000_000  # of the gzip header
    with tarfile.open(one) as archive:
        assert [(found.name, found.mode) for found in archive] == files
        assert {(found.mtime, found.uname) for found in archive} == {(1_700_000_000, "")}
        assert archive.extractfile(files[0][0]).read() == files[0][0].encode()


def test_the_modes_of_what_is_built_do_not_depend_on_the_umask(tmp_path):
    for umask in (0o022, 0o077):
        (folder := tmp_path / str(umask)).mkdir(0o777 & ~umask)
        (folder / "module").touch(0o666 & ~umask)
        (folder / "program").touch(0o777 & ~umask)
        BUILD["set_modes"](folder)

        modes = [path.stat().st_mode & 0o777 for path in (folder, *sorted(folder.iterdir()))]
        assert modes == [0o755, 0o644, 0o755]


def test_one_version_of_setuptools_builds_the_package():
    (requirement,) = PYPROJECT["build-system"]["requires"]
    assert re.fullmatch(r"setuptools==[\d.]+", requirement)


def test_the_tools_of_developers_are_the_same_as_a_group_and_as_an_extra():
    assert PYPROJECT["dependency-groups"]["dev"] == EXTRAS["dev"]


def test_nothing_of_the_service_is_on_the_path_of_the_environment_in_which_it_is_installed():
    names = [*of_the_service(ROOT.glob("*.py")), *below_service(SETUPTOOLS["packages"])]
    program = "import sys; from importlib.util import find_spec; "
    program += "print([name for name in sys.argv[1:] if find_spec(name)])"
    printed = subprocess.check_output([sys.executable, "-I", "-c", program, *names], text=True)

    assert "models" in names
    assert printed == "[]\n"


def test_the_help_says_of_each_command_what_its_docstring_says():
    assert {one.name: one.get_short_help_str(200) for one in COMMANDS} == command.SENTENCES

    printed = CliRunner().invoke(command.main, ["--help"]).output
    for name in ("send", "serve", *command.SENTENCES):
        assert f"\n  {name} " in printed


def test_the_help_imports_nothing_of_the_service():
    program = "import sys; from document_service.__main__ import main; main(['--help'], "
    program += "standalone_mode=False); print(sorted({'flask', 'models', 'app'} & {*sys.modules}))"
    printed = subprocess.check_output([sys.executable, "-c", program], cwd=ROOT, text=True)

    assert printed.endswith("\n[]\n")


@pytest.mark.parametrize(
    ("platform", "data", "folder"),
    [
        ("linux", "/data", "/data/document-service"),
        ("linux", "relative", "/home/ana/.local/share/document-service"),
        ("linux", "", "/home/ana/.local/share/document-service"),
        ("darwin", "/data", "/home/ana/Library/Application Support/document-service"),
    ],
)
def test_data_of_an_installed_service_lies_where_the_system_keeps_data(
    monkeypatch, platform, data, folder
):
    monkeypatch.setattr(command, "IS_CHECKOUT", False)
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setenv("HOME", "/home/ana")
    monkeypatch.setenv("XDG_DATA_HOME", data)

    assert command.data_folder({}) == Path(folder)


@pytest.fixture
def set_home(monkeypatch):
    """Sets HOME, and the home that the system's list of users has, as in an installed service."""
    monkeypatch.setattr(command, "IS_CHECKOUT", False)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)

    def set_home(home, listed):
        def entry(uid):
            if listed is None:
                raise KeyError(uid)
            return SimpleNamespace(pw_dir=listed)

        monkeypatch.setenv("HOME", home)
        monkeypatch.setattr(pwd, "getpwuid", entry)

    return set_home


@pytest.mark.parametrize("home", ["", "relative"])
def test_a_home_that_is_not_absolute_is_ignored(set_home, home):
    set_home(home, "/home/ana")
    assert command.data_folder({}) == Path("/home/ana/.local/share/document-service")


@pytest.mark.parametrize("home", ["", "relative"])
@pytest.mark.parametrize("listed", [None, "", "relative"])
def test_who_has_no_home_is_told_to_name_a_folder(set_home, home, listed):
    set_home(home, listed)
    with pytest.raises(click.ClickException, match=rf"no home folder.*{command.INSTANCE_PATH}"):
        command.data_folder({})


@pytest.mark.usefixtures("_entered_once")
def test_who_has_no_home_gets_version_and_help(set_home, monkeypatch):
    set_home("", None)
    monkeypatch.delenv(command.INSTANCE_PATH)
    for words in (["--version"], ["--help"], ["users", "--help"], ["doctor", "--help"]):
        done = CliRunner().invoke(command.main, words)
        assert (done.exit_code, done.exception) == (0, None)
    for words in (["doctor"], ["users", "list"], ["serve"]):
        done = CliRunner().invoke(command.main, words)
        assert done.exit_code == 1
        assert done.output.startswith("Error: This user has no home folder")


def test_data_of_a_checkout_lies_in_it():
    assert command.data_folder({}) == ROOT / "instance"


def test_a_given_folder_of_data_counts_from_the_current_one(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)

    assert command.data_folder({command.INSTANCE_PATH: "here"}) == tmp_path / "here"


@pytest.fixture
def _entered_once(monkeypatch):
    """The path and the environment are as before after the test."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setenv(command.INSTANCE_PATH, "")


@pytest.mark.usefixtures("_entered_once")
def test_the_file_of_settings_names_the_folder_of_data(monkeypatch, tmp_path):
    (settings := tmp_path / "settings").write_text(f"{command.INSTANCE_PATH}=/srv/data\n")
    monkeypatch.setenv(ENVIRONMENT_FILE, str(settings))
    monkeypatch.delenv(command.INSTANCE_PATH)

    command.enter_service()

    assert os.environ[command.INSTANCE_PATH] == "/srv/data"


@pytest.mark.usefixtures("_entered_once")
def test_the_service_itself_says_what_is_wrong_with_the_file_of_settings(monkeypatch, tmp_path):
    monkeypatch.setenv(ENVIRONMENT_FILE, str(tmp_path / "absent"))

    command.enter_service()

    assert os.environ[command.INSTANCE_PATH] == ""


def run(folder, *words, **settings):
    """Run the command of the checkout in a folder, and return what it printed."""
    program = "import sys; sys.path.insert(0, sys.argv.pop(1)); "
    program += "from document_service.__main__ import main; main(prog_name='document-service')"
    kept = {name: one for name, one in os.environ.items() if not name.startswith("DOCSERVICE_")}
    done = subprocess.run(
        [sys.executable, "-P", "-c", program, ROOT, *words],
        cwd=folder,
        env=kept | settings,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.slow
def test_a_command_works_in_any_folder_on_the_same_data(tmp_path):
    data = {command.INSTANCE_PATH: str(tmp_path / "data")}
    (elsewhere := tmp_path / "elsewhere").mkdir()

    assert run(tmp_path, "keys", "list", **data) == run(elsewhere, "keys", "list", **data)
    assert (tmp_path / "data" / "keyring").exists()
    assert list(elsewhere.iterdir()) == []


@pytest.mark.slow
def test_a_command_works_in_a_folder_that_was_deleted(tmp_path):
    (deleted := tmp_path / "deleted").mkdir()
    program = "import os, sys; os.rmdir(os.getcwd()); sys.path.insert(0, sys.argv.pop(1)); "
    program += "from document_service.__main__ import main; main(prog_name='document-service')"

    def run_there(instance_path):
        deleted.mkdir(exist_ok=True)
        return subprocess.run(
            [sys.executable, "-P", "-c", program, ROOT, "users", "list"],
            cwd=deleted,
            env=os.environ | {command.INSTANCE_PATH: instance_path},
            capture_output=True,
            text=True,
            check=False,
        )

    assert run_there(str(tmp_path / "data")).returncode == 0
    refused = run_there("data")
    assert refused.returncode == 1
    assert refused.stderr.startswith(f"Error: {command.INSTANCE_PATH} counts from the current")


@pytest.mark.slow
def test_the_command_says_its_version_and_refuses_what_it_does_not_know(tmp_path):
    version = PYPROJECT["project"]["version"]

    assert run(tmp_path, "--version") == (0, f"document-service {version}\n", "")
    code, _, error = run(tmp_path, "run")
    assert code == 2
    assert "No such command 'run'" in error


@pytest.mark.slow
def test_the_command_serves_where_it_is_told_to(tmp_path):
    data = {command.INSTANCE_PATH: str(tmp_path)}
    code, _, error = run(tmp_path, "serve", "--listen", "nowhere", **data)

    assert code == 1
    assert error.startswith("Document Service does not start. DOCSERVICE_LISTEN")
