"""Examples of the description: of requests by schema; those of responses are made from values by
name.
"""

from typing import Any

ULID = "01k5x8m3v7q2r9t4w6y0z1a2b3"
_RANDOM = "4f7KpT2mZx9QvB6nLr8WcY3sHd5Gj1Ka0u9E2x"
_LINK = f"https://docs.example/v1/documents/doc_{ULID}/{{}}?token=dt_{_RANDOM}"
_PHRASE = "correct horse battery"
_EXPIRY = "2099-01-31T09:30:00.000Z"

BODIES: dict[str, Any] = {
    "Registration": {"email": "me@example.org", "password": _PHRASE, "name": "Mia Example"},
    "Login": {"email": "me@example.org", "password": _PHRASE},
    "PasswordChange": {"currentPassword": _PHRASE, "newPassword": "a better horse battery"},
    "NewApiKey": {"name": "backup", "scopes": ["documents:read"], "expiresAt": _EXPIRY},
    "ApiKeyRotation": {"overlapSeconds": 3600},
    "Upload": {"payload": "SGVsbG8=", "contentType": "text/plain", "name": "hello.txt"},
    "UploadForm": {"file": "Hello", "name": "hello.txt", "metadata": {"project": "alpha"}},
    "DocumentEdit": {"name": "welcome.txt", "metadata": {"project": "alpha"}},
    "NewCollection": {"title": "Offer", "note": "For Monday.", "documentIds": []},
    "CollectionEdit": {"title": "Our offer", "maxBytes": 1 << 30},
    "NewDocumentToken": {"label": "for the auditor", "permissions": ["view"], "maxViews": 10},
    "LinkEdit": {"label": "for the auditor"},
    "DocumentTokenEdit": {"expiresAt": _EXPIRY, "maxViews": None},
    "SentFile": {"file": "Hello", "from": "Mia"},
    "CodeRequest": {"email": "ana@example.org"},
    "ViewRequest": {"password": "what the link asks for"},
    "DownloadRequest": {"password": "what will open the file"},
    "NewWebhook": {"url": "https://example.org/hook", "events": ["document.created"]},
    "WebhookEdit": {"enabled": False},
}
OTHER_BODIES = {
    "text/html": "<!doctype html>…",
    "text/javascript": "(() => { … })()",
    "text/plain": "docservice_documents 42\n",
    "application/jsonl": '{"owner": "usr_…", "sequence": 42, …}\n',
    "application/octet-stream": "Hello",
    "image/png": "\x89PNG…",
    "application/zip": "PK…",
    "*/*": "Hello",
}
ID_PREFIXES = {  # by the beginning of a schema's name, or of a path's segment
    **{"Profile": "usr", "Session": "ses", "ApiKey": "key", "DocumentToken": "tok"},
    **{"DocumentLinks": "tok", "Token": "tok"},
    **{"Document": "doc", "Upload": "doc", "Collection": "col", "NewCollection": "col"},
    **{"Event": "evt", "Opening": "opn", "Webhook": "whk", "Deliver": "dlv"},
}
VALUES: dict[str, Any] = {  # of fields, or of a schema's field; else as in a request
    **{name: value for body in BODIES.values() for name, value in body.items()},
    **{"name": "hello.txt", "Profile.name": "Mia Example"},
    **{"ApiKeyRecord.name": "backup", "ApiKeyWithSecret.name": "backup", "enabled": True},
    **{"accessToken": "v4.local.…", "tokenType": "Bearer", "expiresIn": 43200, "current": True},
    **{"key": f"pk_live_{_RANDOM}", "maskedKey": "pk_live_4f7K…9E2x", "size": 5},
    **{"token": f"dt_{_RANDOM}", "maskedToken": "dt_4f7K…9E2x", "documentId": f"doc_{ULID}"},
    **{"views": 0, "hasPassword": False, "allowedOrigins": [], "viewUrl": _LINK.format("view")},
    **{"shortUrl": f"https://docs.example/s?token=dt_{_RANDOM}", "viewsLeft": 10, "note": None},
    **{"kind": "document", "LinkContents.permissions": ["view", "download"]},
    **{"uploadUrl": None, "filesLeft": 20, "bytesLeft": 1 << 30, "maxFileBytes": 64 << 20},
    "eventHash": "9b1dee6c1a6e5e9d2f3ad4f4e5e4d1c1a0b7a9e6b8a6b3f8f2f5e6f1c2d3e4f5",
    **{"downloadUrl": _LINK.format("download"), "contentUrl": _LINK.format("content")},
    **{"collectionId": f"col_{ULID}", "documentCount": 1, "maxBytes": 1 << 30},
    **{"embedHtml": "<iframe …></iframe>", "html": "<iframe …></iframe>"},
    "sha256": "185f8db32271fe25f561a6fc938b2e264306ec304eda518007d1764826381969",
    **{"sequence": 42, "hash": "9b1dee6c1a6e5e9d2f3ad4f4e5e4d1c1a0b7a9e6b8a6b3f8f2f5e6f1c2d3e4f5"},
    **{"data": {"documentId": f"doc_{ULID}", "via": "session"}, "type": "document.created"},
    **{"OEmbed.type": "rich", "description": None, "secret": "whsec_…", "state": "delivered"},
    **{
        "recipients": ["ana@example.org"],
        "agreement": "I keep this to myself.",
        "watermark": False,
        "asks": ["email", "code", "name", "accept"],
    },
    **{"recipient": "ana@example.org", "recipientId": f"rcp_{ULID}", "salt": "5f" * 32},
    **{"agreementSha256": "1f" * 32, "OpeningRecord.name": "Ana Example"},
    **{"eventId": f"evt_{ULID}", "attempts": 1, "durationMs": 42, "DeliveryRecord.status": 200},
    "DeliveryAttempt.status": 200,
    **{"answer": "ok", "error": None, "status": "ok", "version": "0.2.0"},
    **{"OEmbed.version": "1.0", "provider_name": "Document Service", "title": "hello.txt"},
    **{"picture": "data:image/png;base64,…", "PdfLink.url": None},
    **{"x": 72, "y": 72, "page": 2, "top": 72},
    **{"number": 1, "total": 12, "depth": 0, "text": "Report", "PdfPageList.nextCursor": None},
    **{"width": 800, "height": 600, "nextCursor": None, "disabledReason": None},
}
