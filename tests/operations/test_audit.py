"""The log of events: what somebody changes in the database file is found, and nothing else."""

import io
import json
import random
import runpy
import sys
from contextlib import contextmanager, redirect_stdout
from dataclasses import replace
from itertools import product

import pytest

from crypto import event_hash
from models import Event, EventHead, User, Webhook, current_runtime, database
from models.background import sweep
from models.core import OperatorError
from models.links import delete_document
from models.storage import SERVICE
from operations import (
    ExportedLog,
    audit,
    checkpoint,
    doctor,
    read_receipts,
    rotate_root_keys,
    verify_log,
)
from operations.audit import Receipt
from operations.key_rotation import retire_root_key
from tests.service import ROOT
from tests.uploads import upload

DAY_MS = 86_400_000
EVENTS = 12
COLUMNS = (
    "id",
    "created_at",
    "owner_id",
    "sequence",
    "type",
    "document_id",
    "body",
    "hash",
    "collection_id",
)


def sql(statement, *values):
    """Execute a statement in which `?` stands for each value."""
    names = [f"value_{chr(97 + number)}" for number in range(len(values))]
    for name in names:
        statement = statement.replace("?", f":{name}", 1)
    return database.execute_sql(statement, dict(zip(names, values, strict=True)))


def record(owner, count):
    for number in range(count):
        Event.record(owner.id, "webhook.test", {"number": number})


@contextmanager
def undone():
    """Undo what the block does to the database."""
    with database.atomic() as transaction:
        yield
        transaction.rollback()


def places(receipts=()):
    return [(one.owner_id, one.sequence) for one in verify_log(receipts).breaks]


def row(owner, number):
    found = sql("SELECT * FROM event WHERE owner_id = ? AND sequence = ?", owner.id, number)
    return dict(zip(COLUMNS, found.fetchone(), strict=True))


def store(owner, number, **values):
    names = ", ".join(f"{name} = ?" for name in values)
    where = "owner_id = ? AND sequence = ?"
    sql(f"UPDATE event SET {names} WHERE {where}", *values.values(), owner.id, number)


def insert(values):
    sql(f"INSERT INTO event VALUES ({', '.join('?' * len(COLUMNS))})", *values.values())


def flipped(value, chance):
    if value is None:
        return "doc_made_up"
    if isinstance(value, int):
        return value + chance.choice([-1, 1]) * chance.randrange(1, 99)
    at = chance.randrange(len(value))
    if isinstance(value, bytes):
        return value[:at] + bytes([value[at] ^ 1 << chance.randrange(8)]) + value[at + 1 :]
    return value[:at] + ("x" if value[at] != "x" else "y") + value[at + 1 :]


class Tampering:
    """Each method changes the file as somebody without the keyring could; returns the number."""

    def __init__(self, alice, bob, chance, older):
        self.alice, self.bob, self.chance, self.older = alice, bob, chance, older
        self.number = chance.randrange(1, EVENTS + 1)

    def flip(self):
        column = self.chance.choice(COLUMNS)
        value = flipped(row(self.alice, self.number)[column], self.chance)
        store(self.alice, self.number, **{column: value})
        return self.number

    def give_away(self):
        store(self.alice, self.number, owner_id=self.bob.id)
        return self.number

    def drop(self):
        sql("DELETE FROM event WHERE owner_id = ? AND sequence = ?", self.alice.id, self.number)
        return self.number

    def insert(self):
        previous, copy = row(self.alice, self.number), row(self.alice, self.number)
        copy["id"] = flipped(copy["id"], self.chance)
        copy["sequence"] = self.number + 1
        copy["body"] = copy["body"].replace(previous["id"], copy["id"])
        copy["hash"] = event_hash(self.alice.id, self.number + 1, previous["hash"], copy["body"])
        insert(copy)
        return self.number + 1

    def swap(self):
        other = self.chance.choice([n for n in range(1, EVENTS + 1) if n != self.number])
        for number, new in ((self.number, 1000), (other, self.number), (1000, other)):
            store(self.alice, number, sequence=new)
        return min(self.number, other)

    def cut(self):
        sql("DELETE FROM event WHERE owner_id = ? AND sequence >= ?", self.alice.id, self.number)
        return self.number

    def cut_and_move_the_head(self):
        if self.number == 1:
            return self.cut()
        last = row(self.alice, self.number - 1)
        self.cut()
        change = "UPDATE event_head SET sequence = ?, hash = ?, last_id = ? WHERE id = ?"
        sql(change, last["sequence"], last["hash"], last["id"], self.alice.id)
        return self.number

    def put_back_an_older_copy(self):
        sql("DELETE FROM event WHERE owner_id = ? AND sequence > 5", self.alice.id)
        sql("DELETE FROM event_head WHERE id = ?", self.alice.id)
        sql(f"INSERT INTO event_head VALUES ({', '.join('?' * 8)})", *self.older)
        return 6

    def link_anew(self):
        """All hashes from the altered one on are right; those of the head as well, or not."""
        body = row(self.alice, self.number)["body"].replace('"service"', '"session"')
        store(self.alice, self.number, body=body)
        previous = bytes(32) if self.number == 1 else row(self.alice, self.number - 1)["hash"]
        for number in range(self.number, EVENTS + 1):
            body = row(self.alice, number)["body"]
            previous = event_hash(self.alice.id, number, previous, body)
            store(self.alice, number, hash=previous)
        if self.chance.random() < 0.5:
            sql("UPDATE event_head SET hash = ? WHERE id = ?", previous, self.alice.id)
        return EVENTS

    def flip_the_head(self):
        names = "sequence", "hash", "last_id", "oldest", "hash_before", "sealed"
        name = self.chance.choice(names)
        (value,) = sql(f"SELECT {name} FROM event_head WHERE id = ?", self.alice.id).fetchone()
        changed = flipped(value, self.chance)
        sql(f"UPDATE event_head SET {name} = ? WHERE id = ?", changed, self.alice.id)
        return changed + 1 if name == "sequence" else EVENTS + 1

    def drop_the_head(self):
        sql("DELETE FROM event_head WHERE id = ?", self.alice.id)
        return 1

    def drop_the_whole_chain(self):
        sql("DELETE FROM event_head WHERE id = ?", self.alice.id)
        sql("DELETE FROM event WHERE owner_id = ?", self.alice.id)
        sql("DELETE FROM user_account WHERE id = ?", self.alice.id)
        return 1

    def sign_nothing(self):
        sql("UPDATE event_head SET sealed = NULL WHERE id = ?", self.alice.id)
        return EVENTS + 1


