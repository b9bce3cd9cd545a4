"""What small calls cost, counted, so that the load of the machine does not matter."""

import sys

import pytest

from models.storage import connected, database
from tests import counts


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("small")


@pytest.fixture(scope="module")
def service(folder):
    with counts.application(folder) as service:
        yield service


def test_an_upload_of_4_kib_writes_at_most_150_kib_to_the_write_ahead_log(service, folder):
    assert counts.logged_bytes(*service, folder) <= 150 << 10


def test_the_events_of_an_upload_read_and_move_the_head_of_their_chain_once(service):
    counts.upload(*service, 1)
    statements = []
    with connected(), database.on_writer():
        writer = database.connection()
    writer.set_trace_callback(statements.append)
    counts.upload(*service, 1)
    writer.set_trace_callback(None)

    events = [one for one in statements if one.startswith('INSERT INTO "event"')]
    heads = [one.split()[0] for one in statements if '"event_head"' in one]
    assert (len(events), heads) == (2, ["SELECT", "UPDATE"])


@pytest.mark.skipif(sys.gettrace() is not None, reason="another tracer runs in this process")
@pytest.mark.parametrize(("limit", "most"), [(1, 1.2), (50, 0.7)])
def test_a_list_executes_about_what_the_same_libraries_do(service, limit, most):
    own, plain = counts.of_list(*service, limit)
    assert own <= most * plain


@pytest.mark.skipif(sys.gettrace() is not None, reason="another tracer runs in this process")
@pytest.mark.parametrize("kib", [4, 64])
def test_an_upload_executes_at_most_two_and_a_half_times_what_the_same_libraries_do(service, kib):
    own, plain = counts.of_upload(*service, kib)
    assert own <= 2.5 * plain
