"""The file of settings, as systemd reads one, and the files of secrets."""

import contextlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from app import create_app
from environment import ENVIRONMENT_FILE, WrongSetting, secret_of, with_file_of_settings
from settings import read_settings
from tests.service import ROOT

SECRET = "Hq7zWk2rVb9x"
LINES = {  # of a file -> the value of A (systemd.exec(5), EnvironmentFile=)
    "A=b": "b",
    "A=": "",
    "A=''": "",
    "A=b c  ": "b c",
    "A=  b": "b",
    " A = b": "b",
    "A=b # c": "b # c",
    "A=b=c": "b=c",
    "A=$HOME/${B}": "$HOME/${B}",
    "A=`id`$(id)": "`id`$(id)",
    'A="b c "': "b c ",
    "A='b c '": "b c ",
    'A="b" ': "b",
    'A="b"c': "bc",
    'A="b" c': "bc",
    "A='b'\"c\"": "bc",
    'A=b"c"': 'b"c"',
    "A=b'c": "b'c",
    'A="b\'c"': "b'c",
    "A='b\"c'": 'b"c',
    r"A=b\ c": "b c",
    r"A=b\ ": "b ",
    r"A=b\\c": r"b\c",
    r'A="b\"c"': 'b"c',
    r'A="b\\c\$d\`e"': "b\\c$d`e",
    r'A="b\nc"': r"b\nc",
    r"A='b\\c'": r"b\\c",
    "A=b\\\nc": "bc",
    'A="b\\\nc"': "bc",
    'A="b\nc"': "b\nc",
    "A=b\r\n": "b",
    "# A=x\n; A=x\n\n  \nA=b\n": "b",
    "# x \\\nA=b": "b",  # since version 254 of systemd
    "; C:\\\r\nA=b": "b",
    "# x\rA=b": "b",
    "A=x\nA=b": "b",
    "A=ü": "ü",
}


def file_of(folder, content):
    path = folder / "environment"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(path)


@pytest.mark.parametrize(("text", "value"), LINES.items())
def test_a_line_is_read_as_systemd_reads_it(text, value, tmp_path):
    read = with_file_of_settings({ENVIRONMENT_FILE: file_of(tmp_path, text)})
    assert read["A"] == value


WRONG = {
    "A": "Line 1",
    "A=b\nexport A=b": "Line 2",
    "A=b\n\nB C=d": "Line 3",
    "A=b\n1=c": "Line 2",
    "=b": "Line 1",
    "A=b\nB='c\nC=d": "Line 2",
    'A="b': "Line 1",
    b"A=\xff": "is not UTF-8",
    b"\xef\xbb\xbfA=b": "byte order mark",
    b"A=b\0": "byte order mark",
    f"DOCSERVICE_SMTP_URL {SECRET}": "Line 1",
    f"DOCSERVICE_SMTP_URL='{SECRET}": "Line 1",
    b"A=" + b"b" * 300_000: "at most",
}


@pytest.mark.parametrize(("content", "says"), WRONG.items())
def test_a_line_that_is_none_stops_the_start_by_its_number_alone(content, says, tmp_path):
    with pytest.raises(WrongSetting, match=says) as refused:
        with_file_of_settings({ENVIRONMENT_FILE: file_of(tmp_path, content)})
    assert SECRET not in refused.value.message
    assert ENVIRONMENT_FILE in refused.value.message


def test_a_file_that_is_named_and_not_there_stops_the_start(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "no", tmp_path / "pipe", "a\0b", f"smtp://docs:{SECRET}@x"):
        with pytest.raises(WrongSetting, match=f"{ENVIRONMENT_FILE} takes the path") as refused:
            with_file_of_settings({ENVIRONMENT_FILE: str(path)})
        assert SECRET not in refused.value.message


def test_what_the_environment_says_counts_before_the_file(tmp_path):
    path = file_of(tmp_path, "DOCSERVICE_THREADS=3\nDOCSERVICE_LOG=json\nAWS_REGION=eu-central-1\n")
    own = {ENVIRONMENT_FILE: path, "DOCSERVICE_LOG": "text"}
    settings = read_settings(with_file_of_settings(own), {}, tmp_path)
    assert (settings.threads, settings.log) == (3, "text")
    assert own["AWS_REGION"] == "eu-central-1"  # where the library of S3 reads it
    assert "DOCSERVICE_THREADS" not in own


def test_without_a_name_no_file_is_looked_for(monkeypatch, tmp_path):
    monkeypatch.delenv(ENVIRONMENT_FILE, raising=False)
    monkeypatch.setattr("environment._text_of", lambda *_: pytest.fail("a file was read"))
    create_app({"INSTANCE_PATH": str(tmp_path)}).extensions["runtime"].close()


