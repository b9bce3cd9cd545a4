"""How the CPU time of commands and requests grows, when the rows of one kind are doubled.

    python benchmarks/doubling.py 500

An instance gets so many rows of each kind. For each kind, a copy of it gets as many again. The
table has the CPU time beside the doubled one: 1.0 is flat, 2.0 linear, and 4.0 quadratic. Commands
and requests run in this process, so that no start is in their time; each figure is the least of
some repetitions. Ends with status 1 if a ratio is above `--most`.
"""

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from app import create_app  # noqa: E402
from models import (  # noqa: E402
    ApiKey,
    Collection,
    DocumentToken,
    Event,
    EventHead,
    Session,
    User,
    Webhook,
    connected,
    setup,
    transaction,
)
from models.accounts import Member, make_space  # noqa: E402
from models.background import sweep  # noqa: E402
from models.events.mail import Mail  # noqa: E402
from models.links import LinkOptions  # noqa: E402
from operations import (  # noqa: E402
    DoctorContext,
    check_contents,
    check_keys,
    checkpoint,
    export_accounts,
    list_root_keys,
    rotate_root_keys,
    run_checks,
    verify_log,
)
from tests.uploads import upload  # noqa: E402

LOGIN = {"email": "bench@example.com", "password": "correct horse battery"}
FORM = {"Sec-Fetch-Site": "same-origin"}
PASSPHRASE = "a passphrase of the benchmark"
ABSENT = "a name that no document has"
LEAST_SECONDS = 0.01  # below it, a difference is noise
QUOTAS = ("LINKS", "API_KEYS", "SESSIONS", "WEBHOOKS", "DELIVERIES", "EVENTS", "COLLECTIONS")
COMMANDS: dict[str, Callable[[], object]] = {
    "audit verify": verify_log,
    "audit checkpoint": checkpoint,
    "keys check": check_keys,
    "keys check --deep": check_contents,
    "keys list": list_root_keys,
    "users list": User.all_newest_first,
    "sweep": sweep,
}
REQUESTS = (
    "/metrics",
    "/v1/documents",
    f"/v1/documents?name={ABSENT}",
    "/v1/documents?contentType=text/x-none",
    "/v1/documents?createdAfter=2999-01-01T00:00:00Z",
    "/v1/documents?createdBefore=2000-01-01T00:00:00Z",
    "/v1/tokens",
    "/v1/tokens?state=ended",
    "/v1/events",
    "/v1/events?type=webhook.disabled",
    "/v1/collections",
    "/v1/api-keys",
    "/v1/auth/sessions",
    "/v1/webhooks",
    "/v1/webhooks/{webhook}/deliveries",
    "/v1/spaces",
    "/v1/spaces/{space}/members",
    "/app/documents",
    "/app/documents?sort=name",
    "/app/documents?sort=largest",
    "/app/documents?type=PDF",
    "/app/documents?is=shared",
    "/app/documents?when=2026-03",
    "/app/bin",
    "/app/links",
    f"/app/links?name={ABSENT}",
    "/app/collections",
    "/app/activity",
    "/app/activity?type=webhook.disabled",
    "/app/account",
    "/app/keys",
    "/app/webhooks",
    "/app/webhooks/{webhook}",
    "/app/spaces/{space}",
    f"/app/jump?q={ABSENT}",
)


