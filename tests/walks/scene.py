"""A person, alone or in a space, with all that requests of a route act on, without a server."""

import secrets
import sqlite3
import threading
from functools import cached_property

from models import (
    ApiKey,
    Collection,
    DocumentToken,
    Event,
    Session,
    User,
    Webhook,
    connected,
    database,
)
from models.accounts import (
    PROXY,
    Identity,
    Invitation,
    add_member,
    change_member,
    enter_space,
    make_space,
    remove_member,
)
from models.documents import put_in_bin
from models.events import acting
from models.links import UPLOAD, LinkOptions
from models.links.grant import TokenGrant
from models.storage import current_right
from models.uploads import NewUpload, begin
from tests.people import PASSWORD
from tests.uploads import upload
from viewer.tests.samples import pdf

READER = "reader@example.org"


def beside(act):
    """Do something as another request does it, at the same time, and return the result."""
    done = []

    def run():
        assert current_right.get() is None
        with connected():
            done.append(act())

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    (result,) = done  # else it has failed
    return result


def account():
    return User.register(f"{secrets.token_hex(6)}@example.org", PASSWORD, None, "open")


class Stage:
    """Where one scene after the other begins: what is in all of them is made once.

    Each scene begins with the rows that the first one of its kind had then, and no others.
    """

    def __init__(self, app):
        self.client = app.test_client(use_cookies=False)
        with connected():
            self._empty = copy_of_all_rows()
        self._beginnings = {}

    def scene(self, *, in_space=False):
        """A new scene; all that was done in former ones is undone."""
        with connected():
            Event.record_merged_readings(all=True)  # else a later scene would record them
            if in_space not in self._beginnings:
                put_back(self._empty)
                people = People(in_space=in_space)
                self._beginnings[in_space] = people, copy_of_all_rows()
            people, rows = self._beginnings[in_space]
            put_back(rows)
        return Scene(self.client, people)


def copy_of_all_rows():
    copy = sqlite3.connect(":memory:", check_same_thread=False)
    database.connection().backup(copy)
    return copy


def put_back(rows):
    rows.backup(database.connection())


class People:
    """Who is in a scene, with the sessions and the key of Bob, as the one who owns all else.

    All scenes share these rows: whoever changes one finds it anew.
    """

    def __init__(self, *, in_space):
        self.in_space = in_space
        self.alice, self.bob, self.carol, self.dora = (account() for _ in range(4))
        self.team = make_space(self.alice, "Accounting").row
        for member in (self.bob, self.carol):
            add_member(self.team.id, self.alice.id, member.email, "manage")
        enter_space(self.team.id, self.bob.id)
        self.owner = self.team if in_space else self.bob
        self.session = self.own_session = Session.begin(self.bob, 3600)
        if in_space:
            self.session = Session.begin_in_space(self.team.id, self.bob, self.own_session.row)
        everything = "documents:read documents:write documents:delete events:read"
        self.key = ApiKey.issue(self.owner, "a key", everything, None)


