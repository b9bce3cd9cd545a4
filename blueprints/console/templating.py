"""What the templates of the pages may use besides their values."""

from typing import Any

from flask.blueprints import BlueprintSetupState
from markupsafe import Markup

import viewer
from models.records.ids import now, rfc3339

from .blueprint import asset
from .forms import form, form_key

State = tuple[str, str, int | None]  # a class of the stylesheet, words, a moment


def prepare_templates(state: BlueprintSetupState) -> None:
    environment = state.app.jinja_env
    environment.trim_blocks = environment.lstrip_blocks = True
    environment.globals.update(asset=asset, form=form, form_key=form_key)
    environment.filters.update(
        moment=rfc3339, size=viewer.format_size, visible=_visible, key_state=_key_state
    )


def _visible(text: str) -> Markup:
    """With what reorders or hides text made visible."""
    return Markup(viewer.escape(text))  # noqa: S704


def _key_state(key: Any) -> State:
    for word, at in (("revoked", key.revoked_at), ("ended", key.expires_at)):
        if at and at <= now():
            return "over", word, at
    if key.revoked_at:
        return "soon", "replaced, works until", key.revoked_at
    return "live", "works until" if key.expires_at else "works", key.expires_at
