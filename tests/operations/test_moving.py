"""Accounts move from one instance to another by an export, whole and sealed, or not at all."""

import hashlib
import io
import json
import os
import shutil
from dataclasses import replace

import pytest

from models import (
    Collection,
    Document,
    DocumentToken,
    Event,
    EventHead,
    User,
    Webhook,
    connected,
    current_runtime,
    setup,
)
from models import uploads as uploads_in_pieces
from models.account_deletion import delete_space
from models.accounts import (
    IMPORTING,
    SCOPES,
    ApiKey,
    Invitation,
    Member,
    Session,
    add_member,
    appoint_manager,
    enter_space,
    make_space,
    remove_member,
    spaces_of,
)
from models.background import drop_payloads
from models.core import OperatorError, StorageFull
from models.documents import (
    UnfinishedUpload,
    UnreferencedPayload,
    uploads,
    wrong_totals,
)
from models.events import current_actor
from models.links import FormerTarget, LinkOptions, Opening, Recipient, delete_document, kept_text
from models.links.gate import Gate, Proof
from models.runtime import create_runtime
from models.storage import database
from models.storage.payloads import FILES, files, sealed_size
from operations import (
    carried,
    export_accounts,
    export_folder,
    exporting,
    give_up_imports,
    import_accounts,
    importing,
    verify_log,
)
from operations.verification import check_contents
from settings import Settings
from tests import kills
from tests.uploads import upload

pytestmark = pytest.mark.usefixtures("quick_passphrases")
PASSPHRASE = "a long passphrase"
LARGE = os.urandom(3_000_000)


@pytest.fixture
def export(tmp_path):
    return tmp_path / "moved"


def sealed_values(row):
    return {name: getattr(row, name) for name in row.sealed_names()}


def contents_of(owner_id):
    """Everything of an account that an export carries, without what is made anew."""
    documents = {
        document.id: (
            document.created_at,
            document.content_type,
            document.expires_at,
            document.binned_at,
            sealed_values(document),
            hashlib.sha256(b"".join(document.read())).hexdigest(),
        )
        for document in Document.select().where(Document.owner_id == owner_id)
    }
    collections = {
        one.id: (one.created_at, sealed_values(one), one.indexed_ids())
        for one in Collection.select().where(Collection.owner_id == owner_id)
    }
    events = [
        (one.id, one.sequence, one.body, one.hash)
        for one in Event.select().where(Event.owner_id == owner_id).order_by(Event.id)
    ]
    return documents, collections, events


@pytest.fixture
def filled(alice):
    """An account with rows of every kind."""
    documents = [
        upload(alice, b"%d" % number * number, name=f"{number}.txt", metadata={"n": str(number)})
        for number in range(12)
    ]
    large = upload(alice, LARGE, "application/x-large", name="large \ud800")
    collection = Collection.make(
        alice.id, "Minutes", note="of June", document_ids=[documents[3].id, documents[1].id]
    )
    options = LinkOptions.of(label="for Bob", password="open sesame", max_views=3)
    DocumentToken.issue(documents[2], options)
    DocumentToken.issue(collection, LinkOptions.of(label="all"))
    guarded = DocumentToken.issue(
        documents[5], LinkOptions.of(agreement="I keep it to myself.")
    ).row
    proof = Proof(name="Bob", accept=guarded.agreement_sha256)
    opening = Opening.begin(documents[5], guarded, None, proof)
    opening.store_with_events(guarded)
    DocumentToken.edit(alice.id, guarded.id, target=documents[6])
    Webhook.register(alice.id, "https://hooks.example.org/x", description="mine")
    ApiKey.issue(alice, "laptop", " ".join(SCOPES), None)
    Document.edit(alice.id, documents[7].id, name="renamed", expires_at=4_000_000_000_000)
    delete_document(documents[8])
    return large


@pytest.fixture
def elsewhere(tmp_path, empty_instance, instance):
    """Have the models work on another instance, an empty one, from now on."""
    opened = []

    def move(database=None, **settings):
        current_runtime().close()
        folder = tmp_path / f"other{len(opened)}"
        shutil.copytree(empty_instance, folder)
        database = database or str(folder / "documents.sqlite")
        values = {"reserve_bytes": 0, **settings}
        opened.append(create_runtime(Settings(instance_path=folder, database=database, **values)))
        setup.open_runtime()
        return connected()

    yield move
    for runtime in opened:
        runtime.close()


def test_an_account_is_the_same_in_another_instance(filled, alice, export, elsewhere):
    result = export_accounts(export, PASSPHRASE)
    before = contents_of(alice.id)
    link_ids = {link.id for link in DocumentToken.select()}
    brought = EventHead.find(alice.id).sequence
    assert result.problems == []
    with elsewhere():
        User.register("carol@example.org", "correct horse battery", None, "open")
        (imported,) = import_accounts(export, PASSPHRASE)

        documents, collections, events = contents_of(alice.id)
        assert (documents, collections) == before[:2]
        assert events[:brought] == before[2]
        user = User.of_email("alice@example.com")
        assert (user.id, user.name, user.disabled_at) == (alice.id, "Alice", None)
        assert not user.has_password
        assert imported.rows["document"] == 12
        assert {link.id for link in DocumentToken.select()} == link_ids
        assert verify_log().breaks == []
        assert ApiKey.select().count() == 0
        assert FormerTarget.select().count() == 1
        assert verified_problems() == []
        assert Document.stored_by(alice.id).documents == 12
        assert wrong_totals() == []


