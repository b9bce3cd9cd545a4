"""WebKit, the engine of Safari, without a screen: WebKitGTK, driven by WebKitWebDriver.

The window is `webkit_window.py`, which tells by a socket of requests, downloads and prints what
WebDriver (https://www.w3.org/TR/webdriver2/) does not. One process shows all pages, one by one.
"""

import contextlib
import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import threading
import urllib.error
import urllib.request
from pathlib import Path

from tests.waiting import until

PHONE = 390, 844  # width and height of a window
DESK = 1280, 800

PROGRAMS = ("WebKitWebDriver", "Xvfb")
PYTHON = "/usr/bin/python3"  # of the system: Debian's python3-gi is for no other
LIBRARIES = "import gi; gi.require_version('WebKit2', '4.1'); from gi.repository import WebKit2"
PACKAGES = "webkit2gtk-driver xvfb python3-gi-cairo gir1.2-webkit2-4.1"
PATIENCE = 60  # seconds until an answer or event that should come counts as absent
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {"Control": "\ue009", "Enter": "\ue007", "Escape": "\ue00c", "Tab": "\ue004"}
SAID = re.compile(r"CONSOLE (.*)")
QUIET = {  # of GTK in a machine without a desktop
    "GDK_BACKEND": "x11",
    "GSETTINGS_BACKEND": "memory",
    "LANG": "C.UTF-8",
    "LIBGL_ALWAYS_SOFTWARE": "1",
    "NO_AT_BRIDGE": "1",
    "WEBKIT_DISABLE_DMABUF_RENDERER": "1",
}


def is_installed():
    """Whether all is there that drives WebKit."""
    if not all(map(shutil.which, PROGRAMS)) or not Path(PYTHON).exists():
        return False
    tried = subprocess.run([PYTHON, "-c", LIBRARIES], capture_output=True, check=False)
    return tried.returncode == 0


class WebDriverError(AssertionError):
    """WebDriver refuses a command; `code` is its error code."""

    def __init__(self, code, message):
        super().__init__(f"{code}: {message}")
        self.code = code


class WebKit:
    """A browser with a profile of its own in a folder, which also gets what it saves."""

    def __init__(self, folder):
        self.folder = folder
        self.events = []
        self.log = folder / "console"
        self.log.touch()
        self.processes = []
        self.session = None
        self.window = None
        self.environment = os.environ | QUIET
        try:
            self._start()
        except BaseException:
            self.close()
            raise

    def _start(self):
        address = str(self.folder / "socket")
        listening = socket.socket(socket.AF_UNIX)
        listening.bind(address)
        listening.listen()
        listening.settimeout(PATIENCE)
        command = [PYTHON, "-u", str(Path(__file__).with_name("webkit_window.py"))]
        command += [address, str(self.folder)]
        program = self.folder / "window"
        log = shlex.quote(str(self.log))
        program.write_text(f"#!/bin/sh\nexec {shlex.join(command)} >>{log} 2>&1\n")
        program.chmod(0o755)
        self.environment |= {"HOME": str(self.folder), "XDG_RUNTIME_DIR": str(self.folder)}
        self.environment["DISPLAY"] = self._screen()
        self.port = _free_port()
        self._run(["WebKitWebDriver", f"--port={self.port}"])
        until(self._answers, PATIENCE)
        options = {"binary": str(program), "args": []}
        wanted = {
            "webkitgtk:browserOptions": options,
            "unhandledPromptBehavior": "ignore",
        }
        asked = {"capabilities": {"alwaysMatch": wanted}}
        with listening:
            self.session = self._call("POST", "/session", asked)["sessionId"]
            self.window, _ = listening.accept()
        threading.Thread(target=self._listen, daemon=True).start()

    def _screen(self):
        """Start a screen that nobody sees, and return its name."""
        reads, writes = os.pipe()
        with open(reads, encoding="ascii") as number:
            command = ["Xvfb", "-displayfd", str(writes), "-screen", "0", "1600x1200x24"]
            self._run([*command, "-nolisten", "tcp"], pass_fds=[writes])
            os.close(writes)
            return f":{number.readline().strip()}"

    def _run(self, command, **options):
        nowhere = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        process = subprocess.Popen(command, env=self.environment, **nowhere, **options)
        self.processes.append(process)

    def _answers(self):
        with contextlib.suppress(OSError):
            return self._call("GET", "/status")["ready"]

    def _listen(self):
        with contextlib.suppress(OSError, ValueError), self.window.makefile() as lines:
            for line in lines:
                event = json.loads(line)
                self.events.append((event.pop("event"), event))

    def events_of(self, kind):
        return [facts for name, facts in list(self.events) if name == kind]

    def tell(self, command, answer, **facts):
        """Give the window a command, and return what the event tells that answers it."""
        known = len(self.events_of(answer))
        self.window.sendall(json.dumps({"do": command, **facts}).encode() + b"\n")
        return until(lambda: self.events_of(answer)[known:], PATIENCE)[0]

    def call(self, method, path, body=None):
        """Return the value of a command of WebDriver; WebDriverError if it is refused."""
        return self._call(method, f"/session/{self.session}{path}", body)

    def _call(self, method, path, body=None):
        data = json.dumps(body or {}).encode() if method == "POST" else None
        address = f"http://127.0.0.1:{self.port}{path}"
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(address, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=2 * PATIENCE) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            with error:
                value = json.load(error)["value"]
            raise WebDriverError(value["error"], value.get("message")) from None

    def close(self):
        with contextlib.suppress(OSError, WebDriverError):
            if self.session:
                self._call("DELETE", f"/session/{self.session}")
        if self.window:
            self.window.close()
        for process in reversed(self.processes):
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(PATIENCE)
            process.kill()
            process.wait()


