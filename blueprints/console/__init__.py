"""The pages for people, below `/app`: plain Flask, which calls the models directly.

One noun a file. A page is made so:

1. A route of the noun's `Pages` (`pages.py`). It takes the session's cookie; `accepts=` says
   otherwise. Its docstring is its row in docs/console.md.
2. A GET returns `render("name", …)`: `templates/console/name.html`, which extends `layout.html` and
   takes its fields from `fields.html`.
3. A POST loads what was typed through the API's own request schema, calls the model and returns
   `go(path, "done")`. `shows=` names the GET's function: it shows the form again, with what a
   schema or a model refuses at its field, by the name that the API gives it.
4. What makes a secret returns a page instead: `render("…", …=once(lambda: …))`, so that a reload
   or a second click shows the same and makes nothing more.

The session's cookie and the guard against other sites' requests are in
`http/authentication.py`; every handler that takes the cookie has them.
"""

from .account import account, sessions
from .activity import activity
from .collections import collections
from .documents import bin, document, documents, share_target
from .links import links
from .pages import assets
from .programs import keys, webhooks

CONSOLE = (
    assets,
    sessions,
    documents,
    document,
    bin,
    share_target,
    collections,
    links,
    keys,
    webhooks,
    activity,
    account,
)
