"""The parts that all services of the tests share: made once, before the services are forked.

Imported by the process that forks them: besides the code it then has an application with all its
routes, compiled templates, and a fork server of the viewer, which all the services share but
`ServiceWithViewer`.
"""

import gc

import passlib.hash  # noqa: F401  as pyseto: each service would import it with its first login
import pyseto  # noqa: F401

import app
import viewer

_with_routes = app.app_with_routes
_with_console = _with_routes(console=True)


def _prepared_app(*, console):
    """The application that is made already, of which each process has a copy of its own."""
    return _with_console if console else _with_routes(console=False)


def _compile_templates():
    for name in _with_console.jinja_loader.list_templates():
        if name.endswith((".html", ".css", ".js")):
            _with_console.jinja_env.get_template(name)


_compile_templates()
viewer.warm_up()
app.app_with_routes = _prepared_app
gc.freeze()  # a service that collects garbage would copy all that was made
