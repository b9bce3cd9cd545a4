"""The document as the viewer gets it: facts, and a way to read the bytes."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from viewer.media_types import UNTYPED, essence, recognise


@dataclass(frozen=True, slots=True)
class Original:
    """What is shown. Name and content type are the sender's words: never trusted."""

    id: str
    name: str
    content_type: str
    size: int
    sha256: str
    created_at: str
    read: Callable[[int, int], Iterable[bytes]]

    def kind(self) -> str:
        """The type to show. Content speaks only where the sender said nothing."""
        declared = essence(self.content_type)
        return recognise(self.first(4096)) if declared in UNTYPED else declared

    def first(self, limit: int) -> bytes:
        """The first bytes, at most `limit`."""
        return b"".join(self.read(0, min(limit, self.size))) if self.size else b""

    def pieces(self) -> Iterable[bytes]:
        """All bytes, in pieces of the reader's choice."""
        return self.read(0, self.size) if self.size else ()

    def record(self) -> dict[str, str | int]:
        """The facts, as the HTTP contract names them."""
        return {
            "id": self.id,
            "name": self.name,
            "contentType": self.content_type,
            "size": self.size,
            "sha256": self.sha256,
            "createdAt": self.created_at,
        }
