"""Whether an answer is one that the service's own OpenAPI description allows."""

import json
import re
from functools import cache

from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012


@cache
def parsed(text):
    """Return the description in these bytes; services of one version share it."""
    return Description(json.loads(text))


class Description:
    """An OpenAPI document, and what it says of an operation's answers."""

    def __init__(self, document):
        self.document = document
        resource = Resource(contents=document, specification=DRAFT202012)
        self._registry = Registry().with_resource("urn:api", resource)
        self._paths = {
            re.compile(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(path))): item
            for path, item in document["paths"].items()
        }
        self._validators = {}

    def operation(self, method, path):
        """Return the operation that a request reaches, or None."""
        for pattern, item in self._paths.items():
            if pattern.fullmatch(path):
                return item.get(method.lower())
        return None

    def check(self, method, path, answer):
        """Assert that this answer to this request is described.

        Not described are HEAD, which is answered as GET is, and a request whose head is too large
        (431), and the pages for people. A request that reaches no operation must be refused.
        """
        request = f"{method} {path}"
        if method == "HEAD" or answer.status == 431 or path.startswith("/app/"):
            return
        operation = self.operation(method, path.partition("?")[0])
        if operation is None:
            assert 400 <= answer.status < 500, f"{request} is not described: {answer}"
            return
        described = operation["responses"]
        response = described.get(str(answer.status)) or described.get(f"{answer.status // 100}XX")
        assert response, f"{request}: this status is not described: {answer}"
        self._check_content(request, self._resolved(response).get("content", {}), answer)

    def _check_content(self, request, content, answer):
        if not answer.body:
            return
        described = content.get(answer.kind) or content.get("*/*")
        assert described, f"{request}: this media type is not described: {answer}"
        if answer.kind in content and answer.kind.endswith("json"):
            errors = self._validator(described["schema"]).iter_errors(answer.json)
            wrong = [error.message for error in errors]
            assert not wrong, f"{request}: {wrong}"

    def _resolved(self, response):
        """A response that is described here or among the components."""
        if "$ref" in response:
            return self.document["components"]["responses"][response["$ref"].rpartition("/")[2]]
        return response

    def _validator(self, schema):
        key = json.dumps(schema, sort_keys=True)
        if key not in self._validators:
            self._validators[key] = Draft202012Validator(
                with_absolute_references(schema), registry=self._registry
            )
        return self._validators[key]


def with_absolute_references(schema):
    """Return a schema whose references lead into the registered document."""
    if isinstance(schema, dict):
        return {
            name: f"urn:api{value}" if name == "$ref" else with_absolute_references(value)
            for name, value in schema.items()
        }
    if isinstance(schema, list):
        return [with_absolute_references(one) for one in schema]
    return schema
