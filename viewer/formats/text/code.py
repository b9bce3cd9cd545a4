"""Source code, configuration and structured data: highlighted by file name or media type."""

from functools import cache
from typing import Any, Final

from ...content.media_types import CODE_TYPE, charset
from ...markup.formatting import format_count
from ...markup.names import extension_of
from ...sandbox.process import Job, SandboxError
from ..original import Original
from ..preview import Preview
from . import text

JOB: Final = Job("viewer.formats.text.highlighting", memory_mb=512, cpu_seconds=8, seconds=20)
SCRIPT: Final = b"#!"
ROFF: Final = (b".", b"'\\\"")  # how manual pages begin, which are named as in `tar.1`
# Names of no language, of another one more often, and of one whose lexer loads others as it runs.
PLAIN: Final = frozenset({"*.txt", "*.text", "*.output", "*.tt", "*.http"})
SAME_AS: Final = {
    "r": "R",  # which Pygments takes for REBOL
    **{"geom": "frag", "jsonc": "json5", "pod": "pm", "edn": "clj", "avsc": "json", "conf": "ini"},
    **{"psm1": "ps1", "psd1": "ps1", "metal": "cpp", "gitconfig": "ini", "nims": "nim"},
    **{"gql": "graphql", "erb": "rhtml", "pde": "java", "cql": "sql", "v": "sv", "fs": "fsi"},
    **{"nomad": "tf", "tfvars": "tf", "jenkinsfile": "groovy", "svelte": "html", "astro": "html"},
    **dict.fromkeys(("env", "profile", "bash_profile", "bash_aliases"), "sh"),
    **dict.fromkeys(("j2", "jinja", "jinja2"), "html.j2"),
    **dict.fromkeys(("xmp", "plist", "csproj", "xaml"), "xml"),
    **dict.fromkeys(("vagrantfile", "podfile", "brewfile"), "rb"),
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


def preview(original: Original, media_type: str) -> Preview:
    """Return highlighted lines, JSON laid out; plain lines if highlighting fails."""
    options = _options(original, media_type)
    try:
        facts, html = original.run_html_job(JOB, options, most_bytes=text.MAX_READ)
    except SandboxError:
        return text.preview(original, media_type, kind="code")
    is_complete = original.size <= text.MAX_READ
    source = text.source(facts, original) | ({"layout": "json"} if facts["laid_out"] else {})
    return Preview(
        "code",
        str(facts["language"]) or text.label_of(media_type),
        html,
        facts=(format_count(int(facts["lines"]), "line"),) if is_complete else (),
        note=text.note(facts, original),
        tools=text.TOOLS,
        source=source,
        styles=(*text.STYLES, "text/colours.css"),
        scripts=text.scripts(facts, original),
    )


def _options(original: Original, media_type: str) -> dict[str, Any]:
    name = original.name if media_type == "text/plain" or "." in original.name else ""
    subtype = media_type.rpartition("/")[2].rpartition("+")[2]
    is_json = "json" in (subtype, extension_of(original.name))
    is_xml = subtype == "xml"
    return {
        "name": name[-120:] if is_xml else _lexed_name(name[-120:]),
        "type": "application/json" if is_json else "text/xml" if is_xml else media_type,
        "is_json": is_json,
        "whole": original.size <= text.MAX_READ,
        "charset": charset(original.content_type),
    }


def _lexed_name(name: str) -> str:
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
