"""Verifies an exported log of events: python3 verify_log.py LOG.jsonl [RECEIPTS]
RECEIPTS has lines of owner, sequence and hash. Exit code 1 names the first place that is wrong."""

import hashlib
import json
import re
import sys
from pathlib import Path


def link_hash(owner, number, previous, body):
    pieces = b"event/1", owner.encode(), b"%d" % number, previous, body.encode()
    encoded = b"".join(len(one).to_bytes(8, "little") + one for one in pieces)
    return hashlib.sha256(len(pieces).to_bytes(8, "little") + encoded).digest()


owner, last, hashes = None, 0, {0: bytes(32)}
with Path(sys.argv[1] if sys.argv[1:] else sys.exit(__doc__)).open(encoding="utf-8") as log:
    for line in log:
        try:
            link = json.loads(line)
            owner, number = owner or link["owner"], link["sequence"]
            if not last and "previous" in link:  # the older ones are no longer kept
                last, hashes = number - 1, {number - 1: bytes.fromhex(link["previous"])}
            if number != last + 1 or link["owner"] != owner:
                place = number if hashes.get(number, b"").hex() == link["hash"] else last + 1
                sys.exit(f"{owner} {place}: missing, or one too many")
            hashes[number] = link_hash(owner, number, hashes[last], link["body"])
            if hashes[number].hex() != link["hash"]:
                sys.exit(f"{owner} {number}: altered, or it does not follow the one before it")
        except (AttributeError, KeyError, TypeError, ValueError):
            sys.exit(f"{owner} {last + 1}: this line is no link")
        last = number
text = "".join(Path(name).read_text() for name in sys.argv[2:])
receipts = [line.split()[:3] for line in text.splitlines() if re.search(r"\b[0-9a-f]{64}\b", line)]
mine = [(int(number), hash) for whose, number, hash in receipts if owner in (whose, None)]
for number, hash in mine:
    if number > last or hashes.get(number, bytes.fromhex(hash)).hex() != hash:
        sys.exit(f"{owner} {min(number, last + 1)}: the receipt of {number} does not hold")
print(f"{owner}: {last - min(hashes)} events up to {last}, unbroken; {len(mine)} receipts hold")
