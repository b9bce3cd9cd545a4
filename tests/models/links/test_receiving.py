"""models/links/receiving.py"""

import pytest

from models.core import StorageFull, StoredUnsynced
from models.documents import Collection
from models.documents.uploads import STEP_BYTES
from models.links import DocumentToken, LinkOptions, TokenGrant
from models.links.receiving import receive
from models.storage import group_commit
from tests.uploads import Sent, pieces


@pytest.mark.parametrize(
    ("size", "kind", "said"),
    [(5, StoredUnsynced, "may have arrived"), (STEP_BYTES * 2, StorageFull, "was not stored")],
)
def test_a_sender_whose_file_was_not_synced_learns_whether_it_may_have_arrived(
    alice, monkeypatch, size, kind, said
):
    def fails(_handle):
        raise OSError(5, "the disk")

    collection = Collection.make(alice.id, "Inbox")
    options = LinkOptions(permissions="upload", max_views=5)
    link = DocumentToken.issue(collection, options)
    grant = TokenGrant.of_secret(link.secret)
    monkeypatch.setattr(group_commit, "_fdatasync", fails)

    with pytest.raises(kind, match=said):
        receive(grant, Sent(pieces(bytes(size)), size), "a/b", "a name", "somebody")

    monkeypatch.undo()
    assert Collection.one_of(alice.id, collection.id).document_count == (kind is StoredUnsynced)
