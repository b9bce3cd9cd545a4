"""Two processes that serve one PostgreSQL database, as behind a load balancer."""

from itertools import cycle, repeat

from crypto import Keyring
from tests import postgres
from tests.service import Service


class Pair(Service):
    """A service whose requests go to one process and the other in turn."""

    def __init__(self, folder, **settings):
        Keyring.create(folder / "keyring")
        common = {"DATABASE": postgres.server().new_database(), "KEYRING_FILE": folder / "keyring"}
        super().__init__(folder, **common, **settings)
        (folder / "other").mkdir()
        self.other = Service(folder / "other", **self.settings, BASE_URL=self.url)
        self._ports = cycle((self._port, self.other.port))

    @property
    def port(self):
        return next(self._ports)

    @port.setter
    def port(self, port):
        self._port, self._ports = port, repeat(port)

    def environment(self):
        own = {"LISTEN": f"127.0.0.1:{self._port}", "BASE_URL": self.url}
        return super().environment() | {f"DOCSERVICE_{name}": own[name] for name in own}

    def close(self):
        super().close()
        self.other.close()
