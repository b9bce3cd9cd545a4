"""One who uses everything: uploads, reads, lists, shares, deletes, again and again."""

import json
import multiprocessing
import os
import random
import time
from collections.abc import Callable

from running import ACCOUNT, Server, document

KEPT = 40
LARGEST_BYTES = 5 << 20
PAUSE_SECONDS = 0.02
Told = tuple[float, str]  # how many seconds a call took, and what did not go well


def call_again(service: Server, seed: int, told: "multiprocessing.Queue[Told]", stop) -> None:
    """One caller, in a process of its own."""
    caller = Caller(service, seed)
    while not stop.is_set():
        act = caller.next()
        begun = time.perf_counter()
        try:
            good = act()
        except (OSError, AssertionError):
            good = False
        told.put((time.perf_counter() - begun, "" if good else act.__name__))
        time.sleep(PAUSE_SECONDS)
    told.cancel_join_thread()


class Caller:
    """Does one thing after the other; uploads as often as it deletes."""

    def __init__(self, service: Server, seed: int) -> None:
        self._service, self._random = service, random.Random(seed)
        self._kept: list[tuple[str, bytes]] = []
        self._noise = os.urandom(LARGEST_BYTES)
        reading = (self.listing, self.record, self.content, self.part, self.view, self.page)
        self._acts = [*reading * 4, *(self.upload, self.delete) * 4, self.link, self.link]
        self._acts += [self.log_in] if seed == 0 else []

    def next(self) -> Callable[[], bool]:
        if not self._kept:
            return self.upload
        act = self._random.choice(self._acts)
        return self.delete if act == self.upload and len(self._kept) >= KEPT else act

    def upload(self) -> bool:
        """Small ones are as likely as large ones ten times their size."""
        size = int(1024 * 5120 ** self._random.random())
        start = self._random.randrange(LARGEST_BYTES - size + 1)
        raw = self._noise[start : start + size]
        answer = self._service.call("POST", "/v1/documents", document(raw))
        if answer.status == 201:
            self._kept.append(("/v1/documents/" + answer.json["id"], raw))
        return answer.status == 201

    def delete(self) -> bool:
        path, _ = self._kept.pop(self._random.randrange(len(self._kept)))
        return self._service.call("DELETE", path).status == 204

    def listing(self) -> bool:
        return self._service.call("GET", "/v1/documents?limit=50").status == 200

    def record(self) -> bool:
        path, _ = self._random.choice(self._kept)
        return self._service.call("GET", path).status == 200

    def content(self) -> bool:
        path, raw = self._random.choice(self._kept)
        return self._service.call("GET", path + "/content").body == raw

    def part(self) -> bool:
        path, raw = self._random.choice(self._kept)
        start = self._random.randrange(len(raw))
        asked = self._service.headers | {"Range": f"bytes={start}-{start + 65_535}"}
        answer = self._service.call("GET", path + "/content", None, asked)
        return answer.status == 206 and answer.body == raw[start : start + 65_536]

    def view(self) -> bool:
        path, _ = self._random.choice(self._kept)
        return self._service.call("GET", path + "/view").status == 200

    def page(self) -> bool:
        path, _ = self._random.choice(self._kept)
        return self._service.call("GET", path + "/download").status == 200

    def link(self) -> bool:
        """Made, opened by somebody without an account, and taken back."""
        path, _ = self._random.choice(self._kept)
        made = self._service.call("POST", path + "/tokens", b"{}")
        holder = {"Authorization": "Bearer " + made.json["token"]}
        opened = self._service.call("GET", path + "/view", None, holder)
        revoked = self._service.call("DELETE", f"{path}/tokens/{made.json['id']}")
        return (made.status, opened.status, revoked.status) == (201, 200, 204)

    def log_in(self) -> bool:
        sent = {"Content-Type": "application/json"}
        body = json.dumps(ACCOUNT).encode()
        return self._service.call("POST", "/v1/auth/login", body, sent).status == 200
