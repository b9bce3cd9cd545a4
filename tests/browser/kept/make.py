"""Makes saved files for a folder beside this one: `python -m tests.browser.kept.make FOLDER`.

A folder is named after the year and the month of its files, which the service of that time made,
and after the day as well where the month has a folder already. It is made once and never changed:
its files must open in the browsers of every later run.
"""

import json
import sys
import tempfile
from pathlib import Path

from testing import service_in_process
from tests.formats import b64
from viewer.tests import samples

PASSWORD = "a word of mouth"
DOCUMENTS = {
    "minutes.md": ("text/markdown", b"# Minutes\n\nWe agreed on **three** things.\n"),
    "letter.txt": ("text/plain", "Grüße aus Zürich\nПривет\nمرحبا\n你好\n".encode()),
    "sum.py": ("text/x-python", b"def add(one, other):\n    return one + other\n"),
    "prices.csv": ("text/csv", b"article,price\nApples,1.20\nPears,1.50\n"),
    "settings.json": ("application/json", b'{"colours": ["red", "green"], "size": 12}'),
    "report.pdf": ("application/pdf", samples.pdf("First page", "Second page")),
    "picture.png": ("image/png", samples.png()),
    "page.html": ("text/html", samples.HTML),
    "message.eml": ("message/rfc822", samples.mail()),
    "sound.wav": ("audio/wav", samples.wav()),
}

COLLECTION = ["minutes.md", "report.pdf", "picture.png", "page.html"]


def make(folder: Path) -> None:
    """Save each document as a plain file, one of them sealed, and some as a sealed collection."""
    folder.mkdir()
    with tempfile.TemporaryDirectory() as instance, service_in_process(instance) as service:
        headers = {"X-API-Key": service.add_account("kept@example.org")}

        def call(path: str, **body: object) -> bytes:
            method = "POST" if body else "GET"
            answer = service.client.open(
                f"/v1/{path}", method=method, headers=headers, json=body or None
            )
            assert answer.status_code in (200, 201), answer.text
            return answer.data

        ids = {}
        for name, (content_type, content) in DOCUMENTS.items():
            uploaded = call("documents", name=name, contentType=content_type, payload=b64(content))
            ids[name] = json.loads(uploaded)["id"]
            (folder / f"{name}.html").write_bytes(call(f"documents/{ids[name]}/download"))
        sealed = call(f"documents/{ids['minutes.md']}/download", password=PASSWORD)
        (folder / "sealed.html").write_bytes(sealed)
        chosen = [ids[name] for name in COLLECTION]
        collection = json.loads(call("collections", title="Offer", documentIds=chosen))["id"]
        sealed = call(f"collections/{collection}/download", password=PASSWORD)
        (folder / "sealed-collection.html").write_bytes(sealed)
        service.run_background_work()


if __name__ == "__main__":
    make(Path(__file__).parent / sys.argv[1])
