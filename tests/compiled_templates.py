"""Templates that each process of the tests compiles once, for all applications that it makes."""

from jinja2 import BytecodeCache

from blueprints.http.responding import Application


class CompiledTemplates(BytecodeCache):
    """The code of templates by their name and their text."""

    def __init__(self):
        self._codes = {}

    def load_bytecode(self, bucket):
        bucket.code = self._codes.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket):
        self._codes[bucket.key, bucket.checksum] = bucket.code


def share():
    """From now on, the applications of this process share the code of their templates."""
    Application.jinja_options = {**Application.jinja_options, "bytecode_cache": CompiledTemplates()}
