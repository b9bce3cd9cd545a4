"""Users, and what belongs to one: sessions, keys, invitations, webhooks."""

from .api_key import SCOPES, ApiKey
from .invitation import LIFE_DAYS, Invitation, register
from .session import Session, StartedSession
from .stored_response import KEPT_MS, StoredResponse
from .token_key import TokenKey
from .user import Account, User, require_strong_password
from .webhook import Webhook
from .webhook_url import Networks, WebhookUrl, may_reach
