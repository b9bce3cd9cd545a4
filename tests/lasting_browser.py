"""A browser that many tests share."""


class LastingBrowser:
    """A browser of Playwright. After it has closed or crashed, the next use launches another one,
    so that a crash fails one test and not all that follow.
    """

    def __init__(self, launch):
        self._launch = launch
        self._running = launch()

    def __getattr__(self, name):
        if not self._running.is_connected():
            self._running = self._launch()
        return getattr(self._running, name)
