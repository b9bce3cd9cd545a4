"""What is derived ends with its origin: all kinds of credentials × all ways in which it ends."""

import ast
from pkgutil import resolve_name

import pytest

from models import connected, current_runtime, database
from models.core import ServiceError
from models.records import DERIVED
from testing import service_in_process
from tests.test_architecture import MODULES
from tests.trees import tree_of
from tests.walks.derived_kinds import ENDS, MAKERS, StubbedProvider, World

SETTINGS = {
    "RATE_LIMITS": "off",
    "BASE_URL": "http://localhost",
    "SMTP_URL": "smtp://localhost:25?from=docs@example.org",
    "OIDC_ISSUER": "https://login.example.org",
    "OIDC_CLIENT_ID": "documents",
    "OIDC_CLIENT_SECRET": "a secret",
}
WAYS = [
    pytest.param(kind, end, id=f"{kind.name} - {end.__name__}")
    for kind in DERIVED
    for end in dict.fromkeys(end for origin in kind.origins for end in ENDS[origin])
]


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with service_in_process(tmp_path_factory.mktemp("derived"), **SETTINGS) as service:
        current_runtime().provider = StubbedProvider()
        yield service.app.test_client(use_cookies=False)


@pytest.fixture
def world(client):
    return World(client)


def made(world, kind):
    """The use of a new credential of this kind."""
    with connected():
        return MAKERS[kind.name](world)


def lets_in(use):
    """Whether a credential is taken: by an answer, a value, or without an error."""
    with connected():
        try:
            answer = use()
        except ServiceError:
            return False
    status = getattr(answer, "status_code", 200)
    assert status < 500, answer.text
    return status < 400 and answer is not False


@pytest.mark.parametrize("kind", DERIVED, ids=lambda kind: kind.name)
def test_each_kind_of_credential_lets_in_as_long_as_its_origins_last(world, kind):
    assert lets_in(made(world, kind))


@pytest.mark.parametrize(("kind", "end"), WAYS)
def test_what_is_derived_ends_with_its_origin(world, kind, end):
    use = made(world, kind)
    with connected():
        end(world)
    assert not lets_in(use)


# Nothing that lets in is left out

DRAWS = {"secrets", "uuid", "credentials.generate", "signing.generate_secret", "os.urandom"}
SIGNS = {"hmac.new", "hmac.digest", "crypto.mac", "sealing.keyed_digest", "sealing.seal"}
SIGNS |= {"row_texts.RowCipher", "row_texts.remembered_cipher"}
NO_CREDENTIAL = {  # functions that draw or sign something by which nobody is let in
    "blueprints.console.forms.form_key": "tells a form that is sent twice from two",
    "blueprints.console.routes.render": "the nonce of a policy",
    "blueprints.hooks._start": "the id of a request",
    "blueprints.http.body": "stands in place of a payload",
    "models.accounts.pending_sign_in._cipher": "seals what `PendingSignIn.begin` makes",
    "models.core.ids.generate_id": "an id",
    "models.documents.stored_preview.StoredPreview.id_of": "the id of a preview",
    "models.documents.unfinished_upload.UnfinishedUpload.sealed_rest": "seals what has arrived",
    "models.events.mail_limit._prefix": "the id of a count",
    "models.events.webhook.Webhook._register": "signs what the service sends",
    "models.events.webhook.Webhook.rotate_secret": "signs what the service sends",
    "models.events.webhook.Webhook.store_as_exported": "signs what the service sends",
    "models.links.document_token._new_answers_id": "ends tickets",
    "models.links.opening.Opening.begin": "a salt",
    "models.links.recipient._keyed_digest": "hides addresses and codes from who reads the rows",
    "models.links.target.SealedByTarget.target_cipher": "seals rows",
    "models.links.target._ciphers_of": "seals rows",
    "models.records.keyed.KeyedRow.cipher": "seals rows",
    "models.records.keyed.KeyedRow.rewrapped": "wraps a key",
    "models.records.keyed.Owner.cipher": "seals rows",
    "models.records.sealed.SealedByService.cipher": "seals rows",
    "models.storage.disk_space.create_ballast": "bytes that nobody reads",
    "models.storage.payloads.separate_pieces.seal_piece": "seals a piece of a payload",
    "models.storage.postgres_engine.PostgresEngine.stream": "the name of a cursor",
    "operations.export_folder.ExportFolder._begun": "the id of an export",
    "operations.export_folder.ExportFolder.begin_run": "the id of a run",
}
OF_NO_CREDENTIAL = {  # tables whose rows let nobody in
    "collection_document",
    "delivery",
    "document",
    "event",
    "event_head",
    "former_target",
    "kept_text",
    "mail",
    "opening",
    "piece",
    "preview",
    "unfinished_payload",
    "upload",
}
LOOKED_UP = {  # columns that name an origin, which is looked up when the row is presented
    ("document_token", "document_id"),
    ("recipient", "document_id"),
    ("recipient", "token_id"),
    ("user_account", "made_by"),  # whose quota a space counts in
}


