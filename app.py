"""The whole house: what is built, from what, in which order."""

import os
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from flask import Flask

from blueprints import BLUEPRINTS
from blueprints.access_log import speak
from blueprints.body import SMALL_BODY_BYTES
from blueprints.commands import COMMANDS, commanded
from blueprints.errors import HouseApi, answer_fault, answer_refusal
from blueprints.hooks import hang_up
from blueprints.openapi import described
from blueprints.operations import VERSION
from blueprints.settings import WrongSetting, read_settings
from blueprints.strict import body_bytes
from blueprints.wire import Server, share_heaps
from crypto import Keyring
from models import connected, house
from models.background import Background
from models.base import catch_up, shorten_log
from models.claim import claim
from models.errors import Refusal
from models.quota import Quota
from models.refusals import sentence_of
from models.sweeper import sweep
from models.upload import drop_unfinished
from webhooks import Courier, Guard

HOME = Path(__file__).resolve().parent
KEYRING_SOURCES = ("KEYRING", "KEYRING_FILE", "KEYRING_COMMAND")
TAKEOVER_SECONDS = 5  # an old process ends; two that stay are a mistake


def create_app(config: Mapping[str, Any] | None = None) -> Flask:
    """The service as a WSGI application. `config` takes the settings' names without prefix."""
    os.umask(0o077)
    config = config or {}
    settings = read_settings(os.environ, config, HOME)
    app = Flask("docservice", static_folder=None, root_path=str(HOME))
    app.config.update({**config, **settings})
    app.config["MAX_BODY_BYTES"] = body_bytes(settings["MAX_DOCUMENT_BYTES"])
    app.config["MAX_FORM_MEMORY_SIZE"] = SMALL_BODY_BYTES
    app.config["PROVIDE_AUTOMATIC_OPTIONS"] = False
    app.config.update(API_TITLE="Document Service", API_VERSION=VERSION, OPENAPI_VERSION="3.1.0")
    app.url_map.merge_slashes = False
    app.json.sort_keys = app.json.ensure_ascii = False  # type: ignore[attr-defined]
    app.extensions["open_house"] = partial(_open_house, settings)
    app.extensions["use_keyring"] = partial(_use_keyring, settings)
    if not commanded():
        _open_house(settings)
    hang_up(app)
    app.register_error_handler(Refusal, answer_refusal)
    app.register_error_handler(Exception, answer_fault)
    _register(app)
    return app


def _open_house(settings: Mapping[str, Any], database: str | None = None) -> None:
    house.open_database(database or settings["DATABASE"])
    _use_keyring(settings)


def _use_keyring(settings: Mapping[str, Any]) -> None:
    house.use(
        _keyring(settings),
        rate_limits=settings["RATE_LIMITS"] == "on",
        reserve_bytes=settings["RESERVE_BYTES"],
        quota=Quota(settings["QUOTA_BYTES"], settings["QUOTA_DOCUMENTS"]),
        event_days=settings["EVENT_DAYS"],
        webhook_allow=settings["WEBHOOK_ALLOW"] or (),
    )


def _keyring(settings: Mapping[str, Any]) -> Keyring:
    given = [name for name in KEYRING_SOURCES if settings[name]]
    if len(given) > 1:
        raise WrongSetting(f"{' and '.join(given)} name two keyrings. Set one of them.")
    if settings["KEYRING_COMMAND"]:
        return Keyring.from_command(settings["KEYRING_COMMAND"])
    if settings["KEYRING"]:
        return Keyring(text=settings["KEYRING"])
    if settings["KEYRING_FILE"]:
        return Keyring(Path(settings["KEYRING_FILE"]))
    return house.open_keyring(Path(settings["INSTANCE_PATH"]) / "keyring")


def _register(app: Flask) -> None:
    api = HouseApi(app)
    for blueprint in BLUEPRINTS:
        api.register_blueprint(blueprint)
    for command in COMMANDS:
        app.cli.add_command(command)
    known: list[dict[str, Any]] = []

    def description() -> dict[str, Any]:
        if not known:
            known.append(described(app, api))
        return known[0]

    app.extensions["description"] = description


def main() -> None:
    """Run the service until it is told to stop."""
    share_heaps()
    app, server = _prepared()
    speak(app.config["LOG"])
    with connected():
        drop_unfinished()
    guard = Guard(app.config["WEBHOOK_ALLOW"] or ())
    beside = (
        Background(sweep, 60),
        Background(shorten_log, 0.2),
        Background(catch_up, 0.05),
        Courier(guard),
    )
    print(  # noqa: T201
        f"Document Service {VERSION} listens on {app.config['LISTEN']}; its data lies in "
        f"{app.config['INSTANCE_PATH']}. Back up the keyring apart from the database.",
        file=sys.stderr,
        flush=True,
    )
    server.run()
    for work in beside:
        work.stop()
    catch_up()
    house.close_all()


def _prepared() -> tuple[Flask, Server]:
    """Everything that can go wrong at a start, told in one sentence."""
    try:
        claim(read_settings(os.environ, {}, HOME)["DATABASE"], TAKEOVER_SECONDS)
        app = create_app()
        return app, Server(app, app.config)
    except Exception as error:
        sentence = str(error) if isinstance(error, WrongSetting) else sentence_of(error)
        if sentence is None:
            raise
        sys.exit(f"Document Service does not start. {sentence}")


if __name__ == "__main__":
    main()
