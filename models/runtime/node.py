"""The processes that serve one database, and which root keys each can use.

Each has to be able to open what another one writes: so a keyring's primary has to be in the
keyring of every node before a node uses it.
"""

import logging
import socket
from typing import Any

from crypto import KeyringError

from ..core import OperatorError
from ..storage import SERVER_NOW, connected, database, engine
from .state import current_runtime

SEEN_SECONDS = 10  # how often a node says that it lives
_LIVE_MS = 35_000
_MEND = "Append its line to that keyring; move it to the top when every node has it."
_SEEN = f"""
    INSERT INTO node (id, root_ids, seen_at) VALUES (:id, :root_ids, {SERVER_NOW})
    ON CONFLICT (id) DO UPDATE SET root_ids = excluded.root_ids, seen_at = excluded.seen_at"""  # noqa: S608
_OTHERS = f"""
    SELECT id, root_ids FROM node WHERE NOT starts_with(id, :own) AND seen_at > {SERVER_NOW} - :live
    ORDER BY id"""  # noqa: S608
_NAMESAKES = f"""
    SELECT id FROM node WHERE starts_with(id, :own) AND seen_at > {SERVER_NOW} - :live"""  # noqa: S608
_FORGET = f"""
    DELETE FROM node WHERE starts_with(id, :own) OR seen_at < {SERVER_NOW} - 86400000"""  # noqa: S608


def node_name() -> str:
    """The name of this process, and of its commands, among those that serve the database."""
    return f"{socket.gethostname()} {current_runtime().settings.listen}"


def report_node() -> None:
    """Say that this process lives, and which root keys it has, the primary first."""
    try:
        roots = " ".join(root.id for root in current_runtime().keyring)
        id = f"{_own()}{current_runtime().started_at}"
        with connected():
            database.execute_sql(_SEEN, {"id": id, "root_ids": roots})
        check_nodes()
    except (KeyringError, OperatorError) as error:
        logging.getLogger("docservice").error("%s", error)


def forget_node() -> None:
    """Of a process of the same name that was killed, or of this one at its end."""
    with connected():
        database.execute_sql(_FORGET, {"own": _own()})


def check_nodes() -> None:
    """OperatorError if several live processes have the name of this one: a starting one forgets
    those that there were, so two are seen only if both live. KeyringError unless this process and
    every other one know the primary of each other.
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
    """The other nodes whose primary this is."""
    return [id for id, root_ids in other_nodes() if root_ids[0] == root_id]


def other_nodes() -> list[tuple[str, list[str]]]:
    """The names of the others that live, and the ids of their root keys, the primary first."""
    return [(id.rpartition(" ")[0], root_ids.split()) for id, root_ids in _live(_OTHERS)]


def _require_own_name() -> None:
    if (count := len(_live(_NAMESAKES))) > 1:
        raise OperatorError(
            f"{count} processes are named {node_name()}. Give each another host name or another "
            "LISTEN, and restart them."
        )


def _live(query: str) -> list[Any]:
    """The rows of nodes that live; none where one process serves alone."""
    if not engine().is_shared:
        return []
    with connected():
        rows: list[Any] = database.execute_sql(query, {"own": _own(), "live": _LIVE_MS}).fetchall()
    return rows


def _own() -> str:
    """What the ids of processes of this name begin with."""
    return f"{node_name()} "