def verified_problems():
    return check_contents()


def test_links_arrive_ended_with_their_terms_and_history(filled, alice, export, elsewhere):
    former = {link.id: bytes(link.digest) for link in DocumentToken.select()}
    export_accounts(export, PASSPHRASE)
    with elsewhere():
        import_accounts(export, PASSPHRASE)
        links = {}
        for link in DocumentToken.select():
            assert link.revoked_at is not None
            assert link.kept_secret is None
            assert bytes(link.digest) == former[link.id]  # so its address answers 410
            link.target = carried.target_here({"target_id": link.target_id})
            links[link.label] = link
        assert links["for Bob"].max_views == 3
        assert links["for Bob"].has_password
        guarded = links[None]
        assert guarded.gate == Gate(agreement="I keep it to myself.")
        (opening,) = Opening.select()
        assert opening.with_target().name == "Bob"
        assert "agreement.accepted" in opening.receipt()
        assert kept_text(guarded.target, guarded.agreement_sha256) == "I keep it to myself."
        ended = Event.select().where(Event.type == "token.revoked", Event.owner_id == alice.id)
        assert ended.count() >= 3


def test_the_choices_of_a_link_arrive_with_it(alice, export, elsewhere):
    document = upload(alice)
    DocumentToken.issue(document, LinkOptions(label="plain"))
    chosen = DocumentToken.issue(document, LinkOptions(label="chosen", hides_name=True)).row
    chosen.change(notifies_owner=True)
    export_accounts(export, PASSPHRASE)
    with elsewhere():
        import_accounts(export, PASSPHRASE)
        choices = {}
        for link in DocumentToken.select():
            choices[link.label] = (link.hides_name, link.notifies_owner)
    assert choices == {"chosen": (True, True), "plain": (False, False)}


def test_received_files_and_what_is_shown_of_the_sender_arrive(alice, export, elsewhere):
    link = DocumentToken.issue(upload(alice), LinkOptions()).row
    received = upload(alice, b"from Bob", came_by=link.id)
    alice.edit(shows_name=False)
    User.find(alice.id).see_received(received.created_at)
    export_accounts(export, PASSPHRASE)
    with elsewhere():
        import_accounts(export, PASSPHRASE)
        assert Document.find(received.id).came_by == link.id
        user = User.find(alice.id)
        assert (user.shows_name, user.received_seen_at) == (False, received.created_at)


def test_a_webhook_arrives_disabled_with_another_secret(filled, export, elsewhere):
    (before,) = Webhook.select()
    secrets = before.secrets
    export_accounts(export, PASSPHRASE)
    with elsewhere():
        import_accounts(export, PASSPHRASE)
        (webhook,) = Webhook.select()
        assert webhook.disabled_at is not None
        assert (webhook.url, webhook.description) == (before.url, before.description)
        assert webhook.secrets != secrets


def test_recipients_arrive_without_their_codes(alice, export, elsewhere):
    document = upload(alice)
    link = DocumentToken.issue(document, LinkOptions.of()).row
    Recipient.draw_code(document, link.id, "bob@example.org")
    export_accounts(export, PASSPHRASE)
    with elsewhere():
        import_accounts(export, PASSPHRASE)
        (recipient,) = Recipient.select()
        assert recipient.address == "bob@example.org"
        assert recipient.code_digest is None


def test_no_file_of_an_export_shows_what_it_holds(filled, alice, export):
    export_accounts(export, PASSPHRASE)
    files = [path for path in export.rglob("*") if path.is_file()]
    assert len(files) == 12 + 1 + 2
    for path in files:
        content = path.read_bytes()
        assert path.stat().st_mode & 0o777 == 0o600
        for clear in (LARGE[:32], b"Minutes", b"alice@", b"renamed", b"9" * 9):
            assert clear not in content, path
    assert export.stat().st_mode & 0o777 == 0o700


def test_only_one_account_is_exported_if_asked(filled, alice, bob, export, elsewhere):
    upload(bob, b"not for others")
    export_accounts(export, PASSPHRASE, "alice@example.com")
    with elsewhere():
        import_accounts(export, PASSPHRASE)
        assert [user.email for user in User.select()] == ["alice@example.com"]


