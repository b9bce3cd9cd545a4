"""What other people's tools make of the OpenAPI description: linters and client generators."""

import base64
import importlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.people import PASSWORD, Person

pytestmark = pytest.mark.slow

RULES = Path(__file__).parent / "redocly.yaml"
QUIET = {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true", "CI": "true"}
CONTENT = bytes(range(256)) * 40
CONFIG = "content_type_overrides:\n  application/offset+octet-stream: application/octet-stream\n"
without_generator = pytest.mark.skipif(
    importlib.util.find_spec("openapi_python_client") is None,
    reason="openapi-python-client is not installed: pip install -e '.[test,clients]'",
)


def installed(program):
    """Skips the test where this program of an npm package is not on the PATH."""
    return pytest.mark.skipif(
        shutil.which(program) is None,
        reason=f"{program} is not installed: npm install --global @redocly/cli openapi-typescript",
    )


@pytest.fixture(scope="module")
def description(service, tmp_path_factory):
    """The path of a file with the description."""
    path = tmp_path_factory.mktemp("description") / "openapi.json"
    path.write_bytes(Person(service).get("/openapi.json").body)
    return path


def run(*command):
    """The output of a program, which has to succeed. It finds what is installed beside Python."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        [str(word) for word in command],
        env={**os.environ, **QUIET, "PATH": path},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@installed("redocly")
def test_redocly_finds_no_error_and_no_warning(description):
    found = json.loads(run("redocly", "lint", description, "--config", RULES, "--format", "json"))

    assert found["problems"] == []
    assert (found["totals"]["errors"], found["totals"]["warnings"]) == (0, 0)


@installed("openapi-typescript")
def test_openapi_typescript_generates_types_without_a_warning(description, tmp_path):
    output = run("openapi-typescript", description, "--output", tmp_path / "types.ts")

    assert "warn" not in output.lower()
    types = (tmp_path / "types.ts").read_text()
    assert "documents_upload: {" in types
    assert "DocumentRecord: {" in types


@pytest.fixture(scope="module")
def generated(description, tmp_path_factory):
    """The modules of a generated Python client, by name."""
    generator = [sys.executable, "-m", "openapi_python_client", "generate", "--meta", "none"]
    folder = tmp_path_factory.mktemp("client")
    target = folder / "generated_client"
    (folder / "config.yaml").write_text(CONFIG)  # as docs/api.md has it
    paths = ("--path", description, "--output-path", target, "--config", folder / "config.yaml")
    options = (*paths, "--fail-on-warning")
    output = run(*generator, *options)
    assert "warning" not in output.lower()
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        yield lambda name: importlib.import_module(f"generated_client.{name}")


@without_generator
def test_a_generated_python_client_does_what_a_user_does(generated, service):
    models, client = generated("models"), generated("client")

    def call(operation, **options):
        response = generated(f"api.{operation}").sync_detailed(**options)
        assert response.status_code < 300, response.content
        return response.parsed

    account = {"email": "generated@example.org", "password": PASSWORD}
    with client.Client(base_url=service.url) as anonymous:
        call("auth.auth_register", client=anonymous, body=models.Registration(**account))
        login = call("auth.auth_log_in", client=anonymous, body=models.Login(**account))
    with client.AuthenticatedClient(base_url=service.url, token=login.access_token) as user:
        payload = base64.b64encode(CONTENT).decode()
        upload = models.Upload(payload=payload, content_type="application/octet-stream")
        document = call("documents.documents_upload", client=user, body=upload)
        listed = call("documents.documents_list_owned", client=user).documents
        content = call("document_views.document_views_content", id=document.id, client=user)
        call("documents.documents_delete", id=document.id, client=user)
        left = call("documents.documents_list_owned", client=user).documents

    assert [one.id for one in listed] == [document.id]
    assert content.payload.read() == CONTENT
    assert left == []


@without_generator
def test_a_generated_python_client_reports_a_problem_as_an_object(generated, service):
    models, client = generated("models"), generated("client")
    unknown = models.Login(email="nobody@example.org", password=PASSWORD)

    with client.Client(base_url=service.url) as anonymous:
        problem = generated("api.auth.auth_log_in").sync(client=anonymous, body=unknown)

    assert (problem.status, problem.code) == (401, "wrong_credentials")