def _free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class WebKitPage:
    """The one window: of 1280 by 800 pixels and light, until told otherwise.

    What is `heard`, `asked` and `failed` is forgotten when another address is opened.
    """

    def __init__(self, webkit):
        self.webkit = webkit
        self.size = None
        self._leave()

    def _leave(self):
        """Leave the page, and forget what was told of it when nothing more can come.

        An empty page ends its requests. The window hears so, and of all before it, in order.
        """
        self.webkit.call("POST", "/url", {"url": "about:blank"})
        self.webkit.tell("tell all", "told")
        self.webkit.events.clear()
        self._said = self.webkit.log.stat().st_size

    def resize(self, width, height):
        """Make what is seen of a page this large, in pixels."""
        for _ in range(3):
            inner = self.evaluate("[innerWidth, innerHeight]")
            if inner == [width, height]:
                return
            outer = self.webkit.call("GET", "/window/rect")
            box = {
                "width": outer["width"] + width - inner[0],
                "height": outer["height"] + height - inner[1],
            }
            self.webkit.call("POST", "/window/rect", {"x": 0, "y": 0, **box})
            with contextlib.suppress(AssertionError):
                until(lambda: self.evaluate("innerWidth") == width, 5)
        assert self.evaluate("[innerWidth, innerHeight]") == [width, height]

    def set_dark(self, on):
        self.webkit.tell("dark", "set", on=on)

    def set_scripts(self, on):
        """Let pages run scripts or not, from the next address on; those of tests always do."""
        self.webkit.tell("scripts", "set", on=on)

    def set_third_party_cookies(self, on):
        """Accept cookies of sites in frames or not, and prevent tracking as Safari does."""
        self.webkit.tell("third party cookies", "set", on=on)

    def goto(self, address):
        self._leave()
        self.webkit.call("POST", "/url", {"url": address})

    def reload(self):
        self.webkit.call("POST", "/refresh")

    @property
    def url(self):
        return self.webkit.call("GET", "/url")

    def run(self, script, *arguments):
        """Return what the body of a function returns, or what its promise resolves to."""
        body = {"script": script, "args": arguments}
        return self.webkit.call("POST", "/execute/sync", body)

    def evaluate(self, expression):
        """Return the value of an expression; WebDriverError if it throws."""
        return self.run(f"return {expression}")

    def until(self, expression):
        """Wait until the expression is true, and return its value; the page may still load."""

        def value():
            with contextlib.suppress(WebDriverError):
                return self.evaluate(expression)

        return until(value, PATIENCE)

    def element(self, selector):
        found = {"using": "css selector", "value": selector}
        return self.webkit.call("POST", "/element", found)[ELEMENT]

    @contextlib.contextmanager
    def frame(self, selector="iframe"):
        """Be in a frame of the page, as soon as it is there."""
        self.until(f"!!document.querySelector({json.dumps(selector)})")
        self.webkit.call("POST", "/frame", {"id": {ELEMENT: self.element(selector)}})
        try:
            yield
        finally:
            self.webkit.call("POST", "/frame/parent")

    def click(self, selector):
        self.webkit.call("POST", f"/element/{self.element(selector)}/click")

    def fill(self, selector, text):
        """Write a text into a field, in place of what is in it; "\\n" sends its form."""
        place = f"/element/{self.element(selector)}"
        self.webkit.call("POST", f"{place}/clear")
        self.webkit.call("POST", f"{place}/value", {"text": text.replace("\n", KEYS["Enter"])})

    def choose(self, selector, *paths):
        """Choose files in a field."""
        files = {"text": "\n".join(map(str, paths))}
        self.webkit.call("POST", f"/element/{self.element(selector)}/value", files)

    def press(self, *keys):
        """Press keys together, as in press("Control", "k")."""
        values = [KEYS.get(key, key) for key in keys]
        actions = [{"type": "keyDown", "value": value} for value in values]
        actions += [{"type": "keyUp", "value": value} for value in reversed(values)]
        source = {"type": "key", "id": "keyboard", "actions": actions}
        self.webkit.call("POST", "/actions", {"actions": [source]})

    def find(self, text):
        """Whether the browser's own search finds a text; it scrolls to it."""
        return self.webkit.tell("find", "found", text=text)["found"]

    def saved_by(self, selector):
        """Return the path of the file that a click on this element saves."""
        known = len(self.webkit.events_of("saved"))
        self.click(selector)
        return Path(until(lambda: self.webkit.events_of("saved")[known:], PATIENCE)[0]["path"])

    def copied(self):
        """Return the text of the system's clipboard."""
        return self.webkit.tell("clipboard", "copied")["text"]

    def print_to(self, path):
        """Print the page to a PDF."""
        self.webkit.tell("print", "printed", path=str(path))
        return path

    def picture_to(self, path, *, whole=False):
        self.webkit.tell("picture", "drawn", path=str(path), whole=whole)
        return path

    @property
    def heard(self):
        """The console messages, script errors and breaches of a policy in all frames."""
        with self.webkit.log.open("rb") as log:
            log.seek(self._said)
            text = log.read().decode(errors="replace")
        return SAID.findall(text)

    @property
    def asked(self):
        """The addresses that the page and its frames asked for."""
        return [facts["url"] for facts in self.webkit.events_of("request")]

    @property
    def failed(self):
        """The requests without a good answer: (address, why).

        What is cancelled is left out: another process, or a frame with our script, loads it then.
        """
        answers = [(facts["url"], facts["reason"]) for facts in self.webkit.events_of("failed")]
        return [(address, why) for address, why in answers if why != "Load request cancelled"]

    @property
    def windows_opened(self):
        return len(self.webkit.events_of("opened"))