def test_an_export_made_again_holds_what_is_there_now(filled, alice, export, elsewhere):
    export_accounts(export, PASSPHRASE)
    written = (export / "documents" / filled.id).stat().st_ino
    newer = upload(alice, b"newer")
    gone = next(one for one in Document.select() if one.name == "4.txt")
    delete_document(gone)
    export_accounts(export, PASSPHRASE)
    assert (export / "documents" / filled.id).stat().st_ino == written
    assert not (export / "documents" / gone.id).exists()
    before = contents_of(alice.id)
    with elsewhere():
        import_accounts(export, PASSPHRASE)
        assert contents_of(alice.id)[:2] == before[:2]
        assert newer.id in before[0]


def test_an_import_made_twice_changes_nothing(filled, alice, export, elsewhere):
    export_accounts(export, PASSPHRASE)
    with elsewhere():
        import_accounts(export, PASSPHRASE)
        before = contents_of(alice.id)
        chains = {head.id: head.sequence for head in EventHead.select()}
        delete_document(Document.find(filled.id))
        (again,) = import_accounts(export, PASSPHRASE)
        assert (again.was_here, again.missing) == (True, 1)
        documents, collections, _events = contents_of(alice.id)
        del before[0][filled.id]
        assert (documents, collections) == before[:2]
        assert EventHead.find("service").sequence == chains["service"]


STEPS_OF_EXPORT = [
    (export_folder, "sync_folder"),
    (export_folder.ExportFolder, "_begun"),
    (export_folder.ExportFolder, "write_document"),
    (export_folder.ExportFolder, "begin_run"),
    (export_folder.ExportFolder, "write_account"),
    (export_folder.ExportFolder, "keep_only"),
    (export_folder.ExportFolder, "end_run"),
]
STEPS_OF_IMPORT = [
    (User, "store_importing"),
    (importing._Import, "_begin"),
    (importing._Import, "_store_events"),
    (importing, "store_as_exported"),
    (uploads.payload_rows, "store"),
    (importing._Import, "_store_row"),
    (importing._Import, "_store"),
    (importing._Import, "_compare"),
    (User, "end_import"),
    (importing._Import, "_finish"),
]


def in_killed_process(step, work):
    """Do work in a process that is killed after this step."""
    process = os.fork()
    if process == 0:
        try:
            current_runtime().close_database()
            kills.dying_after(*step)
            setup.open_runtime()
            with connected():
                work()
        finally:
            os._exit(1)
    _, status = os.waitpid(process, 0)
    assert os.WTERMSIG(status) == 9


def name_of(step):
    return step[1]


@pytest.mark.parametrize("step", STEPS_OF_EXPORT, ids=name_of)
def test_an_export_that_was_killed_goes_on(filled, alice, export, elsewhere, step):
    current_runtime().close_database()
    in_killed_process(step, lambda: export_accounts(export, PASSPHRASE))
    setup.open_runtime()
    with connected():
        export_accounts(export, PASSPHRASE)
        before = contents_of(alice.id)
    assert list(export.rglob("*.part")) == []
    with elsewhere():
        import_accounts(export, PASSPHRASE)
        assert contents_of(alice.id)[:2] == before[:2]


@pytest.mark.parametrize("step", STEPS_OF_IMPORT, ids=name_of)
def test_an_import_that_was_killed_goes_on(filled, alice, export, elsewhere, step):
    export_accounts(export, PASSPHRASE)
    before = contents_of(alice.id)
    with elsewhere():
        pass
    current_runtime().close_database()
    in_killed_process(step, lambda: import_accounts(export, PASSPHRASE))
    setup.open_runtime()
    with connected():
        assert wrong_totals() == []
        if step != (importing._Import, "_finish"):
            assert User.find_by_email("alice@example.com") is None
        import_accounts(export, PASSPHRASE)
        assert wrong_totals() == []
        documents, collections, events = contents_of(alice.id)
        assert (documents, collections) == before[:2]
        assert events[: len(before[2])] == before[2]
        assert verify_log().breaks == []
        assert verified_problems() == []
        assert User.importing() == []


def test_an_import_that_was_killed_can_be_given_up(filled, alice, export, elsewhere):
    export_accounts(export, PASSPHRASE)
    with elsewhere():
        pass
    current_runtime().close_database()
    in_killed_process((importing._Import, "_store"), lambda: import_accounts(export, PASSPHRASE))
    setup.open_runtime()
    with connected():
        (user,) = User.select()
        assert user.email.startswith(IMPORTING)
        assert give_up_imports() == 1
        assert nothing_is_here()
        assert verify_log().breaks == []
        import_accounts(export, PASSPHRASE)
        assert len(contents_of(alice.id)[0]) == 12
        assert verify_log().breaks == []
        database.execute_sql("UPDATE event SET type = 'document.viewed' WHERE sequence = 2")
        assert alice.id in {one.owner_id for one in verify_log().breaks}


def nothing_is_here():
    tables = ("user_account", "document", "piece", "collection", "document_token", "webhook")
    counts = [database.execute_sql(f"SELECT count(*) FROM {one}").fetchone() for one in tables]
    return counts == [(0,)] * len(tables)


