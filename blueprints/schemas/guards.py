"""What the reader of a guarded link sends."""

import re
from typing import Any

from marshmallow import pre_load

from ..http.authentication import is_form
from .fields import Email, Text
from .schema import CamelCaseSchema, described


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
