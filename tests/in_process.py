"""The application in the process of a test, without a server, and a caller by API key."""

from contextlib import closing, contextmanager

from app import create_app
from tests.people import PASSWORD

LOGIN = {"email": "alice@example.org", "password": PASSWORD}


@contextmanager
def application(folder):
    """The application, which is closed at the end, and the headers of a caller by API key."""
    app = create_app({"INSTANCE_PATH": str(folder), "RATE_LIMITS": "off"})
    with closing(app.extensions["runtime"]):
        client = app.test_client()
        client.post("/v1/auth/register", json=LOGIN)
        token = client.post("/v1/auth/login", json=LOGIN).json["accessToken"]
        by_session = {"Authorization": f"Bearer {token}"}
        key = client.post("/v1/api-keys", json={}, headers=by_session).json["key"]
        yield app, {"X-API-Key": key}
