"""The rows of exports that the versions 1.0 and 1.0.1 have written, as they are carried now."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from models.core import ids_like, moment_of
from models.links import Gate, KeptText

Row = tuple[str, dict[str, Any]]


def rows_as_carried_now(rows: Iterable[Row]) -> Iterator[Row]:
    """Yield the rows of an account with the facts that they have in exports of this version."""
    texts = Counter[str]()  # by the id of their target
    for kind, facts in rows:
        if kind == "document":
            meta = facts.pop("meta")
            facts["given_name"] = meta["name"]
            facts["given_metadata"] = meta["metadata"]
            facts["sha256"] = meta["sha256"]
        elif kind == "collection":
            facts.update(facts.pop("meta"))
            facts["documents_listed"] = facts.pop("documents")
        elif kind == "link":
            facts["questions"] = Gate.of(facts.pop("gate")).facts
        elif kind == "opening":
            facts.update(facts.pop("facts"))
            facts["agreement_sha256"] = facts.pop("agreement")
        elif kind == "text":  # which had no id of its own, and always came in the same order
            target_id = facts["target_id"]
            texts[target_id] += 1
            facts["id"] = ids_like(KeptText.PREFIX, target_id, texts[target_id])[-1]
            facts["created_at"] = moment_of(target_id)
        yield kind, facts
