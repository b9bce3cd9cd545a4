"""Users, with their sessions, keys and invitations."""

from .api_key import SCOPES, ApiKey
from .invitation import (
    LIFE_DAYS,
    RESET_SECONDS,
    Invitation,
    address_of,
    count_reset,
    register,
    request_reset,
)
from .session import Session, StartedSession
from .stored_response import RESPONSE_KEPT_MS, StoredResponse
from .token_key import TokenKey
from .user import Account, User, require_strong_password