def refused(export, sentence, passphrase=PASSPHRASE):
    with pytest.raises(OperatorError, match=sentence):
        import_accounts(export, passphrase)
    assert nothing_is_here()


def test_what_is_damaged_or_missing_in_an_export_prevents_all_of_it(
    filled, alice, export, elsewhere, tmp_path
):
    export_accounts(export, PASSPHRASE)
    document = f"documents/{filled.id}"
    account = f"accounts/{alice.id}"
    with elsewhere():
        refused(export, "passphrase does not open", "another passphrase")
        refused(tmp_path / "other0", "holds no export")
        for name in (document, account, "contents"):
            content = (export / name).read_bytes()
            (export / name).write_bytes(content[:-1])
            refused(export, f"{name} was altered or cut off")
            (export / name).write_bytes(b"")
            refused(export, f"{name} was altered or cut off")
            other_byte = bytes([content[100] ^ 1])
            (export / name).write_bytes(content[:100] + other_byte + content[101:])
            refused(export, f"{name} was altered or cut off")
            (export / name).unlink()
            refused(export, "is not complete|is missing")
            (export / name).write_bytes(content)
        one, other = sorted((export / "documents").iterdir())[:2]
        swapped = one.read_bytes()
        one.write_bytes(other.read_bytes())
        refused(export, "was altered or cut off")
        one.write_bytes(swapped)
        import_accounts(export, PASSPHRASE)


def test_parameters_that_others_have_altered_do_not_open(filled, export, elsewhere):
    export_accounts(export, PASSPHRASE)
    head = json.loads((export / "export.json").read_text())
    with elsewhere():
        for name, value in (("memory", 1 << 40), ("passes", 0), ("salt", "?"), ("key", 7)):
            altered = {**head, "key": {**head["key"], name: value}}
            (export / "export.json").write_text(json.dumps(altered))
            refused(export, "passphrase does not open")
        (export / "export.json").write_text("{}")
        refused(export, "damaged")


def test_files_of_an_earlier_run_do_not_open(filled, alice, export, elsewhere):
    export_accounts(export, PASSPHRASE)
    earlier = (export / "accounts" / alice.id).read_bytes()
    export_accounts(export, PASSPHRASE)
    (export / "accounts" / alice.id).write_bytes(earlier)
    with elsewhere():
        refused(export, "was altered or cut off")


@pytest.mark.parametrize(
    ("name", "most"),
    [
        ("quota_documents", 11),
        ("quota_bytes", 2_999_999),
        ("quota_collections", 0),
        ("quota_webhooks", 0),
        ("max_upload_bytes", 2_999_999),
    ],
)
def test_the_limits_of_the_instance_hold(filled, export, elsewhere, name, most):
    export_accounts(export, PASSPHRASE)
    with elsewhere(**{name: most}):
        refused(export, f"DOCSERVICE_{name.upper()} .* Raise it")


def test_another_account_with_the_address_is_refused(filled, export, elsewhere):
    export_accounts(export, PASSPHRASE)
    with elsewhere():
        User.register("ALICE@example.com", "correct horse battery", None, "open")
        with pytest.raises(OperatorError, match="has another account here, usr_"):
            import_accounts(export, PASSPHRASE)
        assert User.select().count() == 1


def test_an_id_of_another_account_is_refused(filled, export, elsewhere):
    export_accounts(export, PASSPHRASE)
    with elsewhere():
        carol = User.register("carol@example.org", "correct horse battery", None, "open")
        taken = upload(carol, b"hers")
        facts = {**carried.DOCUMENT.facts(taken), "id": filled.id}
        uploads.store_as_exported(carried.DOCUMENT.row(facts, owner_id=carol.id), [b"hers"])
        with pytest.raises(OperatorError, match=f"{filled.id} is here already, and belongs to"):
            import_accounts(export, PASSPHRASE)
        assert User.select().count() == 1


def add_recipient(document, link):
    row = Recipient.fresh(owner_id=document.owner_id, token_id=link.id)
    row.store_without_code(document, "bob@example.org")


@pytest.mark.parametrize(
    ("kind", "name", "table"),
    [
        ("opening", "token_id", "document_token"),
        ("opening", "recipient_id", "recipient"),
        ("opening", "target_id", "document"),
        ("recipient", "token_id", "document_token"),
        ("recipient", "target_id", "document"),
        ("former_target", "token_id", "document_token"),
        ("former_target", "target_id", "document"),
        ("link", "target_id", "document"),
    ],
)
def test_rows_about_a_link_or_a_target_of_somebody_else_are_refused(
    filled, alice, export, elsewhere, monkeypatch, kind, name, table
):
    link = DocumentToken.issue(filled, LinkOptions.of()).row
    add_recipient(filled, link)
    forged = {"token_id": "tok_", "recipient_id": "rcp_", "target_id": "doc_"}[name] + "0" * 26
    known = carried.CARRIED_TABLES[kind]

    def forge(row):
        more = known.more(row)
        return None if more is None else {**more, name: forged}

    monkeypatch.setitem(carried.CARRIED_TABLES, kind, replace(known, more=forge))
    export_accounts(export, PASSPHRASE)
    monkeypatch.setitem(carried.CARRIED_TABLES, kind, known)
    with elsewhere():
        carol = User.register("carol@example.org", "correct horse battery", None, "open")
        hers = upload(carol, b"hers")
        add_recipient(hers, DocumentToken.issue(hers, LinkOptions.of()).row)
        rows = database.execute_sql(f"SELECT id FROM {table}").fetchall()
        database.execute_sql(f"UPDATE {table} SET id = ? WHERE id = ?", (forged, rows[0][0]))
        with pytest.raises(OperatorError, match=f"{forged} is here already, and belongs to"):
            import_accounts(export, PASSPHRASE)
        assert User.select().count() == 1


