"""Pages for people, below `/app`: plain Flask, which calls the models directly.

There is one file for each noun. To add a page:

1. Add a route to the noun's `Pages` (`routes.py`). It takes the session's cookie unless
   `accepts=` names other credentials. Its docstring is its row in docs/console.md.
2. For a GET, return `render("name", …)`: `templates/console/name.html`, which extends
   `layout.html` and takes its fields from `fields.html`.
3. For a POST, load the form through the API's own request schema, call the model and return
   `go(path, "done")`. `shows=` names the function of the GET: if a schema or a model refuses
   the form, that function shows it again, with each error at its field, which has the name
   that the API gives it.
4. To make a secret, return a page instead: `render("…", …=once(lambda: …))`, so that a reload
   or a second click shows the same secret and makes no other.

The session's cookie and the guard against other sites' requests are in `blueprints/login/`; every
handler that takes the cookie has them.
"""

from .account import account, sessions
from .activity import activity
from .assets import assets
from .collections import collections
from .documents import bin, document, documents, share_target
from .errors import errors_as_pages
from .jump import jump
from .links import links
from .programs import keys, webhooks
from .requests import requests
from .sign_in import sign_in
from .spaces import spaces
from .uploads import uploads
from .words import prepare_templates

assets.after_app_request(errors_as_pages)
assets.record_once(prepare_templates)

CONSOLE = (
    assets,
    sessions,
    sign_in,
    spaces,
    documents,
    document,
    bin,
    share_target,
    uploads,
    collections,
    requests,
    links,
    keys,
    webhooks,
    activity,
    account,
    jump,
)
