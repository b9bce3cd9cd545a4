"""One of each kind of credential, and each way in which what it is derived from ends.

Ana has made all of them: she logs in by a password and by a provider, and manages a space beside
Mia. `MAKERS` makes one of a kind, and returns a function that uses it; `ENDS` ends an origin.
"""

import secrets
from functools import cached_property
from io import BytesIO
from unittest.mock import patch
from urllib.parse import parse_qs, urlsplit

from models import ApiKey, Collection, Document, DocumentToken, Session, User, Webhook
from models.account_deletion import delete_account, delete_space, finish_deletions
from models.accounts import (
    Assertion,
    Identity,
    Invitation,
    add_member,
    change_member,
    enter_space,
    let_in,
    make_space,
    remove_member,
    unbind,
)
from models.core import now
from models.documents import put_in_bin
from models.events import Mail, notices
from models.links import (
    LinkOptions,
    Recipient,
    TokenGrant,
    delete_collection,
    delete_document,
    target_of,
)
from models.records import Origin
from operations import rotate_root_keys
from tests.people import PASSWORD
from tests.uploads import upload

ISSUER = "https://login.example.org"
FROM_HERE = {"Sec-Fetch-Site": "same-origin", "Accept": "text/html"}
AS_JSON = {"Accept": "application/json"}


class StubbedProvider:
    """Stands for the provider, which says that whoever comes back is Ana's other login."""

    issuer = ISSUER
    name = "Provider"

    def authorization_url(self, state, _nonce, _verifier):
        return f"{ISSUER}/authorize?state={state}"

    def claims(self, *_):
        return {"iss": ISSUER, "sub": "another"}


class World:
    """People in the service of this process, whose routes `client` calls; made when asked for."""

    def __init__(self, client):
        self.client = client

    def call(self, method, path, **more):
        return self.client.open(path, method=method, **more)

    def by(self, token):
        return {"Authorization": f"Bearer {token}"}

    def registered(self, name):
        return User.register(f"{secrets.token_hex(6)}@example.org", PASSWORD, name, "open")

    @cached_property
    def ana(self):
        return self.registered("Ana")

    @cached_property
    def mia(self):
        return self.registered("Mia")

    @cached_property
    def identity(self):
        return Identity.link(self.ana.id, ISSUER, secrets.token_hex(6))

    @cached_property
    def session(self):
        """Ana's session, which began by her other login; `other_session` is of another device."""
        return Session.begin(self.ana, 3600, None, self.identity)

    @cached_property
    def other_session(self):
        return Session.begin(self.ana, 3600)

    @cached_property
    def space(self):
        """The id of the space in which Ana and Mia are managers."""
        space = make_space(self.mia, "Accounting")
        add_member(space.id, self.mia.id, self.ana.email, "manage")
        enter_space(space.id, self.ana.id)
        return space.id

    @cached_property
    def in_space(self):
        """Ana's session of the space."""
        return Session.begin_in_space(self.space, self.ana, self.session.row)

    @cached_property
    def key(self):
        return ApiKey.issue(self.ana, None, "documents:read documents:write", None)

    @cached_property
    def document(self):
        return upload(self.ana, b"what Ana keeps", name="kept.txt")

    @cached_property
    def document_of_space(self):
        return upload(User.find(self.space), b"what all keep", name="kept.txt")

    @cached_property
    def collection(self):
        return Collection.make(self.ana.id, "Inbox")

    @cached_property
    def webhook(self):
        return Webhook.register(self.ana.id, f"mailto:{self.ana.email}", ["token.opened"])

    @cached_property
    def link(self):
        return self.linked()

    def linked(self, target=None, **options):
        """A new link, with these options; the present one, which the ends of a link end."""
        options = {"permissions": ["view", "download"], **options}
        chosen = LinkOptions.of(**options)
        self.link = DocumentToken.issue(target or self.document, chosen)
        return self.link

    def opened(self, **answers):
        """The addresses, with a ticket, of what the link has opened."""
        answer = self.call("POST", "/s", json=answers, headers=self.by(self.link.secret) | AS_JSON)
        assert answer.status_code == 200, answer.text
        return answer.json


