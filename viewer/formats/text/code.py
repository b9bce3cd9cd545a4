"""Source code, configuration and structured data, told by media type or name."""

from functools import cache
from typing import Final

from ...content.media_types import CODE_TYPE
from ...markup.names import extension_of

SCRIPT: Final = b"#!"
ROFF: Final = (b".", b"'\\\"")  # how manual pages begin, which are named as in `tar.1`
# Names of no language, of another one more often, and of one whose lexer loads others as it runs.
PLAIN: Final = frozenset({"*.txt", "*.text", "*.output", "*.tt", "*.http"})
SAME_AS: Final = {
    "r": "R",  # which Pygments takes for REBOL
    "geom": "frag",
    "jsonc": "json5",
    "pod": "pm",
    "edn": "clj",
    "avsc": "json",
    "conf": "ini",
    "psm1": "ps1",
    "psd1": "ps1",
    "metal": "cpp",
    "gitconfig": "ini",
    "nims": "nim",
    "gql": "graphql",
    "erb": "rhtml",
    "pde": "java",
    "cql": "sql",
    "v": "sv",
    "fs": "fsi",
    "nomad": "tf",
    "tfvars": "tf",
    "jenkinsfile": "groovy",
    "svelte": "html",
    "astro": "html",
    "env": "sh",
    "profile": "sh",
    "bash_profile": "sh",
    "bash_aliases": "sh",
    "j2": "html.j2",
    "jinja": "html.j2",
    "jinja2": "html.j2",
    "xmp": "xml",
    "plist": "xml",
    "csproj": "xml",
    "xaml": "xml",
    "vagrantfile": "rb",
    "podfile": "rb",
    "brewfile": "rb",
}


def is_code(media_type: str, name: str, first: bytes = b"") -> bool:
    """Whether this is code by its media type; plain text by its file name or first line."""
    if media_type == "text/plain":
        extension = extension_of(name)
        forms = {name.lower(), f"*.{extension}"}
        is_named = (extension or name.lower()) in SAME_AS or not forms.isdisjoint(_names())
        is_manual = first.startswith(ROFF) and len(extension) == 1 and extension.isdecimal()
        return is_named or is_manual or first.startswith(SCRIPT)
    return bool(CODE_TYPE.fullmatch(media_type))


def lexed_name(name: str) -> str:
    """Return the name; one of the same language for an extension or name that no lexer has."""
    extension = extension_of(name) or name.lower()
    is_same = extension in SAME_AS and name.lower() not in _names()
    return f"a.{SAME_AS[extension]}" if is_same else name


@cache
def _names() -> frozenset[str]:
    """Return the file names that Pygments has lexers for, as `makefile` and `*.py`.

    It is imported where the first text needs it, without the lexers.
    """
    from pygments.lexers import get_all_lexers  # noqa: PLC0415

    known = set()
    for _, aliases, names, _ in get_all_lexers(plugins=False):
        known |= {name.lower() for name in names} | {f"*.{alias}".lower() for alias in aliases}
    return frozenset(known - PLAIN)
