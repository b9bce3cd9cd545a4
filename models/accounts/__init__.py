"""Users and spaces, with their members, sessions, keys, invitations and logins elsewhere."""

from .api_key import SCOPES, ApiKey, KeyOfSpace
from .identity import BY_OPERATOR, PROXY, Identity
from .invitation import (
    LIFE_DAYS,
    RESET_SECONDS,
    Invitation,
    address_of,
    count_reset,
    register,
    request_reset,
)
from .member import MANAGE, PERMISSIONS_OF_ROLES, ROLES, Member
from .pending_sign_in import LIFE_SECONDS, PendingSignIn, UsedSignIn
from .session import ProxyNamesAnother, Session, SessionHolder, StartedSession
from .sign_in import (
    AddressHasAccount,
    Assertion,
    NotLetIn,
    acting,
    let_in,
    remove_identity,
    unbind,
)
from .space import (
    MOST_MEMBERS,
    MOST_MEMBERSHIPS,
    ListedMember,
    MemberSpace,
    SessionOfSpace,
    WaitingSpace,
    add_member,
    appoint_manager,
    change_member,
    drop_member,
    enter_space,
    leave_out_member,
    make_space,
    members_of,
    page_of_members,
    page_of_spaces,
    page_of_waiting_spaces,
    remove_member,
    rename_space,
    space_of,
    spaces_of,
)
from .stored_response import RESPONSE_KEPT_MS, StoredResponse
from .token_key import TokenKey
from .user import (
    IMPORTING,
    OF_SPACE,
    SPACE_PREFIX,
    Account,
    Sender,
    User,
    fold_email,
    initials,
    refuse_if_passwords_off,
    require_strong_password,
    sender_of,
)
