"""Links to documents and collections: tokens, what each permits its holder, all of a user's."""

from .codes import count_code_request, request_code
from .document_token import DocumentToken
from .former_target import FormerTarget
from .gate import Gate, Proof, drop_texts_of, kept_text
from .grant import TokenGrant
from .lists import (
    count_live_links,
    link_of_owner,
    links_by_target,
    links_of_owner,
    listed_link,
    openings,
    readings_by_links,
    replacing,
    secret_of,
)
from .opening import Opening, open_all_of
from .options import PERMISSIONS, UPLOAD, LinkOptions
from .receiving import (
    Receipt,
    Room,
    admit_body,
    collection_of,
    judge_body,
    receive,
    require_password,
)
from .recipient import Recipient, WrongCode
from .target import Target, target_of
from .uses import count_view
