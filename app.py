"""Application factory and process entry point."""

import gc

if __name__ == "__main__":
    gc.disable()  # until `main` has started: hardly anything that an import makes is garbage

import logging
import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from flask import Blueprint, Flask

from blueprints import BLUEPRINTS
from blueprints.commands import OperatorCommands, refuse_flask_run, system_notes
from blueprints.console import CONSOLE
from blueprints.hooks import admit_long_body, register_hooks
from blueprints.http.access_log import (
    begin_logging,
    configure_logging,
    line_of,
    log_early_end,
    log_rejected_request,
)
from blueprints.http.blueprint import max_body_bytes
from blueprints.http.body import SMALL_BODY_BYTES
from blueprints.http.problems import (
    ProblemApi,
    handle_exception,
    handle_lost_right,
    handle_service_error,
    log_failed_response,
)
from blueprints.http.responding import Application
from blueprints.http.routing import MatchedRule, stepped_requests
from blueprints.http.serving import needs_no_worker
from blueprints.http.tus import version_fields
from blueprints.schemas.openapi import description_of
from blueprints.status import VERSION
from environment import with_file_of_settings
from models import Event, connected, setup
from models.background import PeriodicTask, delete_accounts, drop_payloads, end_links, sweep
from models.core import OperatorError, ServiceError, counted, tell, use_for_waits
from models.documents import delete_unfinished_uploads
from models.events import SmtpClient
from models.records import Owner
from models.runtime import (
    FORGET_SECONDS,
    KEPT_SECONDS,
    SEEN_SECONDS,
    Runtime,
    create_runtime,
    forget_node,
    network_of,
    operator_message,
    report_node,
)
from models.setup import check_payload_store, refuse_copied
from models.storage import RightLost, engine, is_server, sync_for_responses
from models.storage.instance_lock import acquire_instance_lock
from models.storage.sqlite_files import delete_rest_of_restore
from server import (
    Limits,
    Server,
    TrustedProxy,
    limit_malloc_arenas,
    protect_process_memory,
)
from settings import PREFIX, Settings, WrongSetting, read_settings, unknown_names, without_password
from viewer import EXTENSIONS_OF_KINDS, warm_up
from webhooks import Dispatcher, DispatcherLimits, SafeHttpClient

HOME = Path(__file__).resolve().parent
TAKEOVER_SECONDS = 5  # for a former process to end
ANSWER_SECONDS = 10  # for a statement, of a database server that answers
_LISTEN_TAKES = (
    "It takes an address of this machine with a port that nothing else uses, or unix:/path in a "
    "folder that exists."
)


def create_app(config: Mapping[str, Any] | None = None) -> Flask:
    """Return the WSGI application. `config` takes the settings' names without prefix.

    `app.extensions["runtime"]` is its `Runtime`, which the first request opens unless something
    has before. Its `close` ends the application; `running_app` calls that by itself.
    Raises `WrongSetting`, and `OperatorError` while another application is open.
    """
    refuse_flask_run()
    config = config or {}
    settings = read_settings(with_file_of_settings(os.environ), config, HOME)
    app = app_with_routes(console=settings.console == "on")
    app.config.update(config)
    app.config["MAX_BODY_BYTES"] = max_body_bytes(settings.max_document_bytes)
    app.extensions["runtime"] = create_runtime(settings)
    return app


def app_with_routes(*, console: bool) -> Flask:
    """Return the application before its settings, which only choose whether it has the console."""
    app = Application(
        "docservice",
        static_folder=None,
        root_path=str(HOME),
        instance_path=str(HOME / "instance"),  # unused; Flask would look from the current folder
    )
    app.config["MAX_FORM_MEMORY_SIZE"] = SMALL_BODY_BYTES
    app.config["PROVIDE_AUTOMATIC_OPTIONS"] = False
    app.config.update(API_TITLE="Document Service", API_VERSION=VERSION, OPENAPI_VERSION="3.1.0")
    app.url_rule_class = MatchedRule
    app.url_map.merge_slashes = False
    app.jinja_env.globals.update(counted=counted, extensions_of_kinds=EXTENSIONS_OF_KINDS)
    register_hooks(app)
    app.register_error_handler(ServiceError, handle_service_error)
    app.register_error_handler(RightLost, handle_lost_right)
    app.register_error_handler(Exception, handle_exception)
    _register(app, CONSOLE if console else ())
    return app


@contextmanager
def running_app(config: Mapping[str, Any] | None = None) -> Iterator[Flask]:
    """Return the application of `create_app` with its database open, for a `with` block.

    The end of the block closes it: the database, and what runs beside the requests. Nothing else
    serves it or runs beside it: no server, no sweeper, no dispatcher. Raises as `create_app`, and
    `OperatorError` or `KeyringError` if the database or the keyring cannot be opened.
    """
    app = create_app(config)
    runtime: Runtime = app.extensions["runtime"]
    try:
        setup.open_runtime()
        yield app
    finally:
        runtime.close()


def _register(app: Flask, pages: tuple[Blueprint, ...]) -> None:
    api = ProblemApi(app)
    for blueprint in BLUEPRINTS:
        app.register_blueprint(blueprint)
    for page in pages:
        app.register_blueprint(page)
    app.cli = OperatorCommands()
    app.extensions["description"] = description_of(app, api, BLUEPRINTS)