class Scene:
    """Bob, who acts for himself or, in a space that Alice manages as well, as the space.

    The `owner` has one of each noun; all but the people is made when it is asked for first.
    """

    def __init__(self, client, people):
        self.client = client
        self.in_space = people.in_space
        self.alice, self.bob, self.carol = people.alice, people.bob, people.carol
        self.dora, self.team, self.owner = people.dora, people.team, people.owner
        self.own_session = people.own_session
        self.session = people.session  # by which Bob acts as the owner
        self.key = people.key

    def __getitem__(self, noun):
        """The id that stands in an address for a noun, or the address of somebody."""
        return getattr(self, f"{noun}_id")

    @property
    def space_id(self):
        return self.team.id

    @property
    def user_id_id(self):
        return self.carol.id

    @property
    def dora_id(self):
        return self.dora.email

    @cached_property
    def session_id(self):
        """Another session of the owner."""
        other = Session.begin(self.bob, 3600)
        if self.in_space:
            other = Session.begin_in_space(self.team.id, self.bob, other.row)
        return other.row.id

    @property
    def key_id(self):
        return self.key.row.id

    @cached_property
    def webhook(self):
        return Webhook.register(self.owner.id, "https://hook.example/in").row

    @property
    def webhook_id(self):
        return self.webhook.id

    @cached_property
    def delivery_id(self):
        return self.webhook.test().id

    @cached_property
    def identity_id(self):
        return Identity.link(self.bob.id, PROXY, f"{self.bob.id}@example.org").id

    @property
    def document_id(self):
        return self.document.id

    @cached_property
    def other_id(self):
        return upload(self.owner, name="other.txt").id

    @property
    def pdf_id(self):
        return self.pdf.id

    @cached_property
    def binned_id(self):
        put_in_bin(self.owner.id, [self.document.id])
        return self.document.id

    @property
    def collection_id(self):
        return self.collection.id

    @cached_property
    def token_id(self):
        """A link to the document, for somebody."""
        return self.link(self.document, recipients=[f"{secrets.token_hex(6)}@example.org"]).row.id

    @cached_property
    def link_id(self):
        """A link to the collection."""
        return self.link(self.collection).row.id

    @cached_property
    def invitation_id(self):
        address = f"{secrets.token_hex(6)}@example.org"
        Invitation.issue_for_space(self.team.id, self.alice, address, "read")
        return Invitation.waiting_for(self.team.id)[0].id

    @cached_property
    def document(self):
        return upload(self.owner, b"What Bob keeps", name="kept.txt")

    @cached_property
    def upload_id(self):
        """An upload of three bytes that Bob has begun, for himself or in the space."""
        acts = {"userId": self.bob.id} if self.in_space else {}
        with acting(acts.items()):
            return begin(NewUpload(self.owner.id, 3)).id

    @cached_property
    def link_for_files(self):
        return self.link(self.collection, permissions=(UPLOAD,), max_views=9)

    @cached_property
    def sent_id(self):
        """An upload of three bytes that a stranger has begun by `link_for_files`."""
        given = {"collection_id": self.collection.id, "answers_id": ""}
        link_id = self.link_for_files.row.id
        return begin(NewUpload(self.owner.id, 3, given, came_by=link_id)).id

    @cached_property
    def pdf(self):
        return upload(self.owner, pdf("A page"), "application/pdf")

    @cached_property
    def collection(self):
        return Collection.make(self.owner.id, "Offer", document_ids=[self.document.id])

    def link(self, target, **options):
        return DocumentToken.issue(target, LinkOptions.of(**options))

    def ticket(self, link):
        """The ticket of a page that the link has opened."""
        return TokenGrant.of_secret(link.secret).ticket(shows_original=False)

    def upload_ticket(self, link):
        """The ticket of the upload that was begun by the link."""
        return TokenGrant.of_secret(link.secret).upload_ticket(self.sent_id)

    def by_key(self):
        """The headers of a request by an API key."""
        return {"X-API-Key": self.key.secret}

    def by_session(self):
        return {"Authorization": f"Bearer {self.session.token}"}

    def by_cookie(self):
        """The headers of a form in a browser, which has entered the space."""
        cookie = f"session={self.own_session.token}"
        if self.in_space:
            cookie += f"; space={self.session.token}"
        return {"Sec-Fetch-Site": "same-origin", "Cookie": cookie}

    # How a right is lost

    def remove_member(self):
        remove_member(self.team.id, self.alice.id, self.bob.id)

    def lower_role(self, role):
        change_member(self.team.id, self.alice.id, self.bob.id, role)

    def end_session(self):
        Session.find(self.own_session.row.id).end()

    def disable_account(self):
        User.find(self.bob.id).disable()

    def revoke_key(self):
        ApiKey.one_of(self.owner.id, self.key.row.id).revoke()
