"""Source code, configuration and data in text form, highlighted by name or type."""

import re
from typing import Any, Final

from viewer.extensions import ending
from viewer.kinds import text
from viewer.media_types import charset
from viewer.original import Original
from viewer.preview import Preview
from viewer.sandbox.process import ChildFailed, result
from viewer.wording import counted

LIMIT: Final = 256 << 10
SECONDS: Final = 10
TYPE: Final = re.compile(
    r"application/(json|xml|yaml|x-yaml|toml|sql|javascript|ecmascript|typescript|x-sh|x-httpd-php"
    r"|graphql|x-ndjson|x-python|x-ruby|x-perl|x-tex|x-latex|xml-dtd|rtf)"
    r"|.*\+(json|xml|yaml)|text/(?!plain$).*"
)
ENDINGS: Final = frozenset(
    {"py", "pyi", "js", "mjs", "ts", "tsx", "jsx", "go", "rs", "c", "h", "cc", "cpp", "hpp", "cs"}
    | {"java", "kt", "scala", "swift", "rb", "php", "pl", "lua", "r", "jl", "hs", "ml", "ex", "exs"}
    | {"erl", "clj", "dart", "zig", "sh", "bash", "zsh", "fish", "ps1", "bat", "sql", "graphql"}
    | {"html", "css", "scss", "less", "vue", "svelte", "json", "jsonl", "xml", "svg", "yaml", "yml"}
    | {"toml", "ini", "cfg", "conf", "properties", "env", "diff", "patch", "tf", "proto", "tex"}
    | {"rst", "dockerfile", "makefile", "cmake", "gradle", "nix", "vim", "asm", "s", "f90"}
)
NAMES: Final = frozenset({"dockerfile", "makefile", "gemfile", "rakefile", "cmakelists.txt"})


def is_code(kind: str, name: str) -> bool:
    """By its type; or plain text by its name."""
    if kind == "text/plain":
        return ending(name) in ENDINGS or name.lower() in NAMES
    return bool(TYPE.fullmatch(kind))


def preview(original: Original, kind: str) -> Preview:
    """Coloured lines; plain ones above the limit, or where colouring fails."""
    if original.size > LIMIT:
        return text.preview(original, kind, look="code")
    try:
        facts, html = result("code", original.pieces(), _order(original, kind), seconds=SECONDS)
    except ChildFailed:
        return text.preview(original, kind, look="code")
    lines = html.split("\n")
    if len(lines) > text.LINE_LIMIT:
        return text.preview(original, kind, look="code")
    return Preview(
        "code",
        str(facts.get("language", "")) or text.label_of(kind),
        text.numbered(lines),
        facts=(counted(len(lines), "line"),),
        tools=text.TOOLS,
    )


def _order(original: Original, kind: str) -> dict[str, Any]:
    name = original.name if kind == "text/plain" or "." in original.name else ""
    is_json = kind.endswith(("/json", "+json")) or ending(original.name) == "json"
    coloured = "application/json" if is_json else kind
    charset_name = charset(original.content_type)
    return {"name": name[-120:], "type": coloured, "json": is_json, "charset": charset_name}