def test_a_full_disk_leaves_nothing_of_the_account(filled, export, elsewhere, monkeypatch):
    export_accounts(export, PASSPHRASE)
    store = uploads.payload_rows.store
    with elsewhere():

        def full(document_id, pieces, first=0):
            store(document_id, pieces, first)
            if document_id == filled.id:
                raise StorageFull

        monkeypatch.setattr(uploads.payload_rows, "store", full)
        refused(export, "no room left on the disk.* Nothing of alice@example.com is left here")
        monkeypatch.undo()
        import_accounts(export, PASSPHRASE)


def test_a_full_disk_leaves_an_export_that_goes_on(filled, export, monkeypatch):
    rename = export_folder.Path.rename

    def full(part, path):
        if path.name == filled.id:
            raise OSError(28, "No space left on device")
        return rename(part, path)

    monkeypatch.setattr(export_folder.Path, "rename", full)
    with pytest.raises(OSError, match=f"No space left on device.*{filled.id}"):
        export_accounts(export, PASSPHRASE)
    assert list(export.rglob("*.part")) == []
    monkeypatch.undo()
    assert export_accounts(export, PASSPHRASE).problems == []


def test_a_folder_with_something_else_is_not_written_to(alice, export):
    export.mkdir()
    (export / "letter").write_text("mine")
    with pytest.raises(OperatorError, match="not empty, and holds no export"):
        export_accounts(export, PASSPHRASE)
    assert [one.name for one in export.iterdir()] == ["letter"]
    with pytest.raises(OperatorError, match="is a file"):
        export_accounts(export / "letter", PASSPHRASE)


def test_a_short_passphrase_is_refused(alice, export):
    with pytest.raises(OperatorError, match="at least 12 characters"):
        export_accounts(export, "too short")
    assert not export.exists()


def test_another_passphrase_does_not_go_on_with_an_export(filled, export):
    export_accounts(export, PASSPHRASE)
    with pytest.raises(OperatorError, match="passphrase does not open"):
        export_accounts(export, "another passphrase")
    assert (export / "contents").exists()


def test_two_commands_do_not_work_on_one_folder(filled, export, monkeypatch):
    begin = export_folder.ExportFolder.begin_run
    refusals = []

    def meanwhile(folder):
        with pytest.raises(OperatorError, match="Another command works on"):
            export_accounts(export, PASSPHRASE)
        refusals.append(True)
        return begin(folder)

    monkeypatch.setattr(export_folder.ExportFolder, "begin_run", meanwhile)
    export_accounts(export, PASSPHRASE)
    assert refusals == [True]


def test_a_document_that_does_not_open_is_named_and_left_out(
    filled, alice, export, elsewhere, file
):
    gone = next(one for one in Document.select() if one.name == "4.txt")
    file("UPDATE piece SET sealed = zeroblob(20) WHERE document_id = :id", id=gone.id)
    setup.open_runtime()
    with connected():
        result = export_accounts(export, PASSPHRASE)
    assert result.problems == [f"{gone.id} does not open, and is left out."]
    with elsewhere():
        import_accounts(export, PASSPHRASE)
        assert Document.find(gone.id) is None
        assert Document.select().count() == 11


def test_a_log_that_was_altered_is_not_exported(filled, alice, export, file):
    file("UPDATE event SET body = replace(body, 'doc_', 'dox_') WHERE type = 'document.created'")
    setup.open_runtime()
    with connected(), pytest.raises(OperatorError, match="does not hold"):
        export_accounts(export, PASSPHRASE)
    assert not (export / "contents").exists()


def test_what_has_ended_since_the_export_is_not_imported(alice, export, elsewhere, clock):
    document = upload(alice, b"short-lived", expires_at=importing.now() + 60_000)
    DocumentToken.issue(document, LinkOptions.of(label="with it"))
    export_accounts(export, PASSPHRASE)
    clock(120_000)
    with elsewhere():
        (imported,) = import_accounts(export, PASSPHRASE)
        assert (imported.ended, Document.select().count()) == (1, 0)
        assert DocumentToken.select().count() == 1


