"""Where the server listens."""

import socket
import stat

import pytest

from server.workers import listen

from .conftest import answer, ask


def close(listeners):
    for one in listeners:
        one.close()


def test_every_address_of_a_host_gets_the_same_free_port():
    listeners = listen("*:0")
    ports = {one.getsockname()[1] for one in listeners}
    close(listeners)

    assert len(ports) == 1
    assert 0 not in ports


@pytest.mark.parametrize("where", ["127.0.0.1:0", "localhost:0", "*:0"])
def test_the_server_listens_at_each_address_of_a_host(where):
    listeners = listen(where)
    names = [one.getsockname()[0] for one in listeners]
    close(listeners)
    assert set(names) & {"127.0.0.1", "0.0.0.0"}
    assert len(names) == len(set(names))


@pytest.mark.skipif(not socket.has_ipv6, reason="needs IPv6")
def test_an_ipv6_address_is_in_brackets():
    try:
        listeners = listen("[::1]:0")
    except OSError:
        pytest.skip("this machine has no IPv6 address")
    assert [one.getsockname()[0] for one in listeners] == ["::1"]
    close(listeners)


def test_an_address_in_use_or_unknown_is_an_error():
    [listener] = listen("127.0.0.1:0")
    taken = f"127.0.0.1:{listener.getsockname()[1]}"
    for where, error in (taken, "in use"), ("no-such-host.invalid:80", "not known|resolution"):
        with pytest.raises(OSError, match=error):
            listen(where)
    listener.close()


def test_a_unix_socket_is_the_owners_alone_and_replaces_that_of_a_killed_process(build, tmp_path):
    path = tmp_path / "service.socket"
    close(listen(f"unix:{path}"))
    assert path.exists()

    build(options={"listen": f"unix:{path}"})

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(path))
        connection.sendall(ask("/host"))
        assert answer(connection)[2] == b"a"


def test_a_file_that_is_no_socket_is_not_replaced(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("kept")
    with pytest.raises(OSError, match="in use"):
        listen(f"unix:{path}")
    assert path.read_text() == "kept"
