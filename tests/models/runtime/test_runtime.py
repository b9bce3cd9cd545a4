"""One application a process: its state has one owner, from `create_app` to `close`."""

import pytest

from app import create_app
from models import current_runtime
from models.core import OperatorError
from tests.people import PASSWORD

LOGIN = {"email": "alice@example.org", "password": PASSWORD}


@pytest.fixture
def create(tmp_path):
    """Create an application over a folder of its own."""
    created = []

    def create(name):
        created.append(create_app({"INSTANCE_PATH": str(tmp_path / name), "TESTING": True}))
        return created[-1]

    yield create
    for app in created:
        app.extensions["runtime"].close()


def test_a_second_application_is_refused_and_the_first_keeps_its_database(create, tmp_path):
    client = create("first").test_client()
    assert client.post("/v1/auth/register", json=LOGIN).status_code == 201
    with pytest.raises(OperatorError, match="first"):
        create("second")
    assert client.post("/v1/auth/login", json=LOGIN).status_code == 200
    assert not (tmp_path / "second").exists()


def test_after_close_another_application_may_follow(create):
    first = create("first")
    first.test_client().get("/readyz")
    first.extensions["runtime"].close()
    client = create("second").test_client()
    assert client.post("/v1/auth/login", json=LOGIN).status_code == 401


def test_creating_an_application_touches_no_file(create, tmp_path):
    create("quiet")
    assert list(tmp_path.iterdir()) == []


def test_close_stops_the_background_work_and_leaves_no_runtime(create):
    class Work:
        stopped = False

        def stop(self):
            self.stopped = True

    runtime, work = create("first").extensions["runtime"], Work()
    runtime.run_in_background(work)
    runtime.close()

    assert work.stopped
    with pytest.raises(RuntimeError, match="create_app"):
        current_runtime()
