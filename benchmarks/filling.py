"""An instance with many documents, made by the models of the current folder's checkout.

    python benchmarks/filling.py FOLDER 100000

Of 200 accounts, `BIG` has 30 % of the documents, `SMALL` 180, and the others share the rest.
Documents of 4 KiB are eighty days old at most; one of ten has a link, of which one of ten has
ended. `BIG` and `SMALL` have as many spaces with members, collections, webhooks and documents in
the bin, and both have a full page of each list: sixty documents in the midst of those of `SMALL`
are PDFs with a live and an ended link. Webhooks of `BIG` have the deliveries of its newest
documents. Each transaction stores two thousand documents.
"""

import argparse
import os
import random
import sys
import time
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

sys.path.insert(0, os.getcwd())

from app import create_app  # noqa: E402
from models import (  # noqa: E402
    Collection,
    DocumentToken,
    EventHead,
    User,
    Webhook,
    connected,
    transaction,
)
from models.accounts import Member, make_space  # noqa: E402
from models.documents import put_in_bin  # noqa: E402
from models.links import LinkOptions  # noqa: E402
from tests import uploads  # noqa: E402

IS_FORMER = find_spec("models.operations") is not None  # a checkout of 32d5d045 or before
_operations: Any = import_module("models.operations" if IS_FORMER else "models.background")
sweep = _operations.sweep
setup: Any = _operations.setup if IS_FORMER else import_module("models.setup")

BIG = "big@example.com"
SMALL = "small@example.com"
PASSWORD = "correct horse battery"
ACCOUNTS = 200
DOCUMENTS_OF_SMALL = 180
WITH_LINKS = range(60, 120)  # of those, with a live link and an ended one
SPACES = 10  # of each of both
MEMBERS = 5
COLLECTIONS = 50
DOCUMENTS_OF_COLLECTION = 100
IN_BIN = 20
DELIVERIES = 5_000  # of each webhook, made by as many of the newest documents
DAYS = 80
DAY_NS = 24 * 60 * 60 * 10**9
STEP = 2_000
SIZE = 4_096
KINDS = ("minutes", "letter", "invoice", "offer", "plan", "report")
TYPES = ["text/plain"] * 89 + ["text/csv"] * 8 + ["application/pdf"] * 3

_time_ns = time.time_ns
_behind_ns = 0


def _set_clock(behind_ns: float) -> None:
    """Let moments and ids be so old from now on; never older than those before."""
    global _behind_ns  # noqa: PLW0603
    _behind_ns = int(behind_ns)


def fill(documents: int) -> None:
    """Fill the database of the application that is open."""
    chance = random.Random(documents)
    with connected():
        users = _accounts()
        owners = list(_owners(users, documents, chance))
        of_both: dict[str, list[str]] = {user.id: [] for user in users[:2]}
        webhooks = False
        for first in range(0, documents, STEP):
            if not webhooks and documents - first <= max(DELIVERIES, documents // 10):
                for user in users[:2]:
                    _webhooks(user)
                webhooks = True
            with transaction():
                for number in range(first, min(first + STEP, documents)):
                    _set_clock(DAYS * DAY_NS * (1 - number / documents))
                    owner = owners[number]
                    before = of_both.get(owner.id, [])
                    has_links = owner is users[1] and len(before) in WITH_LINKS
                    before.append(_upload(owner, number, chance, has_links=has_links).id)
        _set_clock(0)
        for user in users[:2]:
            ids = of_both[user.id]
            _collections(user, ids, chance)
            put_in_bin(user.id, ids[-IN_BIN:])
        sweep()


def _accounts() -> list[Any]:
    names = [BIG, SMALL, *(f"person{number}@example.com" for number in range(ACCOUNTS - 2))]
    users = [User.register(name, PASSWORD, None) for name in names[:2]]
    given = (None,) if IS_FORMER else (None, "the benchmark")
    with transaction():
        users += [User.register_without_password(name, *given) for name in names[2:]]
    for maker in users[:2]:
        for number in range(SPACES):
            space = make_space(maker, f"Space {number}").row
            with transaction():
                for user in users[2 + number : 1 + number + MEMBERS]:
                    Member.fresh(owner_id=space.id, user_id=user.id, role="write").store()
    assert all(EventHead.as_stored(user.id) for user in users)
    return users


def _owners(users: list[Any], documents: int, chance: random.Random) -> Iterator[Any]:
    """Yield the owner of each document."""
    big, small, *others = users
    of_small = set(chance.sample(range(documents), min(DOCUMENTS_OF_SMALL, documents)))
    for number in range(documents):
        if number in of_small:
            yield small
        elif chance.random() < 0.3:
            yield big
        else:
            yield chance.choice(others)


def _upload(owner: Any, number: int, chance: random.Random, *, has_links: bool) -> Any:
    ended = LinkOptions(expires_at=time.time_ns() // 10**6 + 60_000)
    link = None
    if has_links:
        link = LinkOptions()
    elif number % 10 == 0:
        link = ended if number % 100 == 0 else LinkOptions()
    of_link = {"link": link} if link else {}
    if link and IS_FORMER:
        of_link = {"prepare": lambda: uploads.first_link(link)}
    type = chance.choice(TYPES)
    document = uploads.upload(
        owner,
        (b"%09d " % number) * (SIZE // 10) + b"%06d" % (number % 10**6),
        "application/pdf" if has_links else type,
        name=f"{chance.choice(KINDS)} {number:07}.txt",
        **of_link,
    )
    if has_links:
        DocumentToken.issue(document, ended)
    return document


def _webhooks(user: Any) -> None:
    for number in range(2):
        Webhook.register(user.id, f"https://hook{number}.example/", ("document.created",))


def _collections(user: Any, ids: list[str], chance: random.Random) -> None:
    for number in range(COLLECTIONS):
        of_collection = chance.sample(ids, min(DOCUMENTS_OF_COLLECTION, len(ids) // 2))
        Collection.make(user.id, f"Collection {number}", document_ids=of_collection)


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    reader.add_argument("folder", type=Path)
    reader.add_argument("documents", type=int)
    asked = reader.parse_args()
    time.time_ns = lambda: _time_ns() - _behind_ns
    _set_clock(DAYS * DAY_NS)
    app = create_app(
        {"INSTANCE_PATH": str(asked.folder), "RATE_LIMITS": "off", "REGISTRATION": "open"}
    )
    setup.open_runtime()
    try:
        fill(asked.documents)
    finally:
        app.extensions["runtime"].close()


if __name__ == "__main__":
    main()