KINDS = [name for name in vars(Tampering) if not name.startswith("_")]


@pytest.fixture
def older(alice, bob):
    """The row of Alice's head after 5 of her 12 events."""
    record(alice, 5)
    found = sql("SELECT * FROM event_head WHERE id = ?", alice.id).fetchone()
    record(alice, EVENTS - 5)
    record(bob, 3)
    return found


def test_random_tamperings_are_all_found_with_owner_and_number(alice, bob, older):
    receipts = checkpoint()
    assert places(receipts) == []
    for seed in range(260):
        kind = KINDS[seed % len(KINDS)]
        with undone():
            number = getattr(Tampering(alice, bob, random.Random(seed), older), kind)()
            assert (alice.id, number) in places(receipts), (seed, kind)
    assert places(receipts) == []


def test_a_value_of_another_type_is_a_break_and_no_failure(alice, older):
    for column, value in product(COLUMNS, [b"\xff\xfe", "text", 7.5, 10**18, ""]):
        with undone():
            store(alice, 4, **{column: value})
            assert (alice.id, 4) in places(), (column, value)
    columns = ["sequence", "hash", "oldest", "hash_before", "sealed"]
    for column, value in product(columns, [b"\xff\xfe", "text", 7.5]):
        with undone():
            sql(f"UPDATE event_head SET {column} = ? WHERE id = ?", value, alice.id)
            assert alice.id in [owner for owner, _ in places()], (column, value)
    with undone():
        sql("UPDATE event SET body = CAST(x'ff22' AS TEXT) WHERE sequence = 4")
        assert (alice.id, 4) in places()


def test_a_head_that_was_altered_is_not_signed_again_by_later_events(alice, older):
    cut = "DELETE FROM event WHERE owner_id = ? AND sequence > 9"
    sql(cut, alice.id)
    last = row(alice, 9)
    change = "UPDATE event_head SET sequence = 9, hash = ?, last_id = ? WHERE id = ?"
    sql(change, last["hash"], last["id"], alice.id)
    record(alice, 3)
    rotate_root_keys()

    assert alice.id in [owner for owner, _ in places()]
    assert [event.sequence for event in Event.feed(alice.id, 100, None)[0]] == [*range(1, 13)]


def test_a_head_that_was_deleted_is_not_made_anew_with_a_mac(alice, older):
    with undone():
        sql("DELETE FROM event_head WHERE id = ?", alice.id)
        record(alice, 1)
        assert alice.id in [owner for owner, _ in places()]
        assert row(alice, EVENTS + 1)