VALUES = {
    b"value": "value",
    b"value\n": "value",
    b"value\r\n": "value",
    b" value ": " value ",
    "wört".encode(): "wört",
    b"a" * 4096: "a" * 4096,
}


@pytest.mark.parametrize(("content", "value"), VALUES.items())
def test_a_secret_is_the_whole_file_without_one_line_end(content, value, tmp_path):
    assert secret_of({"A_FILE": file_of(tmp_path, content)}, "A") == value


UNREADABLE = {
    b"": "one line",
    b"\n": "one line",
    b"  \n": "one line",
    b"value\n\n": "one line",
    b"one\ntwo": "one line",
    b"one\rtwo": "one line",
    b"one\ttwo": "one line",
    b"value\r": "one line",
    b"\xff": "UTF-8",
    b"\xef\xbb\xbfvalue": "UTF-8",
    b"a" * 4097: "4,096 bytes",
}


@pytest.mark.parametrize(("content", "says"), UNREADABLE.items())
def test_a_file_that_holds_no_secret_stops_the_start(content, says, tmp_path):
    with pytest.raises(WrongSetting, match=says) as refused:
        secret_of({"A_FILE": file_of(tmp_path, content)}, "A")
    assert "A_FILE" in refused.value.message
    assert "value" not in refused.value.message


def test_a_secret_and_its_file_are_not_both_set(tmp_path):
    with pytest.raises(WrongSetting, match="A and A_FILE are both set") as refused:
        secret_of({"A": SECRET, "A_FILE": file_of(tmp_path, SECRET)}, "A")
    assert SECRET not in refused.value.message
    assert secret_of({"A": SECRET, "A_FILE": ""}, "A") == SECRET
    assert secret_of({}, "A") is None


SECRETS = {
    "DATABASE": f"postgresql://docs:{SECRET}@127.0.0.1:1/docs",
    "SMTP_URL": f"smtp://docs:{SECRET}@localhost:587?from=docs@example.org",
    "OIDC_CLIENT_SECRET": SECRET,
}
BESIDE = {
    "BASE_URL": "https://docs.example.org",
    "OIDC_ISSUER": "https://login.example.org",
    "OIDC_CLIENT_ID": "documents",
}


@pytest.mark.parametrize("name", SECRETS)
def test_each_setting_that_is_a_secret_lies_in_a_file(name, tmp_path):
    given = {**BESIDE, **SECRETS}
    expected = getattr(read_settings({}, given, tmp_path), name.lower())
    given[f"{name}_FILE"] = file_of(tmp_path, given.pop(name) + "\n")
    for environment, config in (
        ({}, given),
        ({f"DOCSERVICE_{one}": value for one, value in given.items()}, {}),
    ):
        assert getattr(read_settings(environment, config, tmp_path), name.lower()) == expected


def processes_below(pid):
    """The folders in /proc of a process and its children."""
    found = [Path(f"/proc/{pid}")]
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if f"\nPPid:\t{pid}\n" in (path / "status").read_text():
                found.append(path)
    return found


PROGRAM = """
import sys
from unittest.mock import patch
import app
with patch.object(app.Server, "run", lambda self: sys.stdin.read()):
    app.main()
"""


@pytest.mark.slow
def test_a_secret_in_a_file_stands_in_no_log_and_no_list_of_processes(tmp_path):
    given = {f"DOCSERVICE_{name}": value for name, value in BESIDE.items()}
    for name in ("SMTP_URL", "OIDC_CLIENT_SECRET"):
        (path := tmp_path / name).write_text(f"{SECRETS[name]}\n")
        given[f"DOCSERVICE_{name}_FILE"] = str(path)
    (path := tmp_path / "AWS").write_text(SECRET)
    given |= {"AWS_SECRET_ACCESS_KEY_FILE": str(path), "DOCSERVICE_LISTEN": "127.0.0.1:0"}
    given |= {"DOCSERVICE_CONVERTER": "off", "DOCSERVICE_INSTANCE_PATH": str(tmp_path / "i")}
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        cwd=ROOT,
        env=os.environ | given,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    said = next(line for line in process.stdout if "listens on" in line)
    shown = "".join(
        (path / part).read_text(errors="replace")
        for path in processes_below(process.pid)
        for part in ("cmdline", "environ")
    )
    said += process.communicate("", timeout=60)[0]
    assert "SMTP_URL_FILE" in shown
    assert SECRET not in said + shown
    assert process.returncode == 0
