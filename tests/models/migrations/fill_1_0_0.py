"""A filled database of version 1.0.0, with its keyring and its secrets, which this program makes in
`of_1_0_0/`. Run it in a checkout of version 1.0.0 (commit ba083282), with its packages:

    PYTHONPATH=. python …/tests/models/migrations/fill_1_0_0.py …/tests/models/migrations/of_1_0_0
"""

import gzip
import hashlib
import json
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from tests.forms import FORM, body, field, file
from tests.mailbox import BASE, Mailbox, until_sent
from tests.people import PASSWORD, Person
from tests.receiver import Receiver
from tests.service import ROOT, Service
from tests.waiting import until

AGREEMENT = "I keep this to myself."
BIN = """
import sys
from app import create_app
from models import connected
from models.documents import put_in_bin
from models.operations import setup
create_app({"INSTANCE_PATH": sys.argv[1]})
setup.open_runtime()
with connected():
    put_in_bin(sys.argv[2], [sys.argv[3]])
"""


class UnforkedService(Service):
    is_forked = False


def main(target):
    with tempfile.TemporaryDirectory() as folder, Receiver() as receiver:
        mailbox = Mailbox()
        with mailbox:
            settings = {"SMTP_URL": mailbox.url(), "BASE_URL": BASE, "RATE_LIMITS": "off"}
            settings |= {"WEBHOOK_ALLOW": "127.0.0.0/8", "MAILS_PER_DAY": "1000"}
            service = UnforkedService(Path(folder), **settings)
            secrets = fill(service, mailbox, receiver)
        secrets |= leave_waiting(service, receiver, secrets)
        service.close()
        subprocess.run(
            [sys.executable, "-c", BIN, service.instance, secrets["ada"], secrets["binned"]],
            check=True,
            cwd=ROOT,
        )
        keep(service.instance, target, secrets)


def fill(service, mailbox, receiver):
    """Rows of every kind; returns the secrets and ids that the tests use."""
    anonymous = Person(service)
    registered = anonymous.register("ada@example.org", name="Ada").json
    other_login = anonymous.log_in("ada@example.org").json["accessToken"]
    ended = anonymous.log_in("ada@example.org").json["accessToken"]
    ada = anonymous.with_token(other_login)
    ada.with_token(ended).post("/v1/auth/logout")
    anonymous.register("bob@example.org")
    service.run_command("users", "disable", "bob@example.org")

    answering = ada.post("/v1/webhooks", json={"url": receiver.url("/answering")}).json
    key = ada.create_api_key(name="a script", scopes=["documents:read"])
    revoked_key = ada.create_api_key(name="a former script")
    ada.delete(f"/v1/api-keys/{revoked_key.record['id']}")
    repeated = {"Idempotency-Key": "the-same-request"}
    plain = ada.post(
        "/v1/documents",
        json={
            "payload": "YSBkb2N1bWVudA==",
            "contentType": "text/plain",
            "name": "plain.txt",
            "metadata": {"case": "7"},
        },
        headers=repeated,
    ).json
    note = ada.upload(b"# A *note*\n", "text/markdown", name="note.md", token=None)
    assert ada.get(f"/v1/documents/{note['id']}/view").status == 200  # leaves a preview
    binned = ada.upload(b"in the bin", token=None)
    deleted = ada.upload(b"deleted")
    ada.delete(f"/v1/documents/{deleted['id']}")
    service.run_command("keys", "rotate")

    links = {
        "free": ada.share(note, permissions=["view", "download"], label="For Carl"),
        "password": ada.share(note, password="open sesame", allowedOrigins=["https://a.example"]),
        "limited": ada.share(note, maxViews=2),
        "expiring": ada.share(note, expiresAt="2100-01-01T00:00:00Z"),
        "revoked": ada.share(note),
        "moved": ada.share(note),
        "guarded": ada.share(
            note, recipients=["eve@example.org"], agreement=AGREEMENT, permissions=["view"]
        ),
    }
    ada.revoke(note, links["revoked"])
    for target in (plain, note, plain):
        change = {"documentId": target["id"]}
        assert ada.patch(f"/v1/tokens/{links['moved']['id']}", json=change).status == 200
    visitor = anonymous.with_token(links["limited"]["token"])
    assert visitor.post(f"/v1/documents/{note['id']}/view", json={}).status == 200
    open_guarded(anonymous, mailbox, note, links["guarded"])

    offer = ada.collect(plain, note, title="Offer", note="By Monday.")
    links["collection"] = ada.share(offer, password="open sesame")
    links["upload"] = ada.share(offer, permissions=["upload"])
    parts = body(file("scan.txt", b"a scan"), field("from", b"Mia"))
    path = f"/s?token={links['upload']['token']}"
    assert anonymous.post(path, data=parts, headers={"Content-Type": FORM}).status == 201

    team = ada.post("/v1/spaces", json={"name": "A team"}).json
    anonymous.register("carl@example.org")
    reader = {"email": "carl@example.org", "role": "read"}
    assert ada.post(f"/v1/spaces/{team['id']}/members", json=reader).status == 201
    in_team = ada.post(f"/v1/spaces/{team['id']}/sessions").json["accessToken"]

    invited = service.run_command("users", "invite", "dora@example.org")
    disabled = ada.post("/v1/webhooks", json={"url": receiver.url("/disabled")}).json
    ada.patch(f"/v1/webhooks/{disabled['id']}", json={"enabled": False})
    deliveries = f"/v1/webhooks/{answering['id']}/deliveries?limit=100"
    until(lambda: all(one["deliveredAt"] for one in ada.get(deliveries).json["deliveries"]))
    until_sent(service)
    return {
        "madeAt": time.time_ns() // 1_000_000,
        "password": PASSWORD,
        "session": other_login,
        "endedSession": ended,
        "apiKey": key.secret,
        "revokedApiKey": revoked_key.secret,
        "invitation": re.search(r"invite_\w+", invited)[0],
        "links": {name: link["token"] for name, link in links.items()},
        "movedLink": links["moved"]["id"],
        "ada": registered["user"]["id"] if "user" in registered else registered["id"],
        "plain": plain["id"],
        "note": note["id"],
        "binned": binned["id"],
        "offer": offer["id"],
        "team": team["id"],
        "sessionInTeam": in_team,
    }


