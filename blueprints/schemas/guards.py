"""What guarded links take: who may open one and what is to be accepted, and what a reader sends."""

import re
from typing import Any

from marshmallow import pre_load, validate

from ..http.authentication import is_form
from .fields import Email, List, StrictBoolean, Text
from .schema import CamelCaseSchema, described


def recipients(**options: Any) -> List:
    """Of a link: only these people open it."""
    said = "Addresses, or `@example.org`; a code, sent by mail, proves it."
    length = validate.Length(1, 50, error="Name 1 to 50 addresses.")
    return List(Text(3, 254), allow_none=True, validate=length, **options, **described(said))


def agreement(**options: Any) -> Text:
    said = "A text to be accepted, with a name, at each opening."
    return Text(1, 16_384, allow_none=True, **options, **described(said))


def watermark(**options: Any) -> StrictBoolean:
    said = "Each page carries who opened it, and when; for a link that may view a PDF alone."
    return StrictBoolean(allow_none=True, **options, **described(said))


class Name(Text):
    bounds, form = (0, 200), re.compile(r"[^\x00-\x1f\x7f-\x9f\u2028\u2029]*")
    mistake = "Write the name in one line."


class ReaderProof(CamelCaseSchema):
    """What a guarded link asks for beside a password."""

    email = Text(0, 254, **described("One of the link's recipients."))
    code = Text(0, 40, **described("That the address got by mail. Spaces are passed over."))
    name = Name(**described("Whoever accepts the agreement."))
    accept = Text(0, 64, **described("The `agreementSha256` of the text that is accepted."))


class CodeRequest(CamelCaseSchema):
    email = Email(required=True)

    @pre_load
    def _leave_rest(self, body: Any, **_: Any) -> Any:
        """A form may hold what goes with the code, too."""
        return {"email": body.get("email")} if is_form() else body
