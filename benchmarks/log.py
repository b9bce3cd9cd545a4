"""A benchmark of recording an event, and of verifying a log of many events.

python benchmarks/log.py EVENTS
"""

import resource
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from models import Event, User, connected, setup, transaction
from models.runtime import create_runtime
from operations import verify_log
from settings import Settings

BATCH = 10_000


def main(count):
    with tempfile.TemporaryDirectory() as folder:
        database = str(Path(folder) / "documents.sqlite")
        runtime = create_runtime(Settings(instance_path=Path(folder), database=database))
        setup.open_runtime()
        with connected():
            user = User.register("a@example.org", "correct horse battery", None, "open")
            began = time.perf_counter()
            for _ in range(0, count, BATCH):
                with transaction():
                    for number in range(BATCH):
                        Event.record(user.id, "webhook.test", {"number": number})
            seconds = time.perf_counter() - began
            print(f"{count:,} events: {seconds / count * 1e6:.0f} µs each")
            before_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            began, cpu = time.perf_counter(), time.process_time()
            result = verify_log()
            seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
            peak_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        runtime.close()
    print(f"verified {result.events:,} in {seconds:.1f} s ({cpu:.1f} s of CPU)")
    print(f"peak memory {peak_kib / 1024:.0f} MiB, {before_kib / 1024:.0f} MiB before")


if __name__ == "__main__":
    main(int(sys.argv[1]))
