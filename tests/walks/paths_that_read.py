"""The paths of all handlers that read, with the ids of what an account has."""

from models import Collection, Document, DocumentToken, Webhook
from models.accounts import make_space
from models.links import LinkOptions


def paths_that_read(app, user):
    """Make a collection, a link, a webhook and a space, and return all paths that are read.

    What the paths name is the user's, or there is none of it. Call it with a connection.
    """
    ids = [one.id for one in Document.page(user.id, 3, None)[0]]
    link = DocumentToken.issue(Document.find(ids[0]), LinkOptions()).row.id
    words = {
        "documents": ids[0],
        "collections": Collection.make(user.id, "A title", document_ids=ids).id,
        "tokens": link,
        "links": link,
        "webhooks": Webhook.register(user.id, "https://hook.example/in").row.id,
        "spaces": make_space(user, "A space").row.id,
    }
    values = {"token_id": link, "number": "1", "sha256": "0" * 64, "opening_id": "opn_01"}
    found = []
    for rule in app.url_map.iter_rules():
        if "GET" in rule.methods and rule.arguments <= {"id", *values}:
            of = next((name for name in rule.rule.split("/") if name in words), "")
            path = rule.rule.replace("<id>", words.get(of, ""))
            for name, value in values.items():
                path = path.replace(f"<{name}>", value)
            found.append(path)
    return found
