"""Two people, and two rows at least of every sealed table."""

import pytest

from models import (
    ApiKey,
    DocumentToken,
    Session,
    StoredResponse,
    User,
    Webhook,
    connected,
    transaction,
)
from models.accounts import Identity, Invitation, add_member, enter_space, make_space
from models.documents import Collection, put_in_bin
from models.events import Mail, WebhookDelivery
from models.links import LinkOptions, Opening, Proof, Recipient, TokenGrant
from models.uploads import NewUpload, begin
from tests.uploads import upload

LIMIT = 10**12


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def filled(configure, request):
    """Two rows at least of every sealed table, but for the key of the service."""
    if request.param == "postgres":
        configure = request.getfixturevalue("configure_on_server")
    configure(reserve_bytes=0)
    with connected():
        people = [
            User.register(f"{name}@example.org", "correct horse battery", name, "open")
            for name in ("ada", "bob")
        ]
        for user in people:
            fill(user)
        fill_space(*people)
        fill_space(*reversed(people))
        StoredResponse.keep("ans_1", "fingerprint", {"secret": "once"})
        StoredResponse.keep("ans_2", "fingerprint", {"secret": "twice"})
        yield people


def fill(user):
    Session.begin(user, 3600, "Firefox on Linux")
    Session.begin(user, 3600, None, Identity.link(user.id, "https://id.example", user.id))
    key = ApiKey.issue(user, "a key", "documents:read", LIMIT * 4).row
    ApiKey.issue(user, "an ended key", "documents:read", None).row.revoke()
    hook = Webhook.register(user.id, "https://hook.example/in", ("webhook.test",), "mine").row
    document = upload(user, name="a.txt", metadata={"case": "7"}, expires_at=LIMIT * 4)
    other = upload(user, name="b.txt", came_by=key.id)
    collection = Collection.make(user.id, "Offer", note="By Monday.", document_ids=[other.id])
    options = LinkOptions(
        "for Carl", "view", "https://a.example", LIMIT * 4, 9, "digest", agreement="A text."
    )
    issued = DocumentToken.issue(document, options)
    DocumentToken.issue(collection, LinkOptions("all"))
    open_by(issued, document)
    Recipient.draw_code(document, issued.row.id, "eve@example.org")
    DocumentToken.edit(user.id, issued.row.id, other, hides_name=True)
    put_in_bin(user.id, [upload(user).id])
    begin(NewUpload(user.id, 1000, {"name": "film.mp4"}, "filename ZmlsbS5tcDQ=", key.id))
    Invitation.issue(f"of-{user.email}")
    hook.test()
    with transaction(user.id):
        Mail._store(user.id, "link", ["eve@example.org", "Hello", "A link"])
    delivery = WebhookDelivery.page(user.id, 1, None)[0][0]
    with transaction(user.id):
        delivery.change(status=500, duration_ms=3, delivered_at=5, answer="later")


def fill_space(maker, member):
    space = make_space(maker, "Accounting")
    add_member(space.id, maker.id, member.email, "manage")
    enter_space(space.id, member.id)
    Invitation.issue_for_space(space.id, maker, f"invited-by-{maker.email}", "read")
    Session.begin_in_space(space.id, member, Session.begin(member, 3600).row, "curl")


def open_by(issued, target):
    grant = TokenGrant.of_secret(issued.secret)
    opening = Opening.begin(target, grant, None, Proof(name="Eve", accept="x"))
    with transaction(target.owner_id):
        opening.store_with_events(DocumentToken.find(issued.row.id))
