"""A caller that uses everything: uploads, reads, lists, shares, deletes, over and over."""

import json
import multiprocessing
import os
import random
import time
from collections.abc import Callable
from multiprocessing.synchronize import Event

from running import ACCOUNT, Answer, Server, document

KEPT = 40
LARGEST_BYTES = 5 << 20
PAUSE_SECONDS = 0.02
Result = tuple[float, str]  # seconds, and the error or an empty string


def call_again(
    service: Server, seed: int, results: "multiprocessing.Queue[Result]", stop: Event
) -> None:
    """Run one caller until `stop` is set."""
    caller = Caller(service, seed)
    while not stop.is_set():
        act, fault = caller.next(), ""
        start = time.perf_counter()
        try:
            act()
        except (OSError, AssertionError) as error:
            fault = f"{act.__name__}: {error or type(error).__name__}"
        results.put((time.perf_counter() - start, fault))
        time.sleep(PAUSE_SECONDS)
    results.cancel_join_thread()


class Caller:
    """Uploads until it has `KEPT` documents; from then on it uploads as often as it deletes."""

    def __init__(self, service: Server, seed: int) -> None:
        self._service, self._random = service, random.Random(seed)
        self._kept: list[tuple[str, bytes]] = []
        self._noise = os.urandom(LARGEST_BYTES)
        self._filled = False
        reading = [self.listing, self.record, self.content, self.part, self.view, self.page]
        self._acts = [*reading * 4, *[self.exchange] * 8, self.link, self.link]
        self._acts += [self.log_in] if seed == 0 else []

    def next(self) -> Callable[[], None]:
        self._filled = self._filled or len(self._kept) == KEPT
        return self._random.choice(self._acts) if self._filled else self.upload

    def upload(self) -> None:
        """Upload; sizes are distributed logarithmically from 1 KiB."""
        size = int(1024 * (LARGEST_BYTES / 1024) ** self._random.random())
        start = self._random.randrange(LARGEST_BYTES - size + 1)
        raw = self._noise[start : start + size]
        made = self._ask(201, "POST", "/v1/documents", document(raw)).json
        self._kept.append(("/v1/documents/" + made["id"], raw))

    def exchange(self) -> None:
        if len(self._kept) < KEPT:
            self.upload()
        else:
            path, _ = self._kept.pop(self._random.randrange(KEPT))
            self._ask(204, "DELETE", path)

    def listing(self) -> None:
        self._ask(200, "GET", "/v1/documents?limit=50")

    def record(self) -> None:
        self._ask(200, "GET", self._one()[0])

    def content(self) -> None:
        path, raw = self._one()
        assert self._ask(200, "GET", path + "/content").body == raw, "other bytes"

    def part(self) -> None:
        path, raw = self._one()
        start = self._random.randrange(len(raw))
        sent = self._service.headers | {"Range": f"bytes={start}-{start + 65_535}"}
        body = self._ask(206, "GET", path + "/content", None, sent).body
        assert body == raw[start : start + 65_536], "other bytes"

    def view(self) -> None:
        self._ask(200, "GET", self._one()[0] + "/view")

    def page(self) -> None:
        self._ask(200, "GET", self._one()[0] + "/download")

    def link(self) -> None:
        """Create a link, open it without an account, and revoke it."""
        path, _ = self._one()
        made = self._ask(201, "POST", path + "/tokens", b"{}").json
        holder = {"Authorization": "Bearer " + made["token"]}
        self._ask(200, "GET", path + "/view", None, holder)
        self._ask(204, "DELETE", f"{path}/tokens/{made['id']}")

    def log_in(self) -> None:
        sent = {"Content-Type": "application/json"}
        self._ask(200, "POST", "/v1/auth/login", json.dumps(ACCOUNT).encode(), sent)

    def _one(self) -> tuple[str, bytes]:
        return self._random.choice(self._kept)

    def _ask(
        self,
        status: int,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: dict[str, str] | None = None,
    ) -> Answer:
        answer = self._service.call(method, path, body, headers)
        assert answer.status == status, f"{answer.status} {answer.body[:80]!r}"
        return answer