# How each kind is made, and used


def session(world):
    world.other_session  # noqa: B018
    headers = world.by(world.session.token)
    return lambda: world.call("GET", "/v1/auth/me", headers=headers)


def session_of_a_space(world):
    headers = world.by(world.in_space.token)
    return lambda: world.call("GET", "/v1/documents", headers=headers)


def api_key(world):
    headers = {"X-API-Key": world.key.secret}
    return lambda: world.call("GET", "/v1/documents", headers=headers)


def login_elsewhere(world):
    world.identity  # noqa: B018
    assertion = Assertion(ISSUER, world.identity.subject, None)
    return lambda: let_in(assertion, "", "here")


def login_that_waits(world):
    client = world.client.application.test_client()
    client.set_cookie("session", world.session.token)
    led = client.get("/app/oidc?add=yes", headers=FROM_HERE)
    state = parse_qs(urlsplit(led.location).query)["state"][0]

    def come_back():
        answer = client.get(f"/app/oidc/callback?state={state}&code=c", headers=FROM_HERE)
        return "done=linked" in (answer.location or "")

    return come_back


def accepting(world, secret, email):
    body = {"email": email, "password": "another password", "invite": secret}
    return lambda: world.call("POST", "/v1/auth/register", json=body)


def invitation(world):
    return accepting(world, Invitation.issue(world.ana.email).secret, world.ana.email)


def link_for_a_password(world):
    _, _, text = Invitation.compose_reset(world.ana.email, "")
    secret = text.partition("invite=")[2].split()[0]
    return accepting(world, secret, world.ana.email)


def invitation_to_a_space(world):
    email = f"{secrets.token_hex(6)}@example.org"
    with patch.object(Mail, "enqueue") as enqueue:
        Invitation.issue_for_space(world.space, world.ana, email, "read")
    text = enqueue.call_args.args[-1]
    return accepting(world, text.partition("invite=")[2].split()[0], email)


def membership(world):
    return lambda: enter_space(world.space, world.ana.id)


def membership_that_waits(world):
    gus = world.registered("Gus")
    add_member(world.space, world.ana.id, gus.email, "read")
    return lambda: enter_space(world.space, gus.id)


def link(world):
    token = world.link.secret
    return lambda: world.call("GET", "/s", headers=world.by(token) | AS_JSON)


def content(world, ticket, document):
    return lambda: world.call("GET", f"/v1/documents/{document.id}/content?ticket={ticket}")


def ticket_of_a_session(world):
    grant = TokenGrant.of_owner(world.ana.id, world.session.row.id, world.document.id)
    return content(world, grant.ticket(shows_original=True), world.document)


def ticket_of_a_session_of_a_space(world):
    document = world.document_of_space
    grant = TokenGrant.of_owner(world.space, world.in_space.row.id, document.id)
    return content(world, grant.ticket(shows_original=True), document)


def ticket_of_an_api_key(world):
    grant = TokenGrant.of_owner(world.ana.id, world.key.row.id, world.document.id)
    return content(world, grant.ticket(shows_original=True), world.document)


def shown(world, **answers):
    (opened,) = world.opened(**answers)["documents"]
    address = opened["viewUrl"].removeprefix("http://localhost")
    return lambda: world.call("GET", address)


def ticket_of_a_link(world):
    world.linked()
    return shown(world)


def ticket_of_a_guarded_link(world):
    link = world.linked(agreement="I keep this to myself.")
    return shown(world, name="Gus", accept=link.row.agreement_sha256)


def ticket_for_files(world):
    world.linked(world.collection, permissions=["upload"], max_views=9, password="a password")
    address = world.opened(password="a password")["uploadUrl"].removeprefix("http://localhost")
    return lambda: world.call("POST", address, data={"file": (BytesIO(b"a file"), "sent.txt")})


def ticket_of_an_upload(world):
    world.linked(world.collection, permissions=["upload"], max_views=9, password="a password")
    address = world.opened(password="a password")["uploadsUrl"].removeprefix("http://localhost")
    begun = world.call("POST", address, headers={"Upload-Length": "3"})
    location = begun.headers["Location"].removeprefix("http://localhost")
    return lambda: world.call("GET", location)


