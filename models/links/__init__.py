"""Links to documents and collections: tokens, what each permits its holder, all of a user's."""

from .codes import count_code_request, request_code
from .document_token import (
    PERMISSIONS,
    UPLOAD,
    DocumentToken,
    FormerTarget,
    LinkOptions,
    count_view,
)
from .grant import TokenGrant
from .guards import (
    Gate,
    Opening,
    Proof,
    Recipient,
    WrongCode,
    drop_texts_of,
    kept_text,
    open_all_of,
)
from .lists import (
    count_live_links,
    link_of_owner,
    links_by_target,
    links_of_owner,
    listed_link,
    openings,
    readings_by_links,
    replacer_of,
    secret_of,
)
from .receiving import (
    Receipt,
    Room,
    collection_of,
    judge_body,
    receive,
    require_password,
    take_body_slot,
)
from .target import Target, target_of
