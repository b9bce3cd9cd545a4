"""The JSON of every error (RFC 9457)."""

from marshmallow import fields

from .response_schema import Records, ResponseSchema, described


class ProblemError(ResponseSchema):
    optional = ("in_",)

    pointer = fields.String(**described("Where, as a JSON pointer (RFC 6901)."))
    detail = fields.String()
    in_ = fields.String(data_key="in", **described("`query`, if it is not the body."))


class Problem(ResponseSchema):
    """Problem details (RFC 9457)."""

    optional = ("errors",)

    type = fields.String()
    title = fields.String()
    status = fields.Integer()
    detail = fields.String(**described("What is wrong and how to mend it, for people."))
    code = fields.String(**described("What is wrong, for programs. It never changes."))
    request_id = fields.String()
    errors = Records(ProblemError)
