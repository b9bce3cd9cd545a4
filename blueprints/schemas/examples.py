"""Examples of the description: of requests, by schema, and of what paths name."""

from typing import Any

_PHRASE = "correct horse battery"
_EXPIRY = "2099-01-31T09:30:00.000Z"
_IDS = {
    **{"documents": "doc", "collections": "col", "tokens": "tok", "openings": "opn"},
    **{"api-keys": "key", "sessions": "ses", "webhooks": "whk", "deliveries": "dlv"},
}

BODIES: dict[str, Any] = {
    "Registration": {"email": "me@example.org", "password": _PHRASE, "name": "Mia Example"},
    "Login": {"email": "me@example.org", "password": _PHRASE},
    "PasswordReset": {"email": "me@example.org"},
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
    "FilePassword": {"password": "what will open the file"},
    "PdfPassword": {"password": "that of the PDF"},
    "DownloadRequest": {"password": "what will open the file"},
    "NewWebhook": {"url": "https://example.org/hook", "events": ["document.created"]},
    "WebhookEdit": {"enabled": False},
}
PATH_PARAMETERS: dict[str, dict[str, str]] = {  # by the segment before
    "pages": {"example": "1", "description": "Of a page, from 1."},
    "agreements": {"example": "1f" * 32, "description": "Of the text, in hex."},
} | {
    noun: {
        "example": f"{prefix}_01k5x8m3v7q2r9t4w6y0z1a2b3",
        "description": f"It begins with `{prefix}_`.",
    }
    for noun, prefix in _IDS.items()
}
