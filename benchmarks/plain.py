"""A short document service: FastAPI, pydantic, AES-256-GCM, one BLOB for each document.

It has no accounts, links or lists, and so less to do than the service that it is compared with.
"""

import base64
import contextlib
import os
import sqlite3
import uuid
from collections.abc import Iterator

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from fastapi import FastAPI, HTTPException, Response
from pydantic import BaseModel

app = FastAPI()
key = AESGCM.generate_key(bit_length=256)


class Upload(BaseModel):
    contentType: str  # noqa: N815
    payload: str


@contextlib.contextmanager
def connected() -> Iterator[sqlite3.Connection]:
    with contextlib.closing(sqlite3.connect(os.environ["DATABASE"], timeout=60)) as connection:
        connection.execute("PRAGMA synchronous = FULL")
        with connection:
            yield connection


with connected() as first:
    first.execute("PRAGMA journal_mode = WAL")
    first.execute("CREATE TABLE document (id TEXT PRIMARY KEY, type TEXT, nonce BLOB, sealed BLOB)")


@app.post("/v1/documents", status_code=201)
def upload(body: Upload) -> dict[str, str]:
    raw = base64.b64decode(body.payload, validate=True)
    id, nonce = uuid.uuid4().hex, os.urandom(12)
    sealed = AESGCM(key).encrypt(nonce, raw, id.encode())
    with connected() as connection:
        row = (id, body.contentType, nonce, sealed)
        connection.execute("INSERT INTO document VALUES (?, ?, ?, ?)", row)
    return {"id": id}


@app.get("/v1/documents/{id}/content")
def content(id: str) -> Response:
    with connected() as connection:
        found = connection.execute(
            "SELECT type, nonce, sealed FROM document WHERE id = ?", (id,)
        ).fetchone()
    if found is None:
        raise HTTPException(404)
    return Response(AESGCM(key).decrypt(found[1], found[2], id.encode()), media_type=found[0])


@app.delete("/v1/documents/{id}", status_code=204)
def delete(id: str) -> None:
    with connected() as connection:
        connection.execute("DELETE FROM document WHERE id = ?", (id,))
