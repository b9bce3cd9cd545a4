"""Events in chains that can be verified, and their delivery by webhooks and mail."""

from .attempt import Outcome, delivery_queued, failure_of, release_lane, release_lanes
from .chain import ChainEntry, EventHead, entries_of, last_entry
from .delivery import WebhookDelivery
from .event import Event, Facts, acting, camel_case, current_actor, facts_about, has_mail
from .event_types import (
    EVENT_TYPES,
    NOTICES,
    REFUSALS,
    SERVICE_TYPES,
    VISITED,
    EventType,
    Icon,
    Variant,
    event_type,
)
from .mail import NO_MAIL, Composer, Mail, compose, is_mail_address, name_in_mail
from .mail_limit import MAIL_KINDS, MailLimit, payers_of
from .notices import MOST_LINES, compose_notice, email_of, line_of
from .retention import (
    forget_all_events,
    forget_many_events,
    forget_old_events,
    kept_since,
    oldest_kept_at,
)
from .smtp import SmtpClient
from .webhook import Webhook
from .webhook_url import Networks, WebhookUrl, may_reach, sends_notices
