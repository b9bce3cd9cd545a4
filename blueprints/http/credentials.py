"""The kinds of credentials, and the scopes, by which a route says who may call it."""

from models import SCOPES

NOBODY, SESSION, API_KEY = "anyone", "session", "api_key"
DOCUMENT_TOKEN, TICKET, COOKIE = "document_token", "ticket", "cookie"
UPLOAD_TICKET = "upload_ticket"  # of one upload in pieces by a link
ANYONE = (NOBODY, SESSION, API_KEY, DOCUMENT_TOKEN)  # public, but a wrong credential is an error
OWNER = (SESSION, API_KEY)
READERS = (*OWNER, DOCUMENT_TOKEN)
LINK = (DOCUMENT_TOKEN, TICKET)
READ, WRITE, DELETE, EVENTS = SCOPES
# that only a role in a space has, and no API key:
API_KEYS, WEBHOOKS, MEMBERS = "api_keys", "webhooks", "members"