# What holds text, is seen, and has too little contrast with what is behind it, as [words, ratio];
# then how light the page is: WCAG 2.2, 1.4.3 and "relative luminance".
CONTRASTS = r"""
    const parts = colour => {
        const numbers = colour.match(/[\d.]+/g).map(Number);
        const most = colour.startsWith("color(") ? 1 : 255;
        return { rgb: numbers.slice(0, 3).map(one => one / most), alpha: numbers[3] ?? 1 };
    };
    const linear = one => one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4;
    const luminance = ({ rgb: [r, g, b] }) =>
        0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
    const ground = one => {
        const own = parts(getComputedStyle(one).backgroundColor);
        if (own.alpha > 0.5) return luminance(own);
        return one.parentElement ? ground(one.parentElement) : 1;
    };
    const found = [];
    const left = "svg, select, :disabled, .hidden", seen = { opacityProperty: true };
    for (const one of document.querySelectorAll("main *")) {
        const words = [...one.childNodes].map(({ data }) => data ?? "").join("").trim();
        if (!words || one.closest(left) || !one.checkVisibility(seen)) continue;
        const text = luminance(parts(getComputedStyle(one).color)), behind = ground(one);
        const ratio = (Math.max(text, behind) + 0.05) / (Math.min(text, behind) + 0.05);
        if (ratio < 4.5) found.push([words.slice(0, 40), ratio]);
    }
    return [found, ground(document.body)];
"""


def assert_readable(page, *, dark):
    """All text of a page is readable, on a ground that is dark or light as the person wants it."""
    unreadable, ground = page.run(CONTRASTS)
    assert unreadable == [], page.url
    assert (ground < 0.2) == dark, page.url


@contextlib.contextmanager
def window(browser, size=DESK):
    """A page of this size. Afterwards the browser, which all tests share, is as it was."""
    page = WebKitPage(browser)
    page.resize(*size)
    yield page
    page.goto("about:blank")
    page.set_third_party_cookies(True)
    page.set_dark(False)
    page.resize(*DESK)
