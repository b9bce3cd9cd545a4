"""What the service leaves out when it starts, so that it answers within half a second of CPU."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from app import create_app

SELDOM_NEEDED = {"pycparser", "cffi", "segno"}


def output_of(program):
    command = [sys.executable, "-c", program]
    return subprocess.check_output(command, cwd=Path(__file__).parent.parent, text=True)


def test_what_is_slow_to_import_and_seldom_needed_is_not_imported_at_the_start():
    found = output_of(f"import app, sys; print(*{SELDOM_NEEDED} & sys.modules.keys())")
    assert found == "\n"


def test_cffi_can_be_imported_after_the_start():
    assert output_of("import app, cffi; print(cffi.FFI().new('int *')[0])") == "0\n"


def test_the_description_is_made_once_though_several_ask_for_it_first(tmp_path):
    app = create_app({"INSTANCE_PATH": str(tmp_path)})
    with app.test_client() as client:
        client.get("/healthz")  # opens the runtime
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: app.extensions["description"](), range(4)))
    assert all(one is found[0] for one in found)
    assert "/v1/documents" in found[0]["paths"]
    app.extensions["runtime"].close()
