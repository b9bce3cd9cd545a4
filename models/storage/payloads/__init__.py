"""Where payloads lie, in sealed pieces: rows or objects."""

from .pieces import CHUNKS, PIECE_BYTES, SEALED_BYTES
from .stores import OBJECTS, ROWS, PayloadStore, objects_of
