"""The state of the process: settings, keys, and the limits and queues that requests share."""

from .deadlines import DeadlineStream, resolved, seconds_left
from .error_mapping import log_damage, log_failure, operator_message, service_error_of
from .long_bodies import Admission, LongBody
from .node import (
    SEEN_SECONDS,
    check_nodes,
    forget_node,
    node_name,
    nodes_that_use,
    other_nodes,
    report_node,
)
from .opened_rows import FORGET_SECONDS, KEPT_SECONDS
from .previews import BeingMadeError, Progress
from .provider import AnswerRefusedError, Provider, ProviderAway
from .quota import refuse_if_full
from .rate_limiter import forget_idle_limits, network_of
from .state import Runtime, create_runtime, current_runtime
from .steps import errors_of, independent_steps
from .unrecorded import Counted, CountedEvent, Use
from .upload_digests import Digest
