"""A process that is killed while it deletes a target with many links, or an account with them."""

import signal

import pytest

from models import DocumentToken, Event
from models.account_deletion import finish_deletions
from models.background import end_links
from models.core import NotAuthenticated, TokenSpent
from models.documents import Collection
from models.links import LinkOptions, TokenGrant, delete_collection, delete_document
from models.links.deletion import DeletedTarget
from models.links.target import table_of
from operations import verify_log
from tests.forking import run_program
from tests.uploads import upload

pytestmark = pytest.mark.slow

LINKS = 5
PROGRAM = """
import pathlib, sys
from models import DocumentToken, User, connected, setup
from models.account_deletion import delete_account, finish_deletions
from models.background import end_links
from models.links import delete_collection, delete_document, deletion
from models.links.target import table_of
from models.records import table
from models.runtime import create_runtime
from settings import Settings
from tests import kills

folder, kind, id, killed = pathlib.Path(sys.argv[1]), *sys.argv[2:]
create_runtime(Settings(instance_path=folder, database=str(folder / "documents.sqlite")))
setup.open_runtime()
deletion.PAGE_ROWS = table.PAGE_ROWS = 2
calls = []

def second_call_of(owner, name):
    call = getattr(owner, name)

    def called(*args, **more):
        calls.append(name)
        result = call(*args, **more)
        if len(calls) == 2:
            kills.die()
        return result

    setattr(owner, name, called)

if killed == "before the first commit":
    kills.dying_after(deletion, "_end_links_of")
if killed == "in the second batch":
    second_call_of(DocumentToken, "revoke_all")
if killed == "in the second batch of rows":
    second_call_of(table, "separate_transaction")
with connected():
    if kind == "account":
        delete_account(User.find(id))
        finish_deletions()
    target = table_of(id).find(id)
    delete_document(target) if kind == "document" else delete_collection(target)
    if killed == "after the first commit":
        kills.die()
    end_links()
"""


@pytest.fixture(params=["document", "collection"])
def target(request, alice):
    return upload(alice) if request.param == "document" else Collection.make(alice.id, "A")


@pytest.fixture
def links(target):
    return [DocumentToken.issue(target, LinkOptions()) for _ in range(LINKS)]


def kill(folder, kind, id, killed):
    """Let another process begin the deletion, and be killed then."""
    assert run_program(PROGRAM, folder, kind, id, killed) == -signal.SIGKILL


def kind_of(target):
    return "collection" if isinstance(target, Collection) else "document"


def revoked(links):
    return [DocumentToken.find(link.id).revoked_at is not None for link in links]


def types_of(owner):
    return [event.type for event in Event.feed(owner.id, 200, None)[0]]


def test_nothing_is_deleted_by_a_process_that_is_killed_before_its_first_commit(
    alice, target, links, tmp_path
):
    kill(tmp_path, kind_of(target), target.id, "before the first commit")
    end_links()
    assert revoked(links) == [False] * LINKS
    assert all(TokenGrant.of_secret(link.secret).target_id == target.id for link in links)
    assert DeletedTarget.select().count() == 0
    delete = {"document": delete_document, "collection": delete_collection}[kind_of(target)]
    delete(target)
    end_links()
    assert revoked(links) == [True] * LINKS


@pytest.mark.parametrize(
    ("killed", "revoked_before"),
    [("after the first commit", 0), ("in the second batch", 2)],
)
def test_a_deletion_goes_on_whose_process_is_killed_after_its_first_commit(
    alice, target, links, tmp_path, killed, revoked_before
):
    kill(tmp_path, kind_of(target), target.id, killed)
    assert table_of(target.id).find(target.id) is None
    assert revoked(links) == [True] * revoked_before + [False] * (LINKS - revoked_before)
    for link in links:
        with pytest.raises(TokenSpent):
            TokenGrant.of_secret(link.secret)
    assert verify_log().breaks == []

    end_links()

    assert revoked(links) == [True] * LINKS
    assert DeletedTarget.select().count() == 0
    ends = [f"{kind_of(target)}.deleted"] + ["token.revoked"] * LINKS
    assert [one for one in types_of(alice) if one in ends] == ends
    assert verify_log().breaks == []


def test_the_deletion_of_an_account_goes_on_whose_process_is_killed_in_a_batch_of_links(
    alice, target, links, tmp_path
):
    kill(tmp_path, "account", alice.id, "in the second batch of rows")
    left = DocumentToken.select().where(DocumentToken.owner_id == alice.id).count()
    assert 0 < left < LINKS
    for link in links:
        with pytest.raises((NotAuthenticated, TokenSpent)):
            TokenGrant.of_secret(link.secret)

    finish_deletions()

    assert DocumentToken.select().where(DocumentToken.owner_id == alice.id).count() == 0
    assert table_of(target.id).find(target.id) is None
    assert verify_log().breaks == []