def test_doctor_finds_an_altered_head_and_a_cut_and_with_deep_every_break(alice, older):
    assert audit.check_heads() == []
    with undone():
        store(alice, 4, type="webhook.disabled")
        assert audit.check_heads() == []
        found = [one.problems for one in doctor_findings(deep=True) if one.check == "log"]
        assert f"{alice.id} 4: " in found[0][0]
    with undone():
        sql("DELETE FROM event WHERE owner_id = ? AND sequence > 10", alice.id)
        assert [(one.owner_id, one.sequence) for one in audit.check_heads()] == [(alice.id, 11)]
    with undone():
        sql("UPDATE event_head SET sealed = ? WHERE id = ?", bytes(32), alice.id)
        assert [one.owner_id for one in audit.check_heads()] == [alice.id]


def doctor_findings(deep):
    context = doctor.DoctorContext(None, None, deep=deep)
    return [doctor._run_check(doctor._log, context)]


def test_a_receipt_holds_if_its_event_has_its_hash_and_more_may_follow(alice, older):
    receipts = checkpoint()
    (mine,) = (receipt for receipt in receipts if receipt.owner_id == alice.id)
    assert places([mine._replace(sequence=EVENTS - 1)]) == [(alice.id, EVENTS - 1)]
    assert places([mine._replace(sequence=EVENTS + 5)]) == [(alice.id, EVENTS + 1)]
    assert ("usr_nobody", 1) in places([Receipt("usr_nobody", 1, "0" * 64)])
    record(alice, 4)
    result = verify_log(receipts)
    assert (result.breaks, result.receipts, result.forgotten) == ([], 3, 0)


def test_a_receipt_may_name_its_event_by_id(alice, older):
    event = Event.find(alice.id, row(alice, 5)["id"])
    mine, absent = f"{event.id} {event.hash.hex()}", f"{event.id[:-3]}zzz {'0' * 64}"
    old = f"evt_{'0' * 26} {'0' * 64}"
    result = verify_log(read_receipts(f"{mine}\n{old}\n"))
    assert (result.breaks, result.receipts, result.forgotten) == ([], 1, 1)
    assert places(read_receipts(absent)) == [(absent.split(maxsplit=1)[0], 0)]
    assert places(read_receipts(mine[:-3] + "000")) == [(alice.id, 5)]


def test_receipts_are_read_from_lines_among_other_text_unless_one_is_wrong(alice, older):
    lines = "\n".join(map(str, checkpoint()))
    assert read_receipts(f"A backup is written.\n\n{lines}\n") == checkpoint()
    with pytest.raises(OperatorError, match="no receipt"):
        read_receipts(f"usr_a {'0' * 64}")


def forget_all_but_newest(runtime, clock):
    runtime.settings = replace(runtime.settings, event_days=1)
    clock(3 * DAY_MS)


def test_forgetting_moves_the_oldest_and_is_told_in_the_chain_of_the_service(
    alice, older, runtime, clock
):
    middle = row(alice, EVENTS)
    receipts = [*checkpoint(), Receipt(alice.id, 5, row(alice, 5)["hash"].hex())]
    forget_all_but_newest(runtime, clock)
    record(alice, 2)
    sweep()

    head = EventHead.find(alice.id)
    assert (head.oldest, head.sequence) == (EVENTS + 1, EVENTS + 2)
    assert head.hash_before == middle["hash"]
    told = [event.data for event in Event.feed(SERVICE, 100, None)[0]]
    assert {"ownerId": alice.id, "first": 1, "last": EVENTS, "via": "service"} in told
    result = verify_log(receipts)
    assert result.breaks == []
    assert result.forgotten >= 2


def test_what_was_altered_is_not_forgotten(alice, older, runtime, clock, caplog):
    store(alice, 4, created_at=0)
    forget_all_but_newest(runtime, clock)
    sweep()
    assert EventHead.find(alice.id).oldest == 4
    assert places() == [(alice.id, 4)]
    assert f"Event 4 of {alice.id} was altered" in caplog.text


def test_ids_that_were_made_older_do_not_let_events_be_forgotten(alice, older, runtime):
    sql("UPDATE event SET id = 'evt_000' || substr(id, 8) WHERE owner_id = ?", alice.id)
    sweep()
    assert EventHead.find(alice.id).oldest == 1
    assert len(places()) >= 1


def test_nothing_is_forgotten_under_an_altered_head(alice, older, runtime, clock):
    sql("UPDATE event_head SET hash = ? WHERE id = ?", bytes(32), alice.id)
    forget_all_but_newest(runtime, clock)
    sweep()
    assert row(alice, 1)


def test_an_event_with_a_pending_delivery_keeps_those_after_it(alice, runtime, clock):
    Webhook.register(alice.id, "https://hook.example/", ("document.deleted",))
    record(alice, 3)
    delete_document(upload(alice))
    record(alice, 3)
    forget_all_but_newest(runtime, clock)
    sweep()
    assert EventHead.find(alice.id).oldest == 5
    assert places() == []