def open_guarded(anonymous, mailbox, document, link):
    visitor, path = anonymous.with_token(link["token"]), f"/v1/documents/{document['id']}"
    who = {"email": "eve@example.org"}
    assert visitor.post(f"{path}/codes", json=who).status == 202
    mail = mailbox.wait_for(1, "eve@example.org")[-1]
    code = "".join(re.search(r"^ +(\d{4}) (\d{4})$", mail.text, re.M).groups())
    accepted = {"name": "Eve", "accept": hashlib.sha256(AGREEMENT.encode()).hexdigest()}
    assert visitor.post(f"{path}/view", json=who | accepted | {"code": code}).status == 200


def leave_waiting(service, receiver, secrets):
    """A delivery and a mail that could not be sent, since nobody answers; a record's ids."""
    ada = Person(service).with_token(secrets["session"])
    receiver.answers += [(500, "later")] * 20
    failing = ada.post("/v1/webhooks", json={"url": receiver.url("/failing")}).json
    ada.post(f"/v1/webhooks/{failing['id']}/test")
    deliveries = f"/v1/webhooks/{failing['id']}/deliveries"
    until(lambda: any(one["attempts"] for one in ada.get(deliveries).json["deliveries"]))
    Person(service).post("/v1/auth/reset", json={"email": "ada@example.org"})
    until(lambda: service.sql("SELECT count(*) FROM mail WHERE attempts > 0") == [(1,)])
    return {"failing": failing["id"]}


def keep(instance, target, secrets):
    target.mkdir(exist_ok=True)
    whole = instance / "whole.sqlite"
    with closing(sqlite3.connect(instance / "documents.sqlite")) as database:
        database.execute("VACUUM INTO ?", (str(whole),))
    (target / "documents.sqlite.gz").write_bytes(gzip.compress(whole.read_bytes(), mtime=0))
    shutil.copyfile(instance / "keyring", target / "keyring")
    (target / "secrets.json").write_text(json.dumps(secrets, indent=1) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
