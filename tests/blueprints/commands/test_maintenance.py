"""`sweep` and `openapi`."""

import json

from models import Document, connected


def test_sweep_deletes_expired_documents(run, document):
    with connected():
        document.change(expires_at=1)

    assert run("sweep").output == "1 expired documents were deleted.\n"
    with connected():
        assert Document.select().count() == 0


def test_openapi_prints_the_api_description(run):
    assert json.loads(run("openapi").output)["openapi"] == "3.1.0"
