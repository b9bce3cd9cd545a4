"""A browser that many tests share."""

PATIENCE = 90_000  # milliseconds until what should come counts as absent, on a loaded machine


class LastingBrowser:
    """A browser of Playwright. After it has closed or crashed, the next use launches another one,
    so that a crash fails one test and not all that follow.
    """

    def __init__(self, launch):
        self._launch = launch
        self._running = launch()

    def new_context(self, **options):
        """A window whose waits are long enough for a loaded machine."""
        context = self.__getattr__("new_context")(**options)
        context.set_default_timeout(PATIENCE)
        return context

    def __getattr__(self, name):
        if not self._running.is_connected():
            self._running = self._launch()
        return getattr(self._running, name)
