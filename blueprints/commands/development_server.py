"""`flask run`, which would serve without the limits, deadlines and background work of `app.py`."""

import click


def refuse_flask_run() -> None:
    """Raises a click exception if `flask run` is what creates the application."""
    context = click.get_current_context(silent=True)
    if context and context.info_name == "run":
        raise click.ClickException(
            "`flask run` lacks the server's limits and its background work. Start `python app.py`."
        )