def tag_of_a_view(world):
    headers = world.by(world.linked(max_views=1).secret)
    tag = world.call("GET", "/s/content", headers=headers).headers["ETag"]
    rest = headers | {"Range": "bytes=3-", "If-Range": tag}
    return lambda: world.call("GET", "/s/content", headers=rest)


def code_of_a_recipient(world):
    link = world.linked(recipients=["gus@example.org"])
    code = Recipient.draw_code(
        target_of(world.ana.id, world.document.id), link.row.id, "gus@example.org"
    )
    proof = {"email": "gus@example.org", "code": code}
    headers = world.by(link.secret) | AS_JSON
    return lambda: world.call("POST", "/s", json=proof, headers=headers)


def code_of_notices(world):
    address = notices._page(world.webhook).removeprefix("http://localhost")
    return lambda: world.call("GET", address, headers=FROM_HERE)


def stored_response(world):
    path = f"/v1/documents/{world.document.id}/tokens"
    headers = world.by(world.session.token) | {"Idempotency-Key": secrets.token_hex(6)}
    first = world.call("POST", path, json={}, headers=headers)
    assert first.status_code == 201, first.text

    def repeat():
        again = world.call("POST", path, json={}, headers=headers)
        return again if again.status_code >= 400 else again.json == first.json

    return repeat


MAKERS = {
    "session": session,
    "session of a space": session_of_a_space,
    "API key": api_key,
    "login elsewhere": login_elsewhere,
    "login that waits for a provider": login_that_waits,
    "invitation": invitation,
    "link for a new password": link_for_a_password,
    "invitation to a space": invitation_to_a_space,
    "membership": membership,
    "membership that waits": membership_that_waits,
    "link": link,
    "ticket of a session": ticket_of_a_session,
    "ticket of a session of a space": ticket_of_a_session_of_a_space,
    "ticket of an API key": ticket_of_an_api_key,
    "ticket of a link": ticket_of_a_link,
    "ticket of a guarded link": ticket_of_a_guarded_link,
    "ticket to send files": ticket_for_files,
    "ticket of an upload": ticket_of_an_upload,
    "tag of a view": tag_of_a_view,
    "code of a recipient": code_of_a_recipient,
    "code of notices": code_of_notices,
    "stored response": stored_response,
}


# How each origin ends


def account_is_disabled(world):
    world.ana.disable()


def account_is_deleted(world):
    delete_account(User.find(world.ana.id))
    finish_deletions()


def account_is_disabled_for_a_while(world):
    world.ana.disable()
    User.find(world.ana.id).enable()


def password_is_changed(world):
    User.find(world.ana.id).change_password("another password", world.other_session.row.id)


def password_is_set_by_the_operator(world):
    User.find(world.ana.id).set_password("another password")


def password_is_reset_by_a_link(world):
    secret = Invitation.issue(world.ana.email).secret
    Invitation.of_secret(secret, world.ana.email).accept(
        world.ana.email, "a new password", None, ""
    )


def all_other_sessions_are_ended(world):
    User.find(world.ana.id).end_other_sessions(world.other_session.row.id)


def all_sessions_are_ended_by_the_operator(_world):
    rotate_root_keys(end_sessions=True)


def identity_is_removed(world):
    unbind(world.identity)


def session_is_logged_out(world):
    headers = world.by(world.session.token)
    assert world.call("POST", "/v1/auth/logout", headers=headers).status_code == 204


def session_is_ended_in_the_list(world):
    headers = world.by(world.other_session.token)
    path = f"/v1/auth/sessions/{world.session.row.id}"
    assert world.call("DELETE", path, headers=headers).status_code == 204


def key_is_revoked(world):
    world.key.row.revoke()


def key_is_rotated(world):
    world.key.row.rotate(world.ana, 0)


def space_is_disabled(world):
    User.find(world.space).disable()


