"""The whole house: what is built, from what, in which order."""

import os
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from flask import Flask

from blueprints import BLUEPRINTS
from blueprints.commands import COMMANDS, commanded
from blueprints.hooks import register_hooks
from blueprints.http.access_log import configure_logging, log_rejected_request
from blueprints.http.blueprint import max_body_bytes
from blueprints.http.problems import ProblemApi, handle_exception, handle_service_error
from blueprints.http.upload_body import SMALL_BODY_BYTES
from blueprints.schemas.openapi import described
from blueprints.status import VERSION
from crypto import Keyring
from models import connected, setup
from models.error_mapping import operator_message
from models.errors import ServiceError
from models.operations import PeriodicTask, sweep
from models.quota import Quota
from models.storage.database import checkpoint_wal, flush_enqueued_writes
from models.storage.instance_lock import acquire_instance_lock
from models.upload import delete_unfinished_uploads
from server import Limits, Server, limit_malloc_arenas
from settings import WrongSetting, read_settings
from webhooks import SafeHttpClient, WebhookDispatcher

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
    app.config["MAX_BODY_BYTES"] = max_body_bytes(settings["MAX_DOCUMENT_BYTES"])
    app.config["MAX_FORM_MEMORY_SIZE"] = SMALL_BODY_BYTES
    app.config["PROVIDE_AUTOMATIC_OPTIONS"] = False
    app.config.update(API_TITLE="Document Service", API_VERSION=VERSION, OPENAPI_VERSION="3.1.0")
    app.url_map.merge_slashes = False
    app.json.sort_keys = app.json.ensure_ascii = False  # type: ignore[attr-defined]
    app.extensions["open_house"] = partial(_open_house, settings)
    app.extensions["use_keyring"] = partial(_use_keyring, settings)
    if not commanded():
        _open_house(settings)
    register_hooks(app)
    app.register_error_handler(ServiceError, handle_service_error)
    app.register_error_handler(Exception, handle_exception)
    _register(app)
    return app


def _open_house(settings: Mapping[str, Any], database: str | None = None) -> None:
    setup.open_database(database or settings["DATABASE"])
    _use_keyring(settings)


def _use_keyring(settings: Mapping[str, Any]) -> None:
    setup.use(
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
    return setup.open_keyring(Path(settings["INSTANCE_PATH"]) / "keyring")


def _register(app: Flask) -> None:
    api = ProblemApi(app)
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
    limit_malloc_arenas()
    app, server = _prepared()
    configure_logging(app.config["LOG"])
    with connected():
        delete_unfinished_uploads()
    guard = SafeHttpClient(app.config["WEBHOOK_ALLOW"] or ())
    beside = (
        PeriodicTask(sweep, 60),
        PeriodicTask(checkpoint_wal, 0.2),
        PeriodicTask(flush_enqueued_writes, 0.05),
        WebhookDispatcher(guard),
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
    flush_enqueued_writes()
    setup.close_all()


def _prepared() -> tuple[Flask, Server]:
    """Everything that can go wrong at a start, told in one sentence."""
    try:
        acquire_instance_lock(read_settings(os.environ, {}, HOME)["DATABASE"], TAKEOVER_SECONDS)
        app = create_app()
        server = Server(
            app,
            Limits(app.config["MAX_BODY_BYTES"]),
            listen=app.config["LISTEN"],
            threads=app.config["THREADS"],
            trusted_proxy=app.config["TRUSTED_PROXY"],
            on_rejected=log_rejected_request,
        )
        return app, server
    except Exception as error:
        sentence = str(error) if isinstance(error, WrongSetting) else operator_message(error)
        if sentence is None:
            raise
        sys.exit(f"Document Service does not start. {sentence}")


if __name__ == "__main__":
    main()
