"""Uploads and lists by the same libraries and the same SQL, without the rules of the service.

There is no MAC, no sealing context, no strict JSON, no limits, no headers and no log: the rest is
the cost of the libraries.
"""

import base64
import hashlib
import json
import os
import secrets
import threading
import time
from datetime import UTC, datetime

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from flask import Flask, abort, request
from flask_smorest import Api, Blueprint
from marshmallow import Schema, fields, validate

KEY = "pk_live_" + "0" * 38
_ROOT = AESGCM(bytes(32))
_NONCE = bytes(12)  # of keys that are used once
_SCHEMA = """
    CREATE TABLE user_account (id TEXT PRIMARY KEY, email TEXT, disabled_at INTEGER);
    CREATE TABLE api_key (
        id TEXT PRIMARY KEY, owner_id TEXT, digest BLOB UNIQUE, scopes TEXT,
        expires_at INTEGER, revoked_at INTEGER
    );
    CREATE TABLE document (
        id TEXT PRIMARY KEY, created_at INTEGER, owner_id TEXT, content_type TEXT, size INTEGER,
        expires_at INTEGER, sealed_key BLOB, sealed_meta BLOB
    );
    CREATE INDEX document_owner ON document (owner_id, id);
    CREATE TABLE piece (document_id TEXT, number INTEGER, sealed BLOB);
    CREATE UNIQUE INDEX piece_of_document ON piece (document_id, number);
    CREATE TABLE document_token (
        id TEXT PRIMARY KEY, owner_id TEXT, document_id TEXT, digest BLOB UNIQUE, expires_at INTEGER
    );
    CREATE TABLE event (id TEXT PRIMARY KEY, owner_id TEXT, type TEXT, document_id TEXT, data TEXT);
    CREATE INDEX event_owner ON event (owner_id, id);"""
_DOCUMENT = "INSERT INTO document VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_CALLER = """
    SELECT api_key.owner_id, api_key.scopes, owner.disabled_at
    FROM api_key, user_account AS owner
    WHERE owner.id = api_key.owner_id AND digest = :digest
    AND (revoked_at IS NULL OR revoked_at > :now) AND (expires_at IS NULL OR expires_at > :now)"""
_PAGE = """
    SELECT id, created_at, content_type, size, expires_at, sealed_key, sealed_meta FROM document
    WHERE owner_id = :owner_id AND (expires_at IS NULL OR expires_at > :now) AND id < :after
    ORDER BY id DESC LIMIT :limit"""


class Query(Schema):
    limit = fields.Integer(load_default=50, validate=validate.Range(1, 100))
    cursor = fields.String(load_default="~")


class Record(Schema):
    id = fields.String()
    name = fields.String()
    content_type = fields.String(data_key="contentType")
    size = fields.Integer()
    sha256 = fields.String()
    created_at = fields.String(data_key="createdAt")
    expires_at = fields.String(data_key="expiresAt", allow_none=True)
    metadata = fields.Dict(values=fields.String())


class Upload(Schema):
    name = fields.String(load_default="report.pdf")
    content_type = fields.String(data_key="contentType", required=True)
    payload = fields.String(required=True)


class Page(Schema):
    documents = fields.List(fields.Nested(Record))
    next_cursor = fields.String(data_key="nextCursor", allow_none=True)


def create_app(documents, database):
    """Return an application with so many documents in an empty database of SQLite.

    `KEY` lists them at `/v1/documents`.
    """
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = FULL")
    database.executescript(_SCHEMA)
    digest = hashlib.sha256(KEY.encode()).digest()
    database.execute("INSERT INTO user_account VALUES ('usr_1', 'a@example.org', NULL)")
    key = ("key_1", "usr_1", digest, "documents:read", None, None)
    database.execute("INSERT INTO api_key VALUES (?, ?, ?, ?, ?, ?)", key)
    rows = map(_row, range(documents))
    database.executemany(_DOCUMENT, rows)
    database.commit()
    return _app(database)


def _row(number):
    return _sealed(f"doc_{number:026}", os.urandom(32), "report.pdf", "application/pdf", b"")


def _sealed(id, key, name, media_type, payload):
    meta = {"name": name, "metadata": {}, "sha256": hashlib.sha256(payload).hexdigest()}
    sealed_meta = AESGCM(key).encrypt(_NONCE, json.dumps(meta).encode(), None)
    sealed_key = _ROOT.encrypt(_NONCE, key, None)
    created_at = time.time_ns() // 1_000_000
    return id, created_at, "usr_1", media_type, len(payload), None, sealed_key, sealed_meta


def _app(database):
    app = Flask("plain")
    app.config.update(API_TITLE="Plain", API_VERSION="1", OPENAPI_VERSION="3.1.0")
    blueprint, lock = Blueprint("documents", __name__), threading.Lock()

    @blueprint.get("/v1/documents")
    @blueprint.arguments(Query, location="query")
    @blueprint.response(200, Page)
    def show(query):
        now = time.time_ns() // 1_000_000
        limit, after = query["limit"], query["cursor"]
        with lock:
            owner_id = _caller(database, now)
            values = {"owner_id": owner_id, "now": now, "after": after, "limit": limit + 1}
            rows = database.execute(_PAGE, values).fetchall()
        further = rows[limit - 1][0] if len(rows) > limit else None
        return {"documents": [_opened(*row) for row in rows[:limit]], "next_cursor": further}

    @blueprint.post("/v1/documents")
    @blueprint.arguments(Upload)
    @blueprint.response(201, Record)
    def upload(body):
        with lock, database:
            owner_id = _caller(database, time.time_ns() // 1_000_000)
            return _store(database, owner_id, body)

    Api(app).register_blueprint(blueprint)
    return app


def _store(database, owner_id, body):
    """Store a document with its payload, a link and two events, in one transaction."""
    payload, key = base64.b64decode(body["payload"], validate=True), os.urandom(32)
    id, token_id = f"doc_{time.time_ns():026}", f"tok_{time.time_ns():026}"
    document = _sealed(id, key, body["name"], body["content_type"], payload)
    piece = id, 0, AESGCM(key).encrypt(_NONCE, payload, id.encode())
    digest = hashlib.sha256(secrets.token_bytes(24)).digest()
    database.execute(_DOCUMENT, document)
    database.execute("INSERT INTO piece VALUES (?, ?, ?)", piece)
    token = token_id, owner_id, id, digest, document[1] + 604_800_000
    database.execute("INSERT INTO document_token VALUES (?, ?, ?, ?, ?)", token)
    for type in ("document.created", "token.created"):
        facts = json.dumps({"documentId": id, "size": len(payload)})
        event = f"evt_{time.time_ns():026}", owner_id, type, id, facts
        database.execute("INSERT INTO event VALUES (?, ?, ?, ?, ?)", event)
    return _opened(*(document[column] for column in (0, 1, 3, 4, 5, 6, 7)))


def _caller(database, now):
    digest = hashlib.sha256(request.headers["X-API-Key"].encode()).digest()
    found = database.execute(_CALLER, {"digest": digest, "now": now}).fetchone()
    if found is None or "documents:read" not in found[1].split() or found[2] is not None:
        abort(401)
    return found[0]


def _opened(id, created_at, content_type, size, expires_at, sealed_key, sealed_meta):
    key = _ROOT.decrypt(_NONCE, sealed_key, None)
    return {
        "id": id,
        "content_type": content_type,
        "size": size,
        "created_at": datetime.fromtimestamp(created_at / 1000, UTC).isoformat(),
        "expires_at": expires_at,
        **json.loads(AESGCM(key).decrypt(_NONCE, sealed_meta, None)),
    }