class Instance:
    """An application over the database of a folder, and somebody who is logged in."""

    def __init__(self, folder: Path, rows: int) -> None:
        self.folder = folder
        self.rows = rows
        quotas = {f"QUOTA_{name}": 1_000_000 for name in QUOTAS}
        mail = {
            "SMTP_URL": "smtps://127.0.0.1:1?from=bench@example.com",
            "BASE_URL": "http://localhost",
        }
        limits = {"RATE_LIMITS": "off", "CONVERTER": "off"}
        config = {"INSTANCE_PATH": str(folder), "METRICS": "on", **limits, **quotas, **mail}
        self.app = create_app(config)
        self.client = self.app.test_client()

    def log_in(self) -> None:
        self.client.post("/v1/auth/register", json=LOGIN)
        token = self.client.post("/v1/auth/login", json=LOGIN).json["accessToken"]
        self.client.post("/app/login", data=LOGIN, headers=FORM)
        self.by_session = {"Authorization": f"Bearer {token}"}
        with connected():
            self.user = User.named(LOGIN["email"])
            self.ids = {
                "webhook": next(iter(_ids(Webhook, self.user.id)), ""),
                "space": next(iter(_ids_of_spaces(self.user.id)), ""),
            }

    def close(self) -> None:
        self.app.extensions["runtime"].close()

    def fill(self, kind: str) -> None:
        """Store so many rows of a kind."""
        with connected():
            KINDS[kind](self)

    def figures(self) -> dict[str, float]:
        """Return the seconds of CPU time of each command and request."""
        seconds = {}
        for address in REQUESTS:
            path = address.format(**self.ids)
            seconds[address] = _least(lambda path=path: self._get(path), 5)
        with connected():
            for name, command in COMMANDS.items():
                seconds[name] = _least(command, 2)
            seconds["export"] = _least(self._export, 1)
            seconds["keys rotate"] = _least(rotate_root_keys, 1)
        seconds["doctor"] = _least(self._doctor, 2)
        return seconds

    def _export(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            export_accounts(Path(folder, "export"), PASSPHRASE)

    def _doctor(self) -> None:
        context = DoctorContext(self.folder / "documents.sqlite", self.folder / "keyring")
        assert list(run_checks(context))
        setup.open_runtime()  # which the doctor has closed

    def _get(self, path: str) -> None:
        headers = self.by_session if path.startswith("/v1") else FORM
        answer = self.client.get(path, headers=headers)
        assert answer.status_code == 200, (path, answer.status_code, answer.text[:300])


def _ids(table: Any, owner_id: str) -> list[str]:
    return [row.id for row in table.select(table.id).where(table.owner_id == owner_id)]


def _ids_of_spaces(user_id: str) -> list[str]:
    return [one.owner_id for one in Member.select().where(Member.user_id == user_id)]


def _documents(of: Instance) -> None:
    for number in range(of.rows):
        upload(of.user, name=f"minutes {number:06}.txt")


def _links(of: Instance) -> None:
    document = upload(of.user, name="linked.txt")
    options = LinkOptions(None, "view")
    for number in range(of.rows):
        if number % 100 == 0:
            document = upload(of.user, name=f"linked {number}.txt")
        DocumentToken.issue(document, options, with_upload=True)


def _events(of: Instance) -> None:
    with transaction():
        for number in range(of.rows):
            Event.record(of.user.id, "webhook.test", {"number": number}, to=None)


def _deliveries(of: Instance) -> None:
    with transaction():
        for number in range(of.rows):
            Event.record(of.user.id, "token.sent", {"number": number}, to=of.ids["webhook"])


def _webhooks(of: Instance) -> None:
    for number in range(of.rows // 10):
        Webhook.register(of.user.id, f"https://hook.example/{number}", ("webhook.disabled",))


def _collections(of: Instance) -> None:
    for number in range(of.rows):
        Collection.make(of.user.id, f"collection {number}")


def _accounts(of: Instance) -> None:
    with transaction():
        for number in range(of.rows):
            EventHead.begin(User.insert_space(f"space {number}", "").id)


def _members(of: Instance) -> None:
    with transaction():
        for number in range(of.rows):
            user = User.insert_space(f"member {number}", "")
            EventHead.begin(user.id)
            Member.fresh(owner_id=of.ids["space"], user_id=user.id, role="read").store()


def _sessions(of: Instance) -> None:
    for _ in range(of.rows):
        Session.begin(of.user, 3600)


def _keys(of: Instance) -> None:
    for _ in range(of.rows):
        ApiKey.issue(of.user, None, "documents:read", None)


def _mails(of: Instance) -> None:
    with transaction():
        for _ in range(of.rows):
            Mail.enqueue_request(of.user.id, "reset", LOGIN["email"])


KINDS: dict[str, Callable[[Instance], None]] = {
    "documents": _documents,
    "links": _links,
    "events": _events,
    "webhooks": _webhooks,
    "deliveries": _deliveries,
    "collections": _collections,
    "accounts": _accounts,
    "members": _members,
    "sessions": _sessions,
    "keys": _keys,
    "mails": _mails,
}


def _least(do: Callable[[], None], times: int) -> float:
    """Return the least CPU time of some repetitions, in seconds."""
    found = []
    for _ in range(times):
        began = time.process_time()
        do()
        found.append(time.process_time() - began)
    return min(found)


@contextmanager
def opened(folder: Path, rows: int) -> Iterator[Instance]:
    instance = Instance(folder, rows)
    try:
        instance.log_in()
        yield instance
    finally:
        instance.close()


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    reader.add_argument("rows", type=int, help="rows of each kind, at most 500")
    reader.add_argument("--kinds", default=",".join(KINDS), help="that are doubled")
    reader.add_argument("--most", type=float, default=2.3, help="ratio that is no fault")
    asked = reader.parse_args()
    kinds = asked.kinds.split(",")
    with tempfile.TemporaryDirectory() as temporary:
        first = Path(temporary, "first")
        with opened(first, asked.rows) as instance, connected():
            Webhook.register(instance.user.id, "https://hook.example/", ("webhook.disabled",))
            make_space(instance.user, "The space")
        with opened(first, asked.rows) as instance:
            for kind in KINDS:
                instance.fill(kind)
        columns = {}
        for kind in ("", *kinds):
            folder = Path(temporary, kind or "as it is")
            shutil.copytree(first, folder)
            with opened(folder, asked.rows) as instance:
                if kind:
                    instance.fill(kind)
                columns[kind] = instance.figures()
            shutil.rmtree(folder)
    _print(columns, kinds, asked.rows)
    above = [
        f"{name} by {kind}"
        for kind in kinds
        for name in columns[""]
        if _ratio(columns, kind, name) > asked.most
    ]
    if above:
        sys.exit("More than twice: " + ", ".join(above))


def _print(columns: dict[str, dict[str, float]], kinds: list[str], rows: int) -> None:
    print(f"| {rows:,} rows of each kind | CPU, ms | {' | '.join(kinds)} |")
    print("|---|--:|" + "--:|" * len(kinds))
    for name, seconds in columns[""].items():
        ratios = " | ".join(f"{_ratio(columns, kind, name):.1f}" for kind in kinds)
        print(f"| `{name}` | {seconds * 1000:.0f} | {ratios} |")


def _ratio(columns: dict[str, dict[str, float]], kind: str, name: str) -> float:
    before = columns[""][name]
    after = columns[kind][name]
    return max(after, LEAST_SECONDS) / max(before, LEAST_SECONDS)


if __name__ == "__main__":
    main()