def test_memory_does_not_grow_with_a_document(alice, export, monkeypatch):
    sizes = []
    write = export_folder._write
    document = upload(alice, LARGE)

    def measured(path, pieces):
        def each():
            for piece in pieces:
                sizes.append(len(piece))
                yield piece

        write(path, each())

    monkeypatch.setattr(export_folder, "_write", measured)
    export_accounts(export, PASSPHRASE)
    assert max(sizes) < 1 << 18
    assert sum(sizes) > document.size


# Large payloads


def test_payloads_in_files_move_and_unfinished_uploads_stay(alice, export, elsewhere):
    current_runtime().large_payload_bytes = 1_000_000
    posted = upload(alice, LARGE, "application/x-large", name="posted.bin")
    begun = uploads_in_pieces.begin(uploads_in_pieces.NewUpload(alice.id, len(LARGE)))
    came = uploads_in_pieces.append(begun, 0, sent(LARGE))
    unfinished = uploads_in_pieces.begin(uploads_in_pieces.NewUpload(alice.id, len(LARGE)))
    uploads_in_pieces.append(unfinished, 0, sent(LARGE[:2_000_000]))
    export_accounts(export, PASSPHRASE)
    assert not [
        path for path in export.rglob("*") if path.is_file() and LARGE[:64] in path.read_bytes()
    ]
    with elsewhere():
        current_runtime().large_payload_bytes = 1_000_000
        import_accounts(export, PASSPHRASE)
        documents = {one.id: one for one in Document.select()}
        assert documents.keys() == {posted.id, came.document_id}
        for one in documents.values():
            assert (one.place, files.length(one.payload_id)) == (
                FILES,
                sealed_size(one.payload_id, len(LARGE)),
            )
            assert b"".join(one.read()) == LARGE
        assert UnfinishedUpload.select().count() == 0
        assert UnreferencedPayload.select().count() == 0
        assert check_contents() == []


def test_an_import_that_was_refused_leaves_no_file(alice, export, elsewhere):
    current_runtime().large_payload_bytes = 1_000_000
    upload(alice, LARGE, "application/x-large")
    export_accounts(export, PASSPHRASE)
    with elsewhere(max_upload_bytes=len(LARGE) - 1, max_document_bytes=1000):
        current_runtime().large_payload_bytes = 1_000_000
        with pytest.raises(OperatorError, match="DOCSERVICE_MAX_UPLOAD_BYTES"):
            import_accounts(export, PASSPHRASE)
        assert list(files.stored()) == []
        assert User.select().count() == 0


def sent(content):
    return uploads_in_pieces.Body(io.BytesIO(content), len(content))


def test_an_import_that_was_killed_behind_a_file_goes_on_and_leaves_one(
    alice, export, elsewhere, clock
):
    current_runtime().large_payload_bytes = 1_000_000
    document = upload(alice, LARGE, "application/x-large")
    export_accounts(export, PASSPHRASE)
    with elsewhere():
        current_runtime().large_payload_bytes = 1_000_000
    current_runtime().close_database()
    in_killed_process((files, "store"), lambda: import_accounts(export, PASSPHRASE))
    setup.open_runtime()
    with connected():
        assert len(list(files.stored())) == 1
        import_accounts(export, PASSPHRASE)
        clock(86_400_000)
        drop_payloads()
        assert b"".join(Document.find(document.id).read()) == LARGE
        assert [id for id, _ in files.stored()] == [Document.find(document.id).payload_id]


# Spaces


@pytest.fixture
def team(alice, bob):
    """The id of a space that Alice manages, with what Bob has written in it."""
    space = make_space(alice, "Accounting").row
    add_member(space.id, alice.id, bob.email, "write")
    enter_space(space.id, bob.id)
    former = current_actor.set({"via": "session", "userId": bob.id})
    document = upload(space, b"a bill", name="bill.txt")
    Collection.make(space.id, "Bills", document_ids=[document.id])
    DocumentToken.issue(document, LinkOptions.of(label="for Carol"))
    Webhook.register(space.id, "https://hooks.example.org/x", description="ours")
    current_actor.reset(former)
    return space.id


def members_of(space_id):
    rows = Member.of_space(space_id)
    columns = ("id", "created_at", "user_id", "role", "inviter_id", "accepted_at", "is_waiting")
    return [tuple(getattr(one, name) for name in columns) for one in rows]


def test_who_has_not_entered_a_space_waits_in_another_instance_as_well(
    team, alice, bob, export, elsewhere
):
    remove_member(team, alice.id, bob.id)
    add_member(team, alice.id, bob.email, "read")
    before = members_of(team)
    export_accounts(export, PASSPHRASE)
    with elsewhere():
        import_accounts(export, PASSPHRASE)
        assert members_of(team) == before
        assert spaces_of(bob.id) == []
        assert enter_space(team, bob.id).role == "read"