def test_rotating_and_retiring_is_told_and_breaks_nothing(alice, older):
    former = current_runtime().keyring.primary.id
    receipts = checkpoint()
    rotate_root_keys()
    retire_root_key(former)
    record(alice, 1)

    assert places(receipts) == []
    told = [(event.type, event.data) for event in Event.feed(SERVICE, 100, None)[0]][-2:]
    assert [(type, data["rootKeyId"]) for type, data in told] == [
        ("root.rotated", current_runtime().keyring.primary.id),
        ("root.retired", former),
    ]


def test_accounts_are_told_in_the_chain_of_the_service(alice):
    User.of_email(alice.email).disable()
    User.of_email(alice.email).enable()

    told = [(event.type, event.data.get("userId")) for event in Event.feed(SERVICE, 9, None)[0]]
    assert told == [
        ("log.began", None),
        ("account.created", alice.id),
        ("account.disabled", alice.id),
        ("account.enabled", alice.id),
    ]
    assert Event.feed(SERVICE, 9, None)[0][0].data == {"chains": 0, "events": 0, "via": "service"}


def exported(tmp_path, lines, receipts=()):
    """What `verify_log.py` says of an export: exit code and text."""
    (tmp_path / "log.jsonl").write_text("".join(f"{line}\n" for line in lines))
    (tmp_path / "receipts").write_text("".join(f"{one}\n" for one in receipts))
    files = [tmp_path / "log.jsonl", *([tmp_path / "receipts"] if receipts else [])]
    with pytest.MonkeyPatch.context() as patched, redirect_stdout(io.StringIO()) as printed:
        patched.setattr(sys, "argv", ["verify_log.py", *map(str, files)])
        try:
            runpy.run_path(str(ROOT / "deploy" / "verify_log.py"))
        except SystemExit as ended:
            return 1, ended.code  # a sentence, which Python prints before it exits with 1
    return 0, printed.getvalue()


def test_the_separate_verifier_is_short_and_shares_no_code():
    text = (ROOT / "deploy" / "verify_log.py").read_text()
    imported = {
        line.split()[1] for line in text.splitlines() if line.startswith(("import", "from"))
    }
    assert len(text.splitlines()) <= 40
    assert imported <= sys.stdlib_module_names


def test_the_separate_verifier_agrees_with_an_export(alice, older, tmp_path):
    lines = b"".join(ExportedLog.of(alice.id).pieces()).decode().splitlines()

    assert [set(json.loads(line)) for line in lines] == [
        {"owner", "sequence", "body", "hash"}
    ] * EVENTS
    code, text = exported(tmp_path, lines, checkpoint())
    assert (code, text) == (
        0,
        f"{alice.id}: {EVENTS} events up to {EVENTS}, unbroken; 1 receipts hold\n",
    )


def test_the_separate_verifier_agrees_with_an_export_whose_beginning_was_forgotten(
    alice, older, runtime, clock, tmp_path
):
    receipts = [*checkpoint(), Receipt(alice.id, 5, row(alice, 5)["hash"].hex())]
    forget_all_but_newest(runtime, clock)
    record(alice, 2)
    sweep()
    lines = b"".join(ExportedLog.of(alice.id).pieces()).decode().splitlines()

    assert exported(tmp_path, lines, receipts)[0] == 0
    assert "previous" in json.loads(lines[0])
    code, text = exported(tmp_path, lines, [receipts[0]._replace(owner_id=alice.id, hash="1" * 64)])
    assert code == 0, text  # of an event before the export's first: not comparable
    wrong = Receipt(alice.id, EVENTS, "1" * 64)
    assert exported(tmp_path, lines, [wrong])[0] == 1


def test_the_separate_verifier_finds_every_tampering_with_an_export(alice, older, tmp_path):
    lines = b"".join(ExportedLog.of(alice.id).pieces()).decode().splitlines()
    receipts = [one for one in checkpoint() if one.owner_id == alice.id]
    for seed in range(40):
        chance = random.Random(seed)
        number = chance.randrange(1, EVENTS + 1)
        copy = lines.copy()
        kind = ("flip", "drop", "insert", "swap", "cut")[seed % 5]
        if kind == "flip":
            link = json.loads(copy[number - 1])
            name = chance.choice(["sequence", "body", "hash"])
            link[name] = flipped(link[name], chance)
            copy[number - 1] = json.dumps(link)
        elif kind == "drop":
            del copy[number - 1]
        elif kind == "insert":
            copy.insert(number, copy[number - 1])
        elif kind == "swap":
            number = min(number, EVENTS - 1)
            copy[number - 1], copy[number] = copy[number], copy[number - 1]
        else:
            del copy[number - 1 :]
        code, text = exported(tmp_path, copy, receipts)
        assert code == 1, (seed, kind)
        found = int(text.split(":")[0].split()[-1])
        assert found == number, (seed, kind, text)
