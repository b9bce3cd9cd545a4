"""What the description promises, tried by schemathesis: every check it has, as each kind of caller.

Each kind makes the calls that take its credential; schemathesis leaves it out at times, and expects
401. It gets no limit of time, which it would use up: what it tries is the same on every machine.

It knows three things less than the contract. For a session's operation called with an API key it
expects 401, as if no credential had been sent; the response is 403 `session_required`. And a value
of the right form may be rejected with 422 for its meaning: an expiry in the past, a webhook's
address in a private network, an Idempotency-Key that came with another body. And an upload that
begins with a body longer than its announced length is rejected with 413, another version of tus
with 412.
"""

import json
import re
import subprocess
import sys

import pytest

from tests.people import PASSWORD

pytestmark = pytest.mark.fuzz
MOST_EXAMPLES = 4
PATIENCE_SECONDS = 60  # with one response, on a loaded machine
MOST_SECONDS = 600
ENDING_THE_SESSION = [
    f"--exclude-path=/v1/auth/{path}" for path in ("logout", "password", "sessions/{id}")
]
REJECTING_BY_MEANING = [
    "/v1/auth/register",
    "/v1/api-keys",
    "/v1/api-keys/{id}/rotate",
    "/v1/documents",
    "/v1/documents/{id}",
    "/v1/documents/{id}/tokens",
    "/v1/documents/{id}/download",
    "/v1/documents/{id}/view",  # a password, a name in one line
    "/v1/webhooks",
    "/v1/webhooks/{id}",
    "/v1/webhooks/{id}/test",
    "/v1/documents/{id}/tokens/{token_id}",
    "/v1/collections",
    "/v1/collections/{id}",
    "/v1/collections/{id}/tokens",
    "/v1/collections/{id}/tokens/{token_id}",
    "/v1/tokens/{id}",
    "/v1/tokens/{id}/send",  # a note of one line
    "/v1/webhooks/{id}/rotate-secret",
    "/v1/spaces",
    "/v1/spaces/{id}/members",  # an address without an account
]
OF_TUS = ["/v1/uploads", "/v1/uploads/{id}"]
ACCEPTED = ["2xx", "3xx", "401", "403", "404", "409", "429", "5xx"]  # schemathesis' own defaults
REJECTED = ["400", "401", "403", "404", "405", "406", "409", "415", "422", "428", "429", "5xx"]
HOOKS = """
import schemathesis

schemathesis.serializer.alias("application/offset+octet-stream", "application/octet-stream")
"""
CONFIGURATION = f"""
hooks = "hooks"

[generation]
allow-x00 = false

[dictionaries]
types = {{ values = ["text/plain", "application/pdf", "text/markdown; charset=utf-8"] }}

[[operations]]
include-path = {json.dumps(REJECTING_BY_MEANING)}
checks.positive_data_acceptance.expected-statuses = {json.dumps([*ACCEPTED, "422"])}
parameters = {{ "body.contentType" = {{ dictionary = "types", probability = 0.8 }} }}

[[operations]]
include-path = {json.dumps(OF_TUS)}
checks.positive_data_acceptance.expected-statuses = {json.dumps([*ACCEPTED, "412", "413", "422"])}
checks.negative_data_rejection.expected-statuses = {json.dumps([*REJECTED, "412", "413"])}
"""
TWO_USERS = '[auth.wfc]\npath = "wfc.json"\nuser = "alice"\npeers = ["alice", "bob"]\n'


def operations(service, take):
    """The ids of the operations that take these kinds of credentials."""
    paths = service.description.document["paths"].values()
    described = [one for path in paths for one in path.values() if "operationId" in one]
    return [one["operationId"] for one in described if take(set().union(*one["security"]))]


@pytest.fixture
def explored(start_service, tmp_path):
    """A service of its own, and what schemathesis finds there."""
    pytest.importorskip("schemathesis", reason="no schemathesis here: pip install -e '.[fuzz]'")
    service = start_service(RATE_LIMITS="off")

    def explore(take, *options, configuration=""):
        (tmp_path / "schemathesis.toml").write_text(CONFIGURATION + configuration)
        (tmp_path / "hooks.py").write_text(HOOKS)
        chosen = [f"--include-operation-id={one}" for one in operations(service, take)]
        bounds = [f"--max-examples={MOST_EXAMPLES}", "--seed=1"]
        bounds.append(f"--request-timeout={PATIENCE_SECONDS}")
        command = [sys.executable, "-m", "schemathesis.cli", "run", f"{service.url}/openapi.json"]
        done = subprocess.run(
            [*command, "--checks=all", "--no-color", *bounds, *chosen, *options],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=MOST_SECONDS,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        numbers = re.search(r"Selected: (\d+)/.*\s+Tested: (\d+)", done.stdout)
        selected, tested = map(int, numbers.groups())
        assert 0 < selected == tested, done.stdout
        assert "Traceback" not in service.stderr(), service.stderr()

    return service, explore


def test_the_description_holds_without_a_credential(explored):
    _, explore = explored
    explore(lambda kinds: not kinds)


def test_the_description_holds_for_an_api_key(explored):
    service, explore = explored
    key = service.register().create_api_key().secret
    of_key = ["-H", f"X-API-Key: {key}", "--exclude-checks=missing_required_header"]
    explore(lambda kinds: "api_key" in kinds, *of_key)


def test_two_users_never_reach_what_belongs_to_the_other(explored, tmp_path):
    """Each call is made with the session of one: so the description holds for a session, too.

    The borders of each field are tried where no API key has tried them.
    """
    service, explore = explored
    people = {name: service.register(f"{name}@example.org") for name in ("alice", "bob")}
    entries = [
        {"name": name, "fixedHeaders": [{"name": header, "value": value}]}
        for name, person in people.items()
        for header, value in person.credential.items()
    ]
    (tmp_path / "wfc.json").write_text(json.dumps({"auth": entries}))
    for take, phases in (
        (lambda kinds: "session" in kinds, "fuzzing,stateful"),
        (lambda kinds: kinds == {"session"}, "examples,coverage"),
    ):
        explore(take, f"--phases={phases}", *ENDING_THE_SESSION, configuration=TWO_USERS)
    assert service.log_in("alice@example.org", PASSWORD)