def space_is_deleted(world):
    for document in list(Document.live_of(world.space)):
        delete_document(Document.one_of(world.space, document.id))
    delete_space(world.space, world.mia.id)


def member_is_removed(world):
    remove_member(world.space, world.mia.id, world.ana.id)


def member_leaves(world):
    remove_member(world.space, world.ana.id, world.ana.id)


def member_is_removed_and_added_again(world):
    remove_member(world.space, world.mia.id, world.ana.id)
    add_member(world.space, world.mia.id, world.ana.email, "manage")
    enter_space(world.space, world.ana.id)


def role_is_lowered(world):
    change_member(world.space, world.mia.id, world.ana.id, "write")


def role_is_lowered_for_a_while(world):
    change_member(world.space, world.mia.id, world.ana.id, "write")
    change_member(world.space, world.mia.id, world.ana.id, "manage")


def targets(world):
    """What was made of the documents, by owner."""
    made = vars(world)
    found = {made["ana"].id: made.get("document"), made.get("space"): made.get("document_of_space")}
    return {owner_id: document for owner_id, document in found.items() if document}


def target_is_deleted(world):
    for owner_id, document in targets(world).items():
        delete_document(Document.one_of(owner_id, document.id))
    if "collection" in vars(world):
        delete_collection(world.collection)


def target_is_in_the_bin(world):
    """A collection, which goes into no bin, is deleted."""
    for owner_id, document in targets(world).items():
        put_in_bin(owner_id, [document.id])
    if "collection" in vars(world):
        delete_collection(world.collection)


def webhook_is_removed(world):
    world.webhook.remove()


def link_is_revoked(world):
    world.link.row.revoke()


def link_is_expired(world):
    DocumentToken.find(world.link.row.id).change(expires_at=now() - 1)


def link_is_off(world):
    DocumentToken.edit(world.ana.id, world.link.row.id, enabled=False)


def link_has_another_password(world):
    DocumentToken.edit(world.ana.id, world.link.row.id, password="another password")


def link_leads_elsewhere(world):
    elsewhere = Collection.make(world.ana.id, "Elsewhere")
    DocumentToken.edit(world.ana.id, world.link.row.id, target=elsewhere)


_OF_ACCOUNT = (account_is_disabled, account_is_deleted)
_OF_PASSWORD = (
    password_is_changed,
    password_is_set_by_the_operator,
    password_is_reset_by_a_link,
    account_is_disabled_for_a_while,
    *_OF_ACCOUNT,
)
_OF_LOGINS = (
    all_other_sessions_are_ended,
    all_sessions_are_ended_by_the_operator,
    *_OF_PASSWORD,
)
_OF_SPACE = (space_is_disabled, space_is_deleted)
_OF_MEMBERSHIP = (
    member_is_removed,
    member_leaves,
    member_is_removed_and_added_again,
    *_OF_SPACE,
    *_OF_ACCOUNT,
)
_OF_TARGET = (target_is_deleted, target_is_in_the_bin)
_OF_LINK = (
    link_is_revoked,
    link_is_off,
    link_is_expired,
    link_has_another_password,
    link_leads_elsewhere,
    *_OF_TARGET,
    *_OF_ACCOUNT,
)
ENDS = {
    Origin.ACCOUNT: _OF_ACCOUNT,
    Origin.PASSWORD: _OF_PASSWORD,
    Origin.LOGINS: _OF_LOGINS,
    Origin.IDENTITY: (identity_is_removed,),
    Origin.SESSION: (
        session_is_logged_out,
        session_is_ended_in_the_list,
        identity_is_removed,
        *_OF_LOGINS,
    ),
    Origin.API_KEY: (key_is_revoked, key_is_rotated, *_OF_ACCOUNT),
    Origin.SPACE: _OF_SPACE,
    Origin.MEMBERSHIP: _OF_MEMBERSHIP,
    Origin.MANAGER: (role_is_lowered, role_is_lowered_for_a_while, *_OF_MEMBERSHIP),
    Origin.TARGET: _OF_TARGET,
    Origin.WEBHOOK: (webhook_is_removed, account_is_deleted),
    Origin.LINK: _OF_LINK,
}
