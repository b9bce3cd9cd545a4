"""The pages of a PDF in requests and responses. Coordinates are points, from the upper left."""

from marshmallow import fields

from .camel_case import CamelCaseSchema
from .fields import Integer, Password
from .response_schema import Records, ResponseSchema, described

TOP = "How far from the page's upper edge it leads."


class PdfPagesQuery(CamelCaseSchema):
    cursor = Integer(
        1,
        1_000_000,
        load_default=1,
        metadata={"description": "A list's `nextCursor`: the number of its first page."},
    )


class PdfPassword(CamelCaseSchema):
    password = Password(0, 1024, required=True, metadata={"description": "That of the PDF."})


class PdfPageText(ResponseSchema):
    number = fields.Integer(**described("From 1."))
    width = fields.Float(**described("Points."))
    height = fields.Float(**described("Points."))
    text = fields.String(**described("The first 20,000 characters."))


class OutlineEntry(ResponseSchema):
    depth = fields.Integer(**described("From 0."))
    title = fields.String()
    page = fields.Integer()
    top = fields.Float(**described(TOP))


class PdfPageList(ResponseSchema):
    total = fields.Integer(**described("How many pages the PDF has."))
    pages = Records(PdfPageText, **described("Up to 64 of them."))
    outline = Records(OutlineEntry, **described("With the first pages only."))
    next_cursor = fields.Integer(
        allow_none=True, **described("Send it as `cursor` for the next pages; null on the last.")
    )


class Placed(ResponseSchema):
    x = fields.Float()
    y = fields.Float()
    width = fields.Float()
    height = fields.Float()


class TextRun(Placed):
    text = fields.String()


class PdfLink(Placed):
    """Either leads to a page or to an address."""

    page = fields.Integer(allow_none=True)
    top = fields.Float(**described(TOP))
    url = fields.String(allow_none=True, **described("Of the web or of mail."))


class DrawnPdfPage(ResponseSchema):
    number = fields.Integer(**described("From 1."))
    width = fields.Float(**described("Points."))
    height = fields.Float(**described("Points."))
    picture = fields.String(**described("A `data:` URI with a PNG or WebP."))
    text = Records(TextRun)
    links = Records(PdfLink)