def main(when_ready: Callable[[str], None] | None = None) -> None:
    """Serve until SIGTERM or SIGINT. `when_ready` gets the address before the first request."""
    os.umask(0o077)
    protect_process_memory()
    limit_malloc_arenas()
    app, server = _prepared()
    runtime: Runtime = app.extensions["runtime"]
    configure_logging(runtime.settings.log)
    use_for_waits(server.let_others_in)
    start_background_work(runtime)
    gc.freeze()  # imported objects: to go through them at each full collection takes 57 ms
    gc.enable()
    database = runtime.settings.database
    folder = runtime.settings.instance_path
    tell(
        f"Document Service {VERSION} listens on {server.listens_on}; its data lies in "
        f"{without_password(database) if is_server(database) else folder}. "
        "Back up the keyring apart from the database."
    )
    notes = [
        *system_notes(os.geteuid(), runtime.settings.converter),
        *runtime.settings.notes(),
        *unknown_names(with_file_of_settings(os.environ)),
    ]
    for note in notes:
        logging.getLogger("docservice").warning(note)
    threading.Thread(target=warm_up, daemon=True).start()
    if when_ready:
        when_ready(server.listens_on)
    server.run()
    runtime.close()


def start_background_work(runtime: Runtime) -> None:
    """Delete the rest of a killed process, then start the work beside the requests."""
    record_merged = Event.record_merged_readings
    mailer = SmtpClient.configured()
    engine().limit_answers(ANSWER_SECONDS)
    task = partial(PeriodicTask, count_failed=runtime.failures.count_failed)
    client = SafeHttpClient(runtime.settings.webhook_allow or ())
    limits = DispatcherLimits()
    if engine().is_shared or mailer:
        limits = DispatcherLimits(poll_seconds=1)  # others, and commands, queue something, too
    if engine().is_shared:
        node = task(report_node, SEEN_SECONDS, at_start=forget_node, at_end=forget_node)
        runtime.run_in_background(node)
    else:
        with connected():
            delete_unfinished_uploads()
    runtime.run_in_background(
        task(sweep, 60),
        task(runtime.opened_rows.forget_old, FORGET_SECONDS),
        task(Owner.forget_keys, KEPT_SECONDS),
        task(drop_payloads, 1),
        task(end_links, 1),
        task(delete_accounts, 1),
        task(engine().checkpoint_wal, 0.2),
        task(Event.record_readings, 0.05),
        task(record_merged, 1, at_end=partial(record_merged, all=True)),
        Dispatcher(client, limits, mailer),
    )


def _prepared() -> tuple[Flask, Server]:
    """Return the application with its database open, and the server, or exit with a sentence."""
    form = _form_of_log()
    begin_logging(form)
    try:
        app = create_app()
        settings: Settings = app.extensions["runtime"].settings
        with _naming(*_database_of(settings)):
            if not is_server(settings.database):
                acquire_instance_lock(settings.database, TAKEOVER_SECONDS)
                refuse_copied(settings.database)
                delete_rest_of_restore(Path(settings.database))
            setup.open_runtime()
        with _naming(f"{PREFIX}PAYLOADS"):
            check_payload_store()
        with _naming(f"{PREFIX}LISTEN is {settings.listen}", _LISTEN_TAKES):
            server = Server(
                app,
                Limits(app.config["MAX_BODY_BYTES"]),
                listen=settings.listen,
                threads=settings.threads,
                proxy=_proxy_of(settings),
                on_rejected=log_rejected_request,
                admit_long_body=admit_long_body,
                is_stepped=stepped_requests(app),
                needs_no_worker=needs_no_worker,
                on_failure=log_failed_response,
                on_early_end=log_early_end,
                fields_of_refusal=version_fields,
                network_of=network_of,
                sync=sync_for_responses,
            )
        return app, server
    except Exception as error:
        sentence = str(error) if isinstance(error, WrongSetting) else operator_message(error)
        if sentence is None:
            raise
        sys.exit(line_of(form, f"Document Service does not start. {sentence}", "critical"))


def _form_of_log() -> str:
    """Return the setting LOG, also where another setting is refused."""
    try:
        environment = with_file_of_settings(os.environ)
    except WrongSetting:
        environment = os.environ
    return environment.get(f"{PREFIX}LOG", "text")


def _proxy_of(settings: Settings) -> TrustedProxy | None:
    """Return the proxies whose headers count, and what of them."""
    proxies = settings.trusted_proxy
    if proxies is None:
        return None
    return TrustedProxy(
        proxies.given,
        all_clients=proxies.all,
        public_url=settings.base_url,
        forwards_host=settings.forwarded_host == "on",
        identity_header=settings.auth_header,
    )


@contextmanager
def _naming(setting: str, takes: str = "") -> Iterator[None]:
    """Begin the sentence of an error in the block with the setting that it is about.

    The valid values, `takes`, follow where the operating system refuses the given one. A sentence
    that begins with another setting, as those about the keyring, stays.
    """
    try:
        yield
    except Exception as error:
        sentence = operator_message(error)
        if sentence is None or sentence.startswith(PREFIX):
            raise
        if takes and isinstance(error, OSError):
            sentence += f" {takes}"
        raise OperatorError(f"{setting}: {sentence}") from error


def _database_of(settings: Settings) -> tuple[str, str]:
    """Return the settings that name the database, with its address; and their valid values."""
    if is_server(settings.database):
        return f"{PREFIX}DATABASE is {without_password(settings.database)}", ""
    names = f"{PREFIX}INSTANCE_PATH and {PREFIX}DATABASE name {settings.database}"
    return names, "They take a file in a folder that the service may write to."


if __name__ == "__main__":
    main()
