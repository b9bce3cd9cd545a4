"""A service whose clock a test can set."""

from datetime import timedelta

from tests.service import QuickService

# The service with a clock that is wrong by as many seconds as a file says
PROGRAM = """
import datetime, os, pathlib, time
file = pathlib.Path(os.environ["TMPDIR"], "wrong")
wrong = lambda: int(file.read_text()) if file.exists() else 0
time_ns, real = time.time_ns, time.time
time.time_ns = lambda: time_ns() + wrong() * 10**9
time.time = lambda: real() + wrong()
class Wrong(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return super().now(tz) + datetime.timedelta(seconds=wrong())
datetime.datetime = Wrong
"""


class ClockedService(QuickService):
    program = PROGRAM + QuickService.program
    is_forked = False  # else the service would have imported the right clock

    def set_clock(self, **offset):
        """Set the clock this far from the real one (keywords of `timedelta`)."""
        seconds = int(timedelta(**offset).total_seconds())
        new = self.temporary / "wrong.new"
        new.write_text(str(seconds))
        new.rename(self.temporary / "wrong")
