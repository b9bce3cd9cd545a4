"""What the service leaves out when it starts, so that it answers within half a second of CPU."""

import copy
import os
import re
import subprocess
import sys
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pytest
from werkzeug.routing import Rule

from app import app_with_routes, create_app
from blueprints.http import ApiBlueprint
from blueprints.schemas.requests import Login
from tests.service import ROOT

SELDOM_NEEDED = {
    "blueprints.commands.every",
    "cffi",
    "operations",
    "passlib",
    "prometheus_client",
    "psycopg",
    "pycparser",
    "pyseto",
    "segno",
}


def test_the_description_is_made_once_though_several_ask_for_it_first(tmp_path):
    app = create_app({"INSTANCE_PATH": str(tmp_path)})
    with app.test_client() as client:
        client.get("/healthz")  # opens the runtime
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: app.extensions["description"](), range(4)))
    assert all(one is found[0] for one in found)
    assert "/v1/documents" in found[0]["paths"]
    app.extensions["runtime"].close()


def test_the_description_is_not_prepared_before_somebody_asks_for_it(tmp_path, monkeypatch):
    described = []
    monkeypatch.setattr(ApiBlueprint, "register_views_in_doc", described.append)

    create_app({"INSTANCE_PATH": str(tmp_path)}).extensions["runtime"].close()

    assert not described


def test_a_route_compiles_no_function_that_builds_its_address_until_one_is_built(monkeypatch):
    compiled = []
    compile_builder = Rule._compile_builder

    def count(rule, append_unknown):
        compiled.append(rule.rule)
        return compile_builder(rule, append_unknown)

    monkeypatch.setattr(Rule, "_compile_builder", count)
    app = app_with_routes(console=True)
    at_start = [*compiled]
    address = app.url_map.bind("localhost").build("documents.get", {"id": "doc_1"})

    assert at_start == []
    assert compiled == ["/v1/documents/<id>"]
    assert address == "/v1/documents/doc_1"


def test_a_schema_is_not_copied_by_what_copies_the_declarations_of_handlers():
    schema = Login()
    assert copy.deepcopy({"schema": schema})["schema"] is schema


def test_what_is_slow_to_import_and_seldom_needed_is_imported_after_the_start_if_at_all():
    program = f"import app, sys; print(*{SELDOM_NEEDED} & sys.modules.keys())"
    command = [sys.executable, "-c", program]
    assert subprocess.check_output(command, cwd=ROOT, text=True) == "\n"


@pytest.mark.slow
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_the_start_line_names_the_free_port_that_port_0_got(tmp_path, host):
    settings = {"DOCSERVICE_LISTEN": f"{host}:0", "DOCSERVICE_INSTANCE_PATH": str(tmp_path)}
    command = [sys.executable, "app.py"]
    with subprocess.Popen(
        command, cwd=ROOT, env=os.environ | settings, stderr=subprocess.PIPE, text=True
    ) as process:
        line = next(line for line in process.stderr if line.startswith("Document Service"))
        [address] = re.findall(r" listens on (\S+); ", line)
        try:
            with urllib.request.urlopen(f"http://{address}/readyz", timeout=60) as answer:
                status = answer.status
        except OSError as error:
            status = error
        process.terminate()
        process.stderr.read()

    assert re.fullmatch(rf"{host}:[1-9]\d*", address)
    assert status == 200
    assert process.returncode == 0


@pytest.mark.slow
def test_a_service_that_is_ready_collects_garbage_though_the_start_does_not(tmp_path):
    program = "import gc, os; gc.disable(); import app; "
    program += "app.main(lambda _address: (print(gc.isenabled(), flush=True), os._exit(0)))"
    settings = {"DOCSERVICE_LISTEN": "127.0.0.1:0", "DOCSERVICE_INSTANCE_PATH": str(tmp_path)}
    command = [sys.executable, "-c", program]
    printed = subprocess.check_output(command, cwd=ROOT, env=os.environ | settings, text=True)

    assert printed == "True\n"
