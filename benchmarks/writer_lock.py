"""The CPU time of the largest transactions of one owner: on SQLite all other writers wait for them.

    python benchmarks/writer_lock.py 20

The owner has so many webhooks, which want every event. Each figure is the least of some
repetitions.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from models import Collection, DocumentToken, User, Webhook, connected, setup, transaction
from models.documents.collection import MOST_DOCUMENTS
from models.links import LinkOptions, delete_document, replace_document
from models.links.document_token import MOST_LIVE_LINKS
from models.runtime import create_runtime
from settings import Settings
from tests.uploads import upload

TIMES = 5


def linked(user: User) -> Any:
    """Return a document with the most live links."""
    document = upload(user)
    for _ in range(MOST_LIVE_LINKS):
        DocumentToken.issue(document, LinkOptions(), with_upload=True)
    return document


def add_and_remove(user: User) -> list[float]:
    """Return the seconds of each change of a collection by as many documents as it may hold."""
    ids = [upload(user).id for _ in range(MOST_DOCUMENTS)]
    collection = Collection.make(user.id, "The collection")
    return [
        seconds(lambda change=change: Collection.edit(user.id, collection.id, **{change: ids}))
        for change in ("add", "remove") * TIMES
    ]


def replace(user: User) -> list[float]:
    """Return the seconds of each newer version, without the upload."""
    found = []
    for _ in range(TIMES):
        former = linked(user)
        newer = upload(user)

        def in_transaction(former: Any = former, newer: Any = newer) -> None:
            with transaction(user.id):
                replace_document(former.id, newer)

        found.append(seconds(in_transaction))
    return found


def delete(user: User) -> list[float]:
    """Return the seconds of each deletion."""
    documents = [linked(user) for _ in range(TIMES)]
    return [seconds(lambda one=one: delete_document(one)) for one in documents]


CHANGES: dict[str, Callable[[User], list[float]]] = {
    f"a collection gets or loses {MOST_DOCUMENTS} documents": add_and_remove,
    f"a newer version gets {MOST_LIVE_LINKS} links": replace,
    f"a document with {MOST_LIVE_LINKS} links is deleted": delete,
}


def seconds(do: Callable[[], object]) -> float:
    began = time.thread_time()
    do()
    return time.thread_time() - began


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    reader.add_argument("webhooks", type=int)
    asked = reader.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        settings = Settings(
            instance_path=folder,
            database=str(folder / "documents.sqlite"),
            quota_webhooks=max(asked.webhooks, 1),
        )
        runtime = create_runtime(settings)
        setup.open_runtime()
        with connected():
            user = User.register("bench@example.com", "correct horse battery", None, "open")
            for number in range(asked.webhooks):
                Webhook.register(user.id, f"https://hook.example/{number}")
            for name, change in CHANGES.items():
                print(f"{name}: {min(change(user)) * 1000:.0f} ms of CPU time")
        runtime.close()


if __name__ == "__main__":
    main()
