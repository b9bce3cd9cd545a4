"""A pgbouncer before the tests' PostgreSQL server, which lends connections by transaction."""

import shutil
import subprocess

from tests.requirements import skip_unless_required
from tests.waiting import until

PORT = 6432  # of a socket in the server's folder, not of the network


class Pgbouncer:
    """Holds at most `connections` to each database. Call `stop` in the end."""

    def __init__(self, server, connections):
        self.server, self.connections = server, connections
        self._program = shutil.which("pgbouncer", path="/usr/sbin:/usr/bin:/usr/local/bin")
        if self._program is None:
            skip_unless_required("pgbouncer", "no pgbouncer here: apt-get install pgbouncer")
        self._settings = server.folder / "pgbouncer.ini"
        self._settings.write_text(f"""
            [databases]
            * = host={server.folder} user=postgres
            [pgbouncer]
            unix_socket_dir = {server.folder}
            listen_port = {PORT}
            auth_type = any
            pool_mode = transaction
            default_pool_size = {connections}
            max_client_conn = 200
            logfile = {server.folder}/pgbouncer.log
        """)
        self._process = None
        self.start()

    def start(self):
        words = [self._program, "--quiet", self._settings]
        self._process = subprocess.Popen(words, **self.server.as_its_user())
        until(self._answers)

    def stop(self):
        self._process.kill()
        self._process.wait()

    def url_of(self, url):
        """The URL of the same database through this pooler."""
        return f"{url}&port={PORT}"

    def _answers(self):
        import psycopg  # noqa: PLC0415  an extra

        try:
            psycopg.connect(self.url_of(self.server.url())).close()
        except psycopg.OperationalError:
            return False
        return True
