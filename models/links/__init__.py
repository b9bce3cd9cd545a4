"""Links to documents and collections: tokens, what each permits its holder, all of a user's."""

from .agreements import KeptText, drop_texts_of, keep_text, kept_text, texts_of
from .codes import compose_code, count_code_request, request_code
from .deletion import (
    delete_collection,
    delete_document,
    delete_for_good,
    delete_if_due,
    end_links_of_deleted,
)
from .document_token import (
    PERMISSIONS,
    UPLOAD,
    DocumentToken,
    FormerTarget,
    LinkOptions,
    count_view,
    stored_options,
)
from .gate import Gate, Proof
from .grant import NO_GRANT, TokenGrant
from .lists import (
    LinksOfTarget,
    ListedLink,
    count_live_links,
    find_links,
    is_shared,
    link_of_owner,
    links_by_target,
    links_of_owner,
    listed_link,
    readings_by_link,
    readings_by_links,
    replace_document,
    shared_collections,
    shared_in_collections,
)
from .opening import Opening
from .placing import place_document
from .receiving import (
    NoRoom,
    Receipt,
    Room,
    add_received,
    collection_of,
    judge_body,
    metadata_of,
    receive,
    refused_to_stranger,
    require_password,
    room_for_steps,
    take_body_slot,
    take_slot_of_steps,
)
from .recipient import Recipient, WrongCode
from .requests import FileRequest, count_received, requests_of_owner
from .sending import MOST_NOTE_CHARACTERS, SentLink, named_people, send_link
from .sentences import sentence_of
from .state import LinkState
from .target import SealedByTarget, Target, table_of, target_of
