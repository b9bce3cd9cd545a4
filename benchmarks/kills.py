"""Kills a service that is writing, again and again, and verifies its log each time.

python benchmarks/kills.py TIMES
"""

import http.client
import random
import sys
import tempfile
import time
from pathlib import Path
from threading import Thread

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.service import Service

WRITERS = 4
LONGEST_SECONDS = 1.5  # of writing before the process is killed


def main(times):
    with tempfile.TemporaryDirectory() as folder:
        service = Service(Path(folder), RATE_LIMITS="off")
        person, alarms = service.register(), 0
        for _ in range(times):
            alarms += is_alarmed_by_a_kill(service, person)
            service.start()
        events = sum(1 for _ in events_of(person))
        service.close()
    print(f"{times} kills while {WRITERS} wrote, {events:,} events, {alarms} false alarms")


def is_alarmed_by_a_kill(service, person):
    writers = [Thread(target=write, args=[person]) for _ in range(WRITERS)]
    for writer in writers:
        writer.start()
    time.sleep(random.uniform(0.1, LONGEST_SECONDS))
    service.kill()
    for writer in writers:
        writer.join()
    verification = service.start_command("audit", "verify")
    output, _ = verification.communicate()
    if verification.returncode:
        print(output)
    return bool(verification.returncode)


def write(person):
    try:
        while True:
            person.upload(token={"maxViews": 1})
    except (OSError, http.client.HTTPException):
        return


def events_of(person):
    path = "/v1/events?limit=100"
    while True:
        page = person.get(path).json
        yield from page["events"]
        if not page["nextCursor"]:
            return
        path = f"/v1/events?limit=100&after={page['nextCursor']}"


if __name__ == "__main__":
    main(int(sys.argv[1]))