def test_a_space_is_the_same_in_another_instance_with_its_members(
    team, alice, bob, export, elsewhere
):
    export_accounts(export, PASSPHRASE)
    before = contents_of(team)
    members = members_of(team)
    row = User.find(team)
    with elsewhere():
        people = import_accounts(export, PASSPHRASE)
        assert [one.id for one in people] == [alice.id, bob.id, team]
        assert (people[2].absent_members, people[2].needs_manager) == ([], False)
        assert members_of(team) == members
        documents, collections, events = contents_of(team)
        assert (documents, collections) == before[:2]
        assert [one[4]["uploader_id"] for one in documents.values()] == [bob.id]  # who uploaded it
        assert events[: len(before[2])] == before[2]
        here = User.find(team)
        assert (here.name, here.made_by, here.disabled_at) == ("Accounting", alice.id, None)
        assert (here.email, here.created_at) == (row.email, row.created_at)
        assert [(one.id, one.role) for one in spaces_of(bob.id)] == [(team, "write")]
        (webhook,) = Webhook.select()
        assert (webhook.owner_id, webhook.disabled_at is None) == (team, False)
        assert DocumentToken.select().get().revoked_at is not None
        assert verify_log().breaks == []
        assert verified_problems() == []


def test_a_member_acts_as_the_space_after_the_import(team, bob, export, elsewhere):
    export_accounts(export, PASSPHRASE)
    with elsewhere():
        import_accounts(export, PASSPHRASE)
        person = User.find(bob.id)
        own = Session.begin(person, 60).row
        token = Session.begin_in_space(team, person, own).token
        assert Session.of_token(token).member.role == "write"


def test_nothing_arrives_that_acts_for_a_space(team, alice, export, elsewhere):
    space = User.find(team)
    ApiKey.issue(space, "laptop", " ".join(SCOPES), None)
    Session.begin_in_space(space.id, alice, Session.begin(alice, 60).row)
    Invitation.issue_for_space(team, alice, "ina@example.org", "manage")
    export_accounts(export, PASSPHRASE)
    with elsewhere():
        import_accounts(export, PASSPHRASE)
        assert [table.select().count() for table in (ApiKey, Session, Invitation)] == [0, 0, 0]
        assert not User.find(team).has_password


def test_a_person_is_exported_without_spaces(team, alice, export, elsewhere):
    export_accounts(export, PASSPHRASE, alice.email)
    with elsewhere():
        import_accounts(export, PASSPHRASE)
        assert [user.id for user in User.select()] == [alice.id]
        assert Member.select().count() == 0


def test_a_space_that_comes_alone_says_who_is_left_out_and_needs_a_manager(
    team, alice, bob, export, elsewhere, tmp_path
):
    export_accounts(export, PASSPHRASE, team)
    export_accounts(tmp_path / "alone", PASSPHRASE, alice.email)
    before = contents_of(team)
    with elsewhere():
        (space,) = import_accounts(export, PASSPHRASE)
        assert space.absent_members == [alice.email, bob.email]
        assert space.needs_manager
        assert members_of(team) == []
        assert contents_of(team)[:2] == before[:2]
        removed = Event.select().where(Event.owner_id == team, Event.type == "member.removed")
        assert [one.data["memberUserId"] for one in removed] == [alice.id, bob.id]
        assert verify_log().breaks == []
        import_accounts(tmp_path / "alone", PASSPHRASE)
        assert members_of(team) == []
        appoint_manager(team, alice.id)
        assert [one.role for one in spaces_of(alice.id)] == ["manage"]
        (again,) = import_accounts(export, PASSPHRASE)
        assert (again.was_here, again.needs_manager) == (True, False)


def test_a_member_whose_account_came_before_is_one_again(
    team, alice, bob, export, elsewhere, tmp_path
):
    export_accounts(tmp_path / "alone", PASSPHRASE, alice.email)
    export_accounts(export, PASSPHRASE, team)
    with elsewhere():
        User.register(bob.email, "correct horse battery", None, "open")  # with another id
        import_accounts(tmp_path / "alone", PASSPHRASE)
        (space,) = import_accounts(export, PASSPHRASE)
        assert [member[2:4] for member in members_of(team)] == [(alice.id, "manage")]
        assert (space.absent_members, space.needs_manager) == ([bob.email], False)


def test_a_space_whose_managers_are_disabled_needs_one(team, alice, export, elsewhere):
    alice.disable()
    export_accounts(export, PASSPHRASE)
    with elsewhere():
        imported = import_accounts(export, PASSPHRASE)
        assert [one.needs_manager for one in imported] == [False, False, True]
        assert len(members_of(team)) == 2


def test_a_member_who_was_removed_since_an_import_stays_out(team, alice, bob, export, elsewhere):
    export_accounts(export, PASSPHRASE)
    with elsewhere():
        import_accounts(export, PASSPHRASE)
        remove_member(team, alice.id, bob.id)
        again = import_accounts(export, PASSPHRASE)
        assert all(one.was_here for one in again)
        assert [member[2] for member in members_of(team)] == [alice.id]


STEPS_OF_SPACE = [*STEPS_OF_IMPORT, (Member, "store"), (importing, "leave_out_member")]


