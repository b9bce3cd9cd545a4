"""The first byte and the memory of requests of an account with many documents.

    python benchmarks/large_account.py 30000

Fills an instance in a temporary folder, or in the folder that `--instance` names and keeps. Then
the paths of all handlers that read are asked for, the lists in their orders and with their filters,
and the whole account is exported, in this process. The table has the status, the seconds to the
first byte and to the last one, the CPU seconds of all, bytes, and by how much the process has grown
at most. A path of what the account has not is answered with a redirect or an error; the lists and
the export have to be answered with 200. Ends with status 1 if a first byte takes longer than a
second, or if a request takes more memory than 32 MiB.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from app import create_app  # noqa: E402
from models import User, connected  # noqa: E402
from models.links import LinkOptions  # noqa: E402
from tests.uploads import upload  # noqa: E402
from tests.walks.paths_that_read import paths_that_read  # noqa: E402

LOGIN = {"email": "bench@example.com", "password": "correct horse battery"}
FORM = {"Sec-Fetch-Site": "same-origin"}
LINKED = 10  # one document of so many has a link
MOST_SECONDS = 1.0
MOST_MIB = 32.0
EXPORT = "/app/account/export"
LISTS = (
    "/v1/documents?contentType=text/x-none",
    "/v1/documents?createdBefore=2000-01-01T00:00:00Z",
    "/v1/documents?createdAfter=2999-01-01T00:00:00Z",
    "/v1/documents?name=report",
    "/v1/tokens?state=ended",
    "/v1/events?type=document.downloaded",
    "/app/documents?page=400",
    "/app/documents?sort=oldest",
    "/app/documents?sort=largest&page=400",
    "/app/documents?sort=name",
    "/app/documents?name=report",
    "/app/documents?type=PDF",
    "/app/documents?type=Texts",
    "/app/documents?is=shared",
    "/app/documents?is=received",
    "/app/documents?when=2026-03",
    "/app/links?name=report",
    "/app/links?state=ended",
    "/app/activity?type=document.downloaded",
    "/app/jump?q=report",
)


def fill(documents: int) -> None:
    with connected():
        user = User.find_by_email(LOGIN["email"])
        for number in range(documents):
            link = LinkOptions() if number % LINKED == 0 else None
            upload(user, b"%0100d" % number, name=f"Report {number:06}.txt", link=link)


def peak_mib() -> float:
    """Return the largest size of the process since `forget_peak`."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def forget_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5")


def measured(client: Any, method: str, path: str, headers: dict[str, str]) -> tuple[float, float]:
    """Print a row of a request, and return the seconds to its first byte, and the MiB it took."""
    forget_peak()
    before, began, cpu = peak_mib(), time.perf_counter(), time.process_time()
    with client.open(path, method=method, headers=headers, buffered=False) as answer:
        status = answer.status_code
        assert status == 200 or path not in (*LISTS, EXPORT), (path, status)
        pieces = answer.iter_encoded()
        size = len(next(pieces, b""))
        first = time.perf_counter() - began
        size += sum(map(len, pieces))
    seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
    grown = peak_mib() - before
    figures = f"{first:7.2f} {seconds:7.2f} {cpu:7.2f} {size:12,} {grown:6.1f}"
    print(f"{method} {path:56} {status} {figures}")
    return first, grown


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("documents", type=int)
    parser.add_argument("--instance", type=Path)
    options = parser.parse_args()
    folder = options.instance or Path(tempfile.mkdtemp())
    app = create_app({"INSTANCE_PATH": str(folder), "RATE_LIMITS": "off"})
    client = app.test_client()
    if client.post("/v1/auth/register", json=LOGIN).status_code == 201:
        fill(options.documents)
    token = client.post("/v1/auth/login", json=LOGIN).json["accessToken"]
    client.post("/app/login", data=LOGIN, headers=FORM)
    by_session = {"Authorization": f"Bearer {token}"}
    print(f"{'':65} {'first s':>7} {'last s':>7} {'CPU s':>7} {'bytes':>12} {'MiB':>6}")
    with connected():
        paths = paths_that_read(app, User.find_by_email(LOGIN["email"]))
    rows = [
        measured(client, "GET", path, {} if path.startswith("/app") else by_session)
        for path in (*sorted(paths), *LISTS)
    ]
    rows.append(measured(client, "POST", EXPORT, FORM))
    app.extensions["runtime"].close()
    return int(any(first > MOST_SECONDS or grown > MOST_MIB for first, grown in rows))


if __name__ == "__main__":
    sys.exit(main())
