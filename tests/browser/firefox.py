"""A headless Firefox, driven by WebDriver BiDi (https://www.w3.org/TR/webdriver-bidi/)."""

import contextlib
import json
import os
import subprocess
from pathlib import Path

from tests.waiting import until

PATIENCE = 60  # seconds until an answer or event that should come counts as absent
PREFERENCES = """
user_pref("browser.newtabpage.enabled", false);
user_pref("browser.startup.page", 0);
user_pref("dom.ipc.processPrelaunch.enabled", false);
user_pref("services.settings.server", "data:,#remote-settings-dummy/v1");
"""  # nothing is made ready, shown or fetched that no test asks for: a sixth of what a start takes
EVENTS = ["log.entryAdded", "network.beforeRequestSent", "browsingContext.downloadEnd"]


class Firefox:
    """A browser with a profile of its own; `events` holds the (method, parameters) it has sent.

    `connect` opens a websocket: (address, timeout in seconds, suppress_origin).
    """

    def __init__(self, program, profile, connect, *, shows_pdf=False):
        # without its PDF viewer, a saved PDF is not opened in a tab of its own
        preference = 'user_pref("pdfjs.disabled", %s);\n' % ("false" if shows_pdf else "true")
        (profile / "user.js").write_text(PREFERENCES + preference)
        self.process = subprocess.Popen(
            [program, "--headless", "--remote-debugging-port=0", "--profile", str(profile)],
            env=os.environ | {"HOME": str(profile)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.events, self.calls, self.socket = [], 0, None
        try:
            server = until(lambda: _json_of(profile / "WebDriverBiDiServer.json"), PATIENCE)
            address = f"ws://{server['ws_host']}:{server['ws_port']}/session"
            self.socket = connect(address, PATIENCE, suppress_origin=True)
            self.call("session.new", capabilities={})
            self.call("session.subscribe", events=EVENTS)
            folder = {"type": "allowed", "destinationFolder": str(profile)}
            self.call("browser.setDownloadBehavior", downloadBehavior=folder)
        except BaseException:
            self.close()
            raise

    def call(self, method, **parameters):
        """Return the result of a command; AssertionError if Firefox answers with an error."""
        self.calls += 1
        self.socket.send(json.dumps({"id": self.calls, "method": method, "params": parameters}))
        while (message := self._received()).get("id") != self.calls:
            pass
        assert message["type"] == "success", message
        return message["result"]

    def wait_for(self, method):
        """Return the parameters of the first event of this method since the page was opened."""
        while not (found := self.events_of(method)):
            self._received()
        return found[0]

    def events_of(self, method):
        return [parameters for name, parameters in self.events if name == method]

    def _received(self):
        message = json.loads(self.socket.recv())
        if message["type"] == "event":
            self.events.append((message["method"], message["params"]))
        return message

    def close(self):
        if self.socket:
            self.socket.close()
        self.process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(PATIENCE)
        self.process.kill()
        self.process.wait()


def _json_of(file):
    """Return what a file holds; None while it is absent or incomplete."""
    with contextlib.suppress(OSError, ValueError):
        return json.loads(file.read_text())


class Page:
    """A tab of Firefox, or a frame in one. Opening a tab forgets earlier events."""

    def __init__(self, firefox, context=None):
        self.firefox = firefox
        self.context = context or firefox.call("browsingContext.create", type="tab")["context"]
        if not context:
            firefox.events.clear()

    def goto(self, address):
        self._call("browsingContext.navigate", url=address, wait="complete")

    def resize(self, width, height):
        """Make what is seen of the page this large, in pixels."""
        self._call("browsingContext.setViewport", viewport={"width": width, "height": height})

    def set_cookies(self, cookies, host):
        """Give a host these cookies."""
        for name, value in cookies.items():
            cookie = {"name": name, "value": {"type": "string", "value": value}, "domain": host}
            self.firefox.call("storage.setCookie", cookie=cookie)

    def disconnect(self):
        """Let all requests to the network fail."""
        self.firefox.call(
            "emulation.setNetworkConditions",
            contexts=[self.context],
            networkConditions={"type": "offline"},
        )

    def frame(self):
        """Return the first frame of the page, when there is one."""
        tree = until(lambda: self._tree()["children"], PATIENCE)
        return Page(self.firefox, tree[0]["context"])

    def evaluate(self, expression):
        """Return the value of an expression; AssertionError if it throws."""
        return json.loads(self._evaluate(f"JSON.stringify({expression}) ?? 'null'")["value"])

    def until(self, expression):
        """Wait until the expression is true, and return its value; the page may still load."""

        def value():
            with contextlib.suppress(AssertionError):
                return self.evaluate(expression)

        return until(value, PATIENCE)

    def click(self, selector):
        """Click in the middle of an element, which must be in view."""
        element = self._evaluate(f"document.querySelector({json.dumps(selector)})")
        origin = {"type": "element", "element": {"sharedId": element["sharedId"]}}
        move = {"type": "pointerMove", "x": 0, "y": 0, "origin": origin}
        presses = [{"type": f"pointer{way}", "button": 0} for way in ("Down", "Up")]
        self._act("pointer", [move, *presses])

    def choose(self, selector, *paths):
        """Choose files in a field."""
        element = self._evaluate(f"document.querySelector({json.dumps(selector)})")
        field = {"sharedId": element["sharedId"]}
        self._call("input.setFiles", element=field, files=[str(path) for path in paths])

    def type(self, text):
        """Type into the element that has the focus."""
        presses = ({"type": f"key{way}", "value": c} for c in text for way in ("Down", "Up"))
        self._act("key", list(presses))

    def saved_by(self, selector):
        """Return the path of the file that a click on this element saves."""
        self.click(selector)
        ended = self.firefox.wait_for("browsingContext.downloadEnd")
        assert ended["status"] == "complete", ended
        return Path(ended["filepath"])

    @property
    def heard(self):
        """The console messages, script errors and breaches of a policy in all frames."""
        return [entry["text"] for entry in self.firefox.events_of("log.entryAdded")]

    @property
    def asked(self):
        """The addresses that the page and its frames asked for."""
        events = self.firefox.events_of("network.beforeRequestSent")
        return [event["request"]["url"] for event in events]

    def close(self):
        self._call("browsingContext.close")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _call(self, method, **parameters):
        return self.firefox.call(method, context=self.context, **parameters)

    def _tree(self):
        return self.firefox.call("browsingContext.getTree", root=self.context)["contexts"][0]

    def _evaluate(self, expression):
        target = {"context": self.context}
        answer = self.firefox.call(
            "script.evaluate", expression=expression, target=target, awaitPromise=False
        )
        assert answer["type"] == "success", answer
        return answer["result"]

    def _act(self, device, actions):
        source = {"type": device, "id": device, "actions": actions}
        self._call("input.performActions", actions=[source])
