"""The processes that serve one database, and which root keys each can use.

Each has to be able to open what another one writes: so a keyring's primary has to be in the
keyring of every node before a node uses it.
"""

import logging
import socket

from crypto import KeyringError

from .runtime import current_runtime
from .storage import SERVER_NOW, connected, database, is_shared

SEEN_SECONDS = 10  # how often a node says that it lives
_LIVE_MS = 35_000
_MEND = "Append its line to that keyring; move it to the top when every node has it."
_SEEN = f"""
    INSERT INTO node (id, root_ids, seen_at) VALUES (:id, :root_ids, {SERVER_NOW})
    ON CONFLICT (id) DO UPDATE SET root_ids = excluded.root_ids, seen_at = excluded.seen_at"""  # noqa: S608
_OTHERS = f"""
    SELECT id, root_ids FROM node WHERE id <> :id AND seen_at > {SERVER_NOW} - :live
    ORDER BY id"""  # noqa: S608
_FORGET = f"DELETE FROM node WHERE id = :id OR seen_at < {SERVER_NOW} - 86400000"  # noqa: S608


def node_id() -> str:
    """The name of this process among those that serve the database."""
    return f"{socket.gethostname()} {current_runtime().settings.listen}"


def report_node() -> None:
    """Say that this process lives, and which root keys it has, the primary first."""
    try:
        roots = " ".join(root.id for root in current_runtime().keyring)
        with connected():
            database.execute_sql(_SEEN, {"id": node_id(), "root_ids": roots})
        require_common_keys()
    except KeyringError as error:
        logging.getLogger("docservice").error("%s", error)


def forget_node() -> None:
    """At the end of the process."""
    with connected():
        database.execute_sql(_FORGET, {"id": node_id()})


def require_common_keys() -> None:
    """KeyringError unless this process and every other one know the primary of each other."""
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
    if not is_shared():
        return []
    with connected():
        rows = database.execute_sql(_OTHERS, {"id": node_id(), "live": _LIVE_MS}).fetchall()
    return [(id, root_ids.split()) for id, root_ids in rows]
