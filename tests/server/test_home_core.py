"""With several requests at once, workers share one core; long work and other threads use all."""

import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from crypto.password_queue import PasswordQueue
from server.home_core import bind_to_home_core
from tests.server.conftest import answer, ask
from tests.waiting import until
from viewer.sandbox.child import on_all_cores

CORES = getattr(os, "sched_getaffinity", lambda _: set())(0)
pytestmark = pytest.mark.skipif(len(CORES) < 2, reason="needs Linux and two cores")


def cores_of(server, sent):
    """On how many cores the worker may run that gets the request."""
    with server.connected(sent) as connection:
        return int(answer(connection)[2])


@pytest.fixture
def bound():
    """Runs a function in a thread that is bound to one core."""
    with ThreadPoolExecutor(1, initializer=bind_to_home_core, initargs=(True,)) as pool:
        yield lambda work: pool.submit(work).result()


@pytest.fixture
def crowded(build):
    """A server that serves a request which does not end, and others beside it."""
    with build(threads=3).held() as server:
        yield server


def test_workers_share_one_core_while_several_serve_requests(crowded):
    assert cores_of(crowded, ask("/cores")) == 1


def test_a_worker_that_serves_alone_uses_all_cores(crowded):
    assert cores_of(crowded, ask("/cores")) == 1
    crowded.application.released.set()

    for _ in range(8):
        until(lambda: crowded.server._workers._serving == 0)
        assert cores_of(crowded, ask("/cores")) == len(CORES)


def test_a_worker_with_a_long_body_uses_all_cores_and_is_bound_again_after_it(crowded):
    size = 1 << 20
    long = ask("/cores", "POST", f"Content-Length: {size}", "X-API-Key: a") + bytes(size)

    assert cores_of(crowded, ask("/cores")) == 1
    assert cores_of(crowded, long) == len(CORES)
    assert cores_of(crowded, ask("/cores")) == 1


def test_a_thread_is_bound_to_the_same_core_as_others_and_free_again(bound):
    assert bound(lambda: os.sched_getaffinity(0)) < CORES
    bound(lambda: bind_to_home_core(False))
    assert bound(lambda: os.sched_getaffinity(0)) == CORES


def test_a_process_that_a_bound_thread_starts_may_use_all_cores(bound):
    def work():
        with on_all_cores():
            inside = os.sched_getaffinity(0)
        return inside, os.sched_getaffinity(0)

    inside, after = bound(work)
    assert inside == CORES
    assert len(after) == 1


def test_passwords_are_hashed_on_all_cores_though_a_bound_thread_asks_first(bound):
    queue = PasswordQueue("test", threads=1, places=1, share=1)

    assert bound(lambda: queue.run("caller", lambda: os.sched_getaffinity(0))) == CORES
