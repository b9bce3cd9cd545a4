"""What every row can do: ids, insertion, sealing with a key of its own, belonging to a user."""

from .authenticated import Authenticated, log_altered, shown
from .cached import cached_property
from .credential import OWNER_TABLE, Credential, OwnerAuthority, Presented
from .issued import Issued, RowWith
from .keyed import OwnsDataKey
from .owned import Owned, ResultPage, has_passed, require_future
from .table import Table
