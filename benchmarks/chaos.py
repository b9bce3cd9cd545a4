"""Kills four processes that serve one PostgreSQL database, and verifies that nothing is lost and
that the log is unbroken.

python benchmarks/chaos.py SECONDS [SEED ...]
"""

import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from crypto import Keyring
from tests import postgres
from tests.chaos import Chaos
from tests.receiver import Receiver
from tests.service import Service

NODES = 4


def main(seconds, *seeds):
    failed = False
    for seed in seeds or ("1",):
        result = chaos(seconds, seed)
        print(seed, json.dumps(result, indent=1))
        failed |= bool(result["faults"])
    return failed


def chaos(seconds, seed):
    server = postgres.server()
    with tempfile.TemporaryDirectory() as folder, Receiver(answer_seconds=0.02) as receiver:
        keyring = Path(folder, "keyring")
        Keyring.create(keyring)
        common = {"DATABASE": server.new_database(), "KEYRING_FILE": keyring, "RATE_LIMITS": "off"}
        common |= {"QUOTA_DOCUMENTS": 25, "WEBHOOK_ALLOW": "127.0.0.0/8", "THREADS": 8}
        nodes = []
        for number in range(NODES):
            (home := Path(folder, str(number))).mkdir()
            nodes.append(Service(home, **common))

        def crash():
            server.stop("immediate")
            server.start()

        try:
            result = Chaos(nodes, receiver, seed, crash).run(seconds)
            return result | {"log": nodes[0].run_command("audit", "verify").strip()}
        finally:
            for node in nodes:
                node.close()


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), *sys.argv[2:]))
