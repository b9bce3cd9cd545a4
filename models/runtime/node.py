"""The processes that serve one database, and which root keys each can use.

Each has to be able to open what another one writes: so a keyring's primary has to be in the
keyring of every node before a node uses it.
"""

import logging
import socket
from typing import Any

from peewee import BigIntegerField, Model, TextField, fn

from crypto import KeyringError

from ..core import OperatorError, counted
from ..storage import SERVER_NOW, connected, database, engine
from .state import current_runtime

SEEN_SECONDS = 10  # how often a node says that it lives
_LIVE_MS = 35_000
_MEND = "Append its line to that keyring; move it to the top when every node has it."
_FORGOTTEN_MS = 24 * 60 * 60 * 1000


class Node(Model):
    """A process: its name and the moment of its start, and the ids of its root keys."""

    id = TextField(primary_key=True)
    root_ids = TextField()
    seen_at = BigIntegerField()

    class Meta:
        database = database


def node_name() -> str:
    """Return the name of this process, and of its commands, among those that serve the database."""
    return f"{socket.gethostname()} {current_runtime().settings.listen}"


def report_node() -> None:
    """Say that this process lives, and which root keys it has, the primary first."""
    try:
        roots = " ".join(root.id for root in current_runtime().keyring)
        id = f"{_own()}{current_runtime().started_at}"
        with connected():
            seen = Node.insert(id=id, root_ids=roots, seen_at=SERVER_NOW)
            seen.on_conflict(
                conflict_target=[Node.id], preserve=[Node.root_ids, Node.seen_at]
            ).execute()
        check_nodes()
    except (KeyringError, OperatorError) as error:
        logging.getLogger("docservice").error("%s", error)


def forget_node() -> None:
    """Forget this process at its end, or a killed process of the same name."""
    with connected():
        gone = _is_own() | (Node.seen_at < SERVER_NOW - _FORGOTTEN_MS)
        Node.delete().where(gone).execute()


def check_nodes() -> None:
    """Raise OperatorError if several live processes have the name of this one.

    A process that starts forgets the former ones of its name, so two are seen only if both live.
    Raises KeyringError unless this process and every other one know the primary of each other.
    """
    _require_own_name()
    own = [root.id for root in current_runtime().keyring]
    for id, root_ids in other_nodes():
        if own[0] not in root_ids:
            raise KeyringError(
                f"The keyring of {id} lacks root key {own[0]}, the first of ours. {_MEND}"
            )
        if root_ids[0] not in own:
            raise KeyringError(
                f"Our keyring lacks root key {root_ids[0]}, the first of {id}. {_MEND}"
            )


def nodes_that_use(root_id: str) -> list[str]:
    """Return the other nodes whose primary this is."""
    return [id for id, root_ids in other_nodes() if root_ids[0] == root_id]


def other_nodes() -> list[tuple[str, list[str]]]:
    """Return the names of other live nodes, and the ids of their root keys, primary first."""
    return [(node.id.rpartition(" ")[0], node.root_ids.split()) for node in _live(~_is_own())]


def _require_own_name() -> None:
    if (count := len(_live(_is_own()))) > 1:
        named = counted(count, "process is", "processes are")
        raise OperatorError(
            f"{named} named {node_name()}. Give each another host name or another LISTEN, and "
            "restart them."
        )


def _live(condition: Any) -> list[Node]:
    """Return the nodes that live; none where one process serves alone."""
    if not engine().is_shared:
        return []
    with connected():
        is_live = Node.seen_at > SERVER_NOW - _LIVE_MS
        return list(Node.select().where(is_live, condition).order_by(Node.id))


def _is_own() -> Any:
    return fn.starts_with(Node.id, _own())


def _own() -> str:
    """Return the text that ids of processes of this name begin with."""
    return f"{node_name()} "