def functions_that_make_secrets():
    """The qualified names of the functions of the service that draw, sign or issue something."""
    found = set()
    for module, path in MODULES.items():
        if module.partition(".")[0] in {"blueprints", "models", "operations", "webhooks"}:
            found |= {f"{module}.{name}".removesuffix(".") for name in makers_in(tree_of(path))}
    return found


def makers_in(tree):
    """The names of the functions of a module that draw, sign or issue something."""
    imported = {}
    for one in ast.walk(tree):
        if isinstance(one, ast.Import | ast.ImportFrom):
            package = f"{one.module}." if isinstance(one, ast.ImportFrom) else ""
            imported |= {name.asname or name.name: package + name.name for name in one.names}
    return {name for name, call in calls_in(tree) if makes_secret(call, imported)}


def calls_in(node, name=""):
    """Each call below a node, with the names of the class and the function around it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Call):
            yield name, child
        is_named = isinstance(child, ast.ClassDef | ast.FunctionDef)
        inner = f"{name}.{child.name}".removeprefix(".") if is_named else name
        yield from calls_in(child, inner)


def makes_secret(call, imported):
    """Whether it does, by whatever name a module has `imported` what it calls."""
    called = ast.unparse(call.func)
    issues_token = called.startswith("current_runtime().") and called.endswith(".issue")
    first, dot, rest = called.partition(".")
    module, _, name = f"{imported.get(first, first)}{dot}{rest}".rpartition(".")
    known = f"{module.rpartition('.')[2]}.{name}"
    return issues_token or known in DRAWS | SIGNS or module in DRAWS


@pytest.mark.parametrize(
    "maker",
    [
        "import secrets\ndef code(): return secrets.token_hex()",
        "import secrets as drawn\ndef code(): return drawn.token_hex()",
        "from secrets import token_hex as drawn\ndef code(): return drawn()",
        "from os import urandom\ndef code(): return urandom(16).hex()",
        "def code():\n    from uuid import uuid4\n    return uuid4().hex",
        "import hmac\ndef code(key): return hmac.new(key, b'1', 'sha256').hexdigest()",
        "from crypto.sealing import seal\ndef code(key): return seal(key, b'', b'1')",
    ],
)
def test_a_secret_is_found_by_whatever_name_it_is_made(maker):
    assert makers_in(ast.parse(maker)) == {"code"}


def test_what_makes_a_secret_makes_a_declared_kind_of_credential_or_none():
    declared = {kind.made_by for kind in DERIVED}
    assert functions_that_make_secrets() - declared - set(NO_CREDENTIAL) == set()


def test_each_kind_is_made_by_a_function_that_is_there():
    for kind in DERIVED:
        found = resolve_name(kind.made_by)
        assert callable(found)


def test_each_kind_can_be_made_and_each_origin_ended_by_this_walk():
    assert {kind.name for kind in DERIVED} == set(MAKERS)
    assert {origin for kind in DERIVED for origin in kind.origins} == set(ENDS)


def test_a_row_that_names_another_one_ends_with_it_or_lets_nobody_in(client):
    named = [(kind.table, one) for kind in DERIVED for one in kind.origins.values()]
    ended = {(table, column) for table, columns in named for column in columns}
    left = set()
    with connected():
        for (table,) in query("SELECT name FROM sqlite_master WHERE type = 'table'"):
            references = query(f"PRAGMA foreign_key_list({table})")
            ended |= {(table, row[3]) for row in references if row[6] == "CASCADE"}
            columns = [row[1] for row in query(f"PRAGMA table_info({table})")]
            naming = [column for column in columns if column.endswith(("_id", "_by"))]
            left |= {(table, one) for one in naming if table not in OF_NO_CREDENTIAL}
    assert left - ended == LOOKED_UP


def query(statement):
    return database.execute_sql(statement).fetchall()
