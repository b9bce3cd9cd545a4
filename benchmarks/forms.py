"""The same uploads as `multipart/form-data` and as base64 in JSON, in turn, to one service each."""

import os
import statistics
import tempfile

from figures import MIB, goal, machine, median_ms, row, table
from running import Server, document, ours

BOUNDARY = "------------------------d74496d66958873e"  # as long as curl's
ROUNDS = 20
MOST = 0.9  # of the time in base64, for 10 MiB


def form(raw: bytes) -> bytes:
    """The body of an upload as curl makes it."""
    head = (
        f"--{BOUNDARY}\r\n"
        'Content-Disposition: form-data; name="file"; filename="a.bin"\r\n'
        "Content-Type: application/octet-stream\r\n\r\n"
    )
    return head.encode() + raw + f"\r\n--{BOUNDARY}--\r\n".encode()


def upload(server: Server, body: bytes, content_type: str) -> float:
    """Seconds. What was stored is deleted."""
    headers = server.headers | {"Content-Type": content_type}
    answer = server.call("POST", "/v1/documents", body, headers)
    assert answer.status == 201, answer.body[:500]
    server.delete("/v1/documents/" + answer.json["id"])
    return answer.seconds


def compare(as_form: Server, as_base64: Server, size_mib: float) -> None:
    raw = os.urandom(int(size_mib * MIB))
    sent = {
        "form": (as_form, form(raw), f"multipart/form-data; boundary={BOUNDARY}"),
        "base64": (as_base64, document(raw), "application/json"),
    }
    seconds: dict[str, list[float]] = {name: [] for name in sent}
    for _ in range(ROUNDS):
        for name, request in sent.items():
            seconds[name].append(upload(*request))
    ratio = statistics.median(seconds["form"]) / statistics.median(seconds["base64"])
    limit = goal(ratio, MOST if size_mib == 10 else None)
    row(f"{size_mib:g} MiB, ms", *(median_ms(seconds[name]) for name in sent), ratio, limit)


def main() -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        ours(folder) as as_form,
        ours(folder) as as_base64,
    ):
        table("upload", "form", "base64", "form / base64", "goal")
        for size_mib in (1 / 16, 1, 10, 50):
            compare(as_form, as_base64, size_mib)
        peaks = [server.memory_mib() for server in (as_form, as_base64)]
        row("peak memory, MiB", *peaks, peaks[0] / peaks[1], goal(peaks[0] / peaks[1], 1.05))
    print(machine())


if __name__ == "__main__":
    main()
