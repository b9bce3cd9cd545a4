"""A browser without a screen: it keeps cookies, follows redirects by hand, and sends forms."""

import re
from html.parser import HTMLParser
from http.cookies import SimpleCookie
from urllib.parse import urlencode

from tests.people import PASSWORD, Person

SAME_SITE = {"Sec-Fetch-Site": "same-origin"}


class Visitor:
    """Somebody at a browser, with the cookies that the service has set."""

    def __init__(self, service):
        self.service, self.cookies = service, {}

    @property
    def api(self):
        """The same person at the API, with the session of the cookie."""
        return Person(self.service).with_token(self.cookies["session"])

    def request(self, method, path, headers=(), data=None):
        headers = dict(headers)
        if self.cookies:
            headers["Cookie"] = "; ".join(f"{name}={one}" for name, one in self.cookies.items())
        answer = Person(self.service).exchange(method, path, headers.items(), data)
        assert answer.status != 500, answer
        for set_cookie in answer.headers.get_all("Set-Cookie", ()):
            for name, one in SimpleCookie(set_cookie).items():
                self.cookies.pop(name, None)
                if one["max-age"] != "0":
                    self.cookies[name] = one.value
        return answer

    def get(self, path, **headers):
        return self.request("GET", path, headers)

    def older(self, path):
        """Yield a page of a list, and those that its links to older ones lead to."""
        first = path
        while path:
            page = self.get(path)
            yield page
            older = re.search(r'rel="next" href="([^"]+)"', page.text)
            path = older and first + older[1].replace("&amp;", "&")

    def post(self, path, fields=(), headers=SAME_SITE):
        data = urlencode(fields, doseq=True).encode()
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        return self.request("POST", path, form | dict(headers), data)

    def submit(self, page, action, **fields):
        """Send the form of a page with these fields changed, as a browser would."""
        parser = _Forms()
        parser.feed(page.text)
        found = next(form for form in parser.forms if form["action"] == action)
        names = {one.get("name") for one in parser.inputs if one["form"] == action}
        if fields.get("password") and "withPassword" in names:
            fields["withPassword"] = "1"  # which typing a password ticks
        return self.post(action, found["fields"] | fields)

    def make_link(self, page, action, **fields):
        """Send the form of a new link, and return the page with the card that shows the link."""
        return self.follow(self.submit(page, action, **fields))

    def follow(self, answer):
        """Return the page that the answer of a form leads to."""
        assert answer.status == 303, answer
        return self.get(answer.headers["Location"])

    def sign_up(self, email, password=PASSWORD):
        answer = self.post("/app/signup", {"email": email, "password": password})
        assert answer.status == 303, answer
        return self

    def log_in(self, email, password=PASSWORD, **more):
        return self.post("/app/login", {"email": email, "password": password, **more})

    def enter(self, page, path="/app/documents"):
        """Open a page of a real browser with these cookies."""
        given = [{"name": name, "value": one} for name, one in self.cookies.items()]
        page.context.add_cookies([{"url": self.service.url, **one} for one in given])
        page.goto(self.service.url + path, wait_until="domcontentloaded")


def forms_of(page):
    """The forms of a page: their action, and what their fields hold."""
    parser = _Forms()
    parser.feed(page.text)
    return parser.forms


def field_of(page, name, action=None):
    """The attributes of the field with this name, in the form that is sent to `action`."""
    parser = _Forms()
    parser.feed(page.text)
    fields = (one for one in parser.inputs if one["form"] == action or not action)
    return next(one for one in fields if one.get("name") == name)


def words(answer):
    """What a page says, without its tags and with one space between words."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.text))


def element_of(page, id):
    """The text of the element with this id."""
    parser = _Text(id)
    parser.feed(page.text)
    return "".join(parser.found).strip()


class _Forms(HTMLParser):
    def __init__(self):
        super().__init__()
        self.forms, self.inputs, self._select, self._area = [], [], None, None

    def handle_starttag(self, tag, attributes):
        known = dict(attributes)
        if tag == "form":
            self.forms.append({"action": known.get("action"), "fields": {}})
        if tag in {"input", "textarea", "select"}:
            self.inputs.append(known | {"form": self.forms and self.forms[-1]["action"]})
        self._area = known.get("name") if tag == "textarea" and self.forms else None
        if not self.forms or (tag == "input" and "name" not in known):
            return
        if tag == "select":
            self._select = known["name"]
        self._add(tag, known, self.forms[-1]["fields"])

    def _add(self, tag, known, fields):
        is_box = known.get("type") in {"checkbox", "radio"}
        if tag == "input" and is_box and "checked" in known:
            former = fields.get(known["name"], [])
            former = former if isinstance(former, list) else [former]
            fields[known["name"]] = [*former, known["value"]]
        elif tag == "input" and not is_box:
            fields[known["name"]] = known.get("value") or ""
        elif tag == "option" and (self._select not in fields or "selected" in known):
            fields[self._select] = known["value"]

    def handle_data(self, data):
        if self._area:
            fields = self.forms[-1]["fields"]
            fields[self._area] = fields.get(self._area, "") + data.removeprefix("\n")

    def handle_endtag(self, _tag):
        self._area = None


class _Text(HTMLParser):
    VOID = {"input", "br", "meta", "link", "img", "path"}

    def __init__(self, id):
        super().__init__()
        self.id, self.depth, self.found = id, 0, []

    def handle_starttag(self, tag, attributes):
        if tag in self.VOID:
            return
        if self.depth or dict(attributes).get("id") == self.id:
            self.depth += 1

    def handle_endtag(self, _tag):
        self.depth = max(0, self.depth - 1)

    def handle_data(self, data):
        if self.depth:
            self.found.append(data)
