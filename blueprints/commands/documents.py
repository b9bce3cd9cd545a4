"""Commands on documents, whoever owns them.

`document-service documents …`
"""

import click
from flask.cli import AppGroup

from models import Document
from models.core import OperatorError, counted
from models.links import delete_document

from .output import with_database

documents = AppGroup("documents", help="Delete documents, also damaged ones.")


@documents.command()
@click.argument("ids", nargs=-1, required=True)
@click.option("--yes", is_flag=True, help="Do not ask.")
@with_database
def delete(ids: tuple[str, ...], yes: bool) -> None:
    """Delete documents for good, with their links. IDS are theirs, as `doctor` prints them.

    A document need not open: its row may have been altered, its payload be damaged.
    """
    found = [_document(id) for id in dict.fromkeys(ids)]
    count = counted(len(found), "document")
    if not yes:
        click.confirm(f"Delete {count} for good?", abort=True)
    for document in found:
        delete_document(document)
    click.echo(f"{count} deleted.")


def _document(id: str) -> Document:
    if document := Document.as_stored(id):
        return document
    raise OperatorError(f"There is no document {id!r}.")
