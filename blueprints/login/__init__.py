"""Logins in a browser: the cookie of a session, the proxy that names somebody, spaces, forms.

Only the pages for people read a cookie; no route of the API does.
"""

from .caller import (
    NAMED,
    LeftSpace,
    begin_session,
    caller_in_head,
    caller_of_page,
    end_own_sessions,
    let_in_named,
)
from .cookies import CookieName, clear_cookie, clear_space_cookie, set_cookie, set_space_cookie
from .forms import MADE_FOR, OwnerChanged, is_own_origin
from .proxy import assertion_of_proxy
