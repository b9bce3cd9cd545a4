"""What the service leaves out when it starts, so that it answers within half a second of CPU."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from app import create_app
from tests.service import ROOT

SELDOM_NEEDED = {"pycparser", "cffi", "psycopg"}


def test_the_description_is_made_once_though_several_ask_for_it_first(tmp_path):
    app = create_app({"INSTANCE_PATH": str(tmp_path)})
    with app.test_client() as client:
        client.get("/healthz")  # opens the runtime
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: app.extensions["description"](), range(4)))
    assert all(one is found[0] for one in found)
    assert "/v1/documents" in found[0]["paths"]
    app.extensions["runtime"].close()


def test_what_is_slow_to_import_and_seldom_needed_is_imported_after_the_start_if_at_all():
    program = f"import app, sys; print(*{SELDOM_NEEDED} & sys.modules.keys())"
    program += "; import cffi; print(cffi.FFI().new('int *')[0])"
    command = [sys.executable, "-c", program]
    assert subprocess.check_output(command, cwd=ROOT, text=True) == "\n0\n"
