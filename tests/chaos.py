"""Clients of several processes that serve one database, while these are killed at any moment.

A client sends each request to any of the processes, and repeats what was not answered. What was
answered is compared in the end with what the processes answer then, and with the database.
"""

import http.client
import json
import random
import secrets
import threading
import time
from collections import Counter
from functools import partial

from tests.contract.webhooks import create_webhook
from tests.formats import b64
from tests.people import Person
from tests.waiting import join_threads, run_in_threads, start_threads, until

JSON = ("Content-Type", "application/json")
SIZES = (200, 200, 3_000, 400_000, 3_000_000)  # of documents, in bytes
UPLOADERS = 3
TRIES, PAUSE_SECONDS = 400, 0.05  # of a request that has to be answered in the end
AGAIN = {None, 409, 429, 503}  # None: the process was killed
KILL_SECONDS = 0.2, 1.2  # between the end of one and the next
SETTLE_SECONDS = 90  # longer than the claim of a killed process


class Chaos:
    """`nodes` are services with the setting QUOTA_DOCUMENTS, `receiver` gets their deliveries."""

    def __init__(self, nodes, receiver, seed):
        self.nodes, self.receiver = nodes, receiver
        self.seed, self.quota = seed, int(nodes[0].settings["QUOTA_DOCUMENTS"])
        self.stopped, self.kills, self.answers, self.faults = threading.Event(), 0, Counter(), []
        self.kept, self.deleted = {}, set()  # id of a document -> its owner and its content
        self.uploaders = [self._user(number) for number in range(UPLOADERS)]
        self.sharer, self.filler = self._user("sharer"), nodes[0].register()
        self.feeds = {one.record["id"]: [] for one in (*self.uploaders, self.sharer)}
        self.expected = None  # the number of events of each user

    def _user(self, name):
        person = self.nodes[0].register()
        create_webhook(person, self.receiver.url(f"/{name}"), events=["document.created"])
        return person

    def run(self, seconds):
        """Let clients work and processes die for so long, then verify; returns what happened.

        `faults` tells what should not have happened.
        """
        clients = [partial(self._upload, owner) for owner in self.uploaders]
        clients += [self._share, self._share, self._fill, self._fill, self._kill]
        pollers = start_threads(
            *(partial(self._poll, one) for one in (*self.uploaders, self.sharer))
        )
        working = start_threads(*(partial(self._work, *one) for one in enumerate(clients)))
        self.stopped.wait(seconds)
        self.stopped.set()
        join_threads(working)
        self._verify(pollers)
        delivered = {one.headers["webhook-id"] for one in self.receiver.requests}
        return {
            "kills": self.kills,
            "documents acknowledged": len(self.kept) + len(self.deleted),
            "events": sum(map(len, self.feeds.values())),
            "deliveries": len(delivered),
            "of these repeated": len(self.receiver.requests) - len(delivered),
            "answers": dict(self.answers.most_common()),
            "faults": dict(Counter(self.faults)),
        }

    def _work(self, number, client):
        draw = random.Random(f"{self.seed} {number}")
        try:
            while not self.stopped.is_set():
                client(draw)
        except BaseException:
            self.faults.append("a client failed")
            self.stopped.set()
            raise

    # What the clients do

    def _upload(self, owner, draw):
        """With a key, and at times to two processes at once; beyond the quota one is deleted."""
        content, key = draw.randbytes(draw.choice(SIZES)), secrets.token_hex(8)
        body = {"payload": b64(content), "contentType": "a/b", "token": None}
        send = partial(self._send, draw, owner, "POST", "/v1/documents", body, key)
        if draw.random() < 0.3:
            run_in_threads(send, send)
        answer = self._answered(send)
        if answer.status == 201:
            self.kept[answer.json["id"]] = owner, content
        elif "quota" in answer.text:
            self._delete_one_of(owner, draw)
        else:
            self.faults.append(f"an upload was refused: {answer}")

    def _delete_one_of(self, owner, draw):
        id = draw.choice([id for id, (other, _) in list(self.kept.items()) if other is owner])
        del self.kept[id]
        self._answered(partial(self._send, draw, owner, "DELETE", f"/v1/documents/{id}"))
        self.deleted.add(id)

    def _share(self, draw):
        """A link with few views that more open at once, and one that is revoked."""
        views = draw.randint(1, 3)
        body = {"payload": b64(b"few"), "contentType": "text/plain", "token": {"maxViews": views}}
        document = self._created(draw, "/v1/documents", body)
        if document is None:
            return
        path = f"/v1/documents/{document['id']}"
        opened = []
        look = partial(self._look, draw, path, document["token"], opened)
        run_in_threads(*[look] * (views + 3))
        while 410 not in opened:
            look()
        if opened.count(200) > views:
            self.faults.append("a link was opened too often")
        if opened.count(200) + opened.count(None) < views:
            self.faults.append("a link was opened too rarely")
        link = self._created(draw, f"{path}/tokens", {})
        if link is not None:
            revoke = partial(self._send, draw, self.sharer, "DELETE", f"{path}/tokens/{link['id']}")
            self._answered(revoke)
            self._look(draw, path, link, opened := [])
            if opened == [200]:
                self.faults.append("a revoked link was opened")
        self._answered(partial(self._send, draw, self.sharer, "DELETE", path))

    def _created(self, draw, path, body):
        """What was created, or None: without an answer nobody knows."""
        answer = self._send(draw, self.sharer, "POST", path, body)
        return answer.json if answer is not None and answer.status == 201 else None

    def _look(self, draw, path, token, opened):
        answer = self._send(draw, None, "POST", f"{path}/view?token={token['token']}")
        opened.append(answer and answer.status)

    def _fill(self, draw):
        """As many documents as the quota allows."""
        body = {"payload": "", "contentType": "a/b", "token": None}
        answer = self._send(draw, self.filler, "POST", "/v1/documents", body)
        if answer is not None and answer.status != 201:
            self.stopped.wait(PAUSE_SECONDS)

    def _poll(self, owner):
        """Until all events are seen that there are when the clients have ended."""
        draw, id = random.Random(f"{self.seed} {owner.secret}"), owner.record["id"]
        seen = self.feeds[id]
        while self.expected is None or len(seen) < self.expected[id]:
            is_last = self.expected is not None
            after = f"&after={seen[-1]['id']}" if seen else ""
            answer = self._send(draw, owner, "GET", f"/v1/events?limit=50{after}")
            if answer is not None and answer.status == 200:
                seen.extend(answer.json["events"])
                if is_last and not answer.json["events"]:
                    return

    def _kill(self, draw):
        self.stopped.wait(draw.uniform(*KILL_SECONDS))
        killed = draw.sample(self.nodes, draw.choice([1, 1, 2]))
        for node in killed:
            node.kill()
        self.kills += len(killed)
        run_in_threads(*(node.start for node in killed))

    def _send(self, draw, person, method, path, body=None, key=None):
        """The answer of any process; None if it was killed."""
        headers = [*(person.credential.items() if person else ())]
        headers += [("Idempotency-Key", key)] if key else []
        headers += [JSON] if body is not None else []
        data = None if body is None else json.dumps(body).encode()
        try:
            answer = Person(draw.choice(self.nodes)).exchange(method, path, headers, data)
        except (OSError, http.client.HTTPException):
            answer = None
        self.answers[answer and answer.status] += 1
        if answer is not None and answer.status >= 500 and answer.status != 503:
            self.faults.append(f"{method}: {answer}")
        return answer

    def _answered(self, send):
        for _ in range(TRIES):
            answer = send()
            if answer is None or answer.status in AGAIN:
                time.sleep(PAUSE_SECONDS)
            else:
                return answer
        raise AssertionError(f"{TRIES} times the answer was {answer}")

    # What has to be true in the end

    def _verify(self, pollers):
        sql = self.nodes[0].sql
        pending = "SELECT count(*) FROM delivery WHERE due_at IS NOT NULL"
        until(lambda: sql(pending) == [(0,)], SETTLE_SECONDS)
        self.expected = dict(sql("SELECT owner_id, max(sequence) FROM event GROUP BY owner_id"))
        join_threads(pollers)
        self._verify_events()
        self._verify_documents(sql)
        self._verify_quotas(sql)
        orphans = "SELECT count(*) FROM piece WHERE document_id NOT IN (SELECT id FROM document)"
        self._note("orphaned pieces", sql(orphans)[0][0])

    def _verify_events(self):
        delivered = {one.headers["webhook-id"] for one in self.receiver.requests}
        for owner_id, events in self.feeds.items():
            seen = [event["sequence"] for event in events]
            missed = set(range(1, self.expected[owner_id] + 1)) - set(seen)
            self._note("events missed", len(missed))
            self._note("events out of order", seen != sorted(set(seen)))
            created = {one["id"] for one in events if one["type"] == "document.created"}
            self._note("events not delivered", len(created - delivered))
        self._note("deliveries to a webhook at once", self.receiver.overlaps)

    def _verify_documents(self, sql):
        """Of those who upload with keys, each document is one that was acknowledged."""
        draw = random.Random(self.seed)
        stored = {id: owner_id for id, owner_id in sql("SELECT id, owner_id FROM document")}
        uploaders = {one.record["id"] for one in self.uploaders}
        mine = {id for id, owner_id in stored.items() if owner_id in uploaders}
        self._note("documents lost", len(self.kept.keys() - mine))
        self._note("documents that were never acknowledged", len(mine - self.kept.keys()))
        self._note("documents deleted and still there", len(self.deleted & mine))
        for id, (owner, content) in self.kept.items():
            path = f"/v1/documents/{id}/content"
            answer = self._answered(partial(self._send, draw, owner, "GET", path))
            self._note("documents with other bytes", answer.body != content)
        events = [(one["type"], one["data"]["documentId"]) for one in sum(self.feeds.values(), [])]
        created = {id for type, id in events if type == "document.created"}
        gone = {id for type, id in events if type == "document.deleted"}
        sharing = {id for id, owner_id in stored.items() if owner_id == self.sharer.record["id"]}
        self._note("events and documents that differ", len((created - gone) ^ (mine | sharing)))

    def _verify_quotas(self, sql):
        draw, id = random.Random(self.seed), self.filler.record["id"]
        body = {"payload": "", "contentType": "a/b", "token": None}
        fill = partial(self._send, draw, self.filler, "POST", "/v1/documents", body)
        until(lambda: self._answered(fill).status != 201, SETTLE_SECONDS)
        counts = dict(sql("SELECT owner_id, count(*) FROM document GROUP BY owner_id"))
        self._note("quotas exceeded", sum(count > self.quota for count in counts.values()))
        self._note("quotas not used", counts[id] < self.quota)

    def _note(self, fault, count):
        self.faults += [fault] * int(count)