@pytest.mark.parametrize("step", STEPS_OF_SPACE, ids=name_of)
def test_an_import_of_a_space_that_was_killed_goes_on(
    team, alice, bob, export, elsewhere, tmp_path, step
):
    export_accounts(tmp_path / "alone", PASSPHRASE, alice.email)
    export_accounts(export, PASSPHRASE, team)
    before = contents_of(team)
    with elsewhere():
        import_accounts(tmp_path / "alone", PASSPHRASE)
    current_runtime().close_database()
    in_killed_process(step, lambda: import_accounts(export, PASSPHRASE))
    setup.open_runtime()
    with connected():
        if step != (importing._Import, "_finish"):
            assert members_of(team) == []
        (space,) = import_accounts(export, PASSPHRASE)
        assert space.absent_members == [bob.email]
        assert [member[2:4] for member in members_of(team)] == [(alice.id, "manage")]
        documents, collections, events = contents_of(team)
        assert (documents, collections) == before[:2]
        assert events[: len(before[2])] == before[2]
        removed = Event.select().where(Event.owner_id == team, Event.type == "member.removed")
        assert removed.count() == 1
        assert verify_log().breaks == []
        assert verified_problems() == []
        assert User.importing() == []


def test_spaces_that_are_here_and_in_an_export_count_in_the_quota_of_who_made_them(
    team, alice, export, elsewhere, tmp_path
):
    export_accounts(tmp_path / "alone", PASSPHRASE, alice.email)
    export_accounts(export, PASSPHRASE)
    with elsewhere(quota_spaces=0):
        refused(export, f"{alice.id} has made 1 space .* DOCSERVICE_QUOTA_SPACES .* Raise it")
    with elsewhere(quota_spaces=1):
        import_accounts(tmp_path / "alone", PASSPHRASE)
        made = make_space(User.find(alice.id), "Office")
        with pytest.raises(OperatorError, match="has made 2 spaces .* allows 1 here"):
            import_accounts(export, PASSPHRASE)
        delete_space(made.id, alice.id)
        for _ in range(2):
            import_accounts(export, PASSPHRASE)


@pytest.mark.parametrize(
    ("bound", "most", "sentence"),
    [
        ("MOST_MEMBERS", 1, "has 2 members in the export, and 1 are the most"),
        ("MOST_MEMBERSHIPS", 0, "is a member of 1 space .*, and 0 are the most"),
    ],
)
def test_the_bounds_of_members_hold_at_an_import(
    team, export, elsewhere, monkeypatch, bound, most, sentence
):
    export_accounts(export, PASSPHRASE)
    monkeypatch.setattr(importing, bound, most)
    with elsewhere():
        refused(export, sentence)


@pytest.mark.parametrize(
    ("account", "facts"),
    [
        ("team", {"email": "carol@example.org"}),
        ("team", {"made_by": None}),
        ("alice", {"made_by": "usr_01hzzzzzzzzzzzzzzzzzzzzzzz"}),
        ("alice", {"members": [{"id": "mem_01hzzzzzzzzzzzzzzzzzzzzzzz"}]}),
    ],
)
def test_an_account_that_is_neither_a_person_nor_a_space_is_refused(
    team, alice, export, elsewhere, monkeypatch, account, facts
):
    altered_id = team if account == "team" else alice.id
    facts_of = exporting._Export._facts_of_account

    def altered(run, user):
        more = facts if user.id == altered_id else {}
        return {**facts_of(run, user), **more}

    monkeypatch.setattr(exporting._Export, "_facts_of_account", altered)
    export_accounts(export, PASSPHRASE)
    with elsewhere():
        refused(export, f"{altered_id} is neither a person nor a space")


def test_an_export_from_before_spaces_were_in_it_is_imported(
    filled, alice, export, elsewhere, monkeypatch
):
    def former(kind, *newer):
        return replace(kind, left_out={**kind.left_out, **dict.fromkeys(newer, "newer")})

    account = former(carried.ACCOUNT, "shows_name", "received_seen_at", "made_by")
    document = former(carried.DOCUMENT, "came_by", "uploader_id")
    former_account = lambda run, user: account.facts(user)  # noqa: ARG005, E731
    monkeypatch.setattr(exporting._Export, "_facts_of_account", former_account)
    monkeypatch.setattr(exporting, "DOCUMENT", document)
    export_accounts(export, PASSPHRASE)
    before = contents_of(alice.id)
    with elsewhere():
        import_accounts(export, PASSPHRASE)
        assert contents_of(alice.id)[:2] == before[:2]


def test_a_space_that_is_being_deleted_is_in_no_export(team, alice, export, monkeypatch):
    delete_document(Document.select().get())
    monkeypatch.setattr("models.account_deletion._finish", lambda _: None)
    delete_space(team, alice.id)
    with pytest.raises(OperatorError, match=f"There is no account {team}"):
        export_accounts(export, PASSPHRASE, team)
    result = export_accounts(export, PASSPHRASE)
    assert list(result.accounts) == ["alice@example.com", "bob@example.com"]
