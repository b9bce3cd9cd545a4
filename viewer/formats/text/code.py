"""Source code, configuration and structured data: highlighted by file name or media type."""

from typing import Any, Final

from ...content.media_types import CODE_TYPE, charset
from ...markup.formatting import format_count
from ...markup.names import extension_of
from ...sandbox.process import Job, SandboxError
from ..original import Original
from ..preview import Preview
from . import text

JOB: Final = Job("viewer.formats.text.highlighting", memory_mb=512, cpu_seconds=8, seconds=20)
CODE_EXTENSIONS: Final = frozenset(
    {"py", "pyi", "js", "mjs", "ts", "tsx", "jsx", "go", "rs", "c", "h", "cc", "cpp", "hpp", "cs"}
    | {"java", "kt", "scala", "swift", "rb", "php", "pl", "lua", "r", "jl", "hs", "ml", "ex", "exs"}
    | {"erl", "clj", "dart", "zig", "sh", "bash", "zsh", "fish", "ps1", "bat", "sql", "graphql"}
    | {"html", "css", "scss", "less", "vue", "svelte", "json", "jsonl", "xml", "svg", "yaml", "yml"}
    | {"toml", "ini", "cfg", "conf", "properties", "env", "diff", "patch", "tf", "proto", "tex"}
    | {"groovy", "dot", "gv", "bib", "ndjson", "sol", "nim", "cr", "elm", "fsx", "vb", "vbs"}
    | {"pas", "d", "f", "sv", "vhd", "vhdl", "lisp", "el", "scm", "rkt", "tcl", "awk"}
    | {"hlsl", "cu", "mm", "m", "hcl", "pyx", "hh", "cxx", "hxx", "sass", "coffee", "po"}
    | {"pm", "pod", "raku", "glsl", "vert", "frag", "geom", "wgsl", "metal", "scad", "feature"}
    | {"service", "timer", "socket", "mount", "target", "desktop", "reg", "psm1", "psd1", "nsi"}
    | {"kts", "cljs", "edn", "cabal", "purs", "agda", "lean", "ada", "adb", "ads", "cob"}
    | {"vala", "hx", "gd", "odin", "ino", "thrift", "capnp", "avsc", "jsonnet", "json5", "jsonc"}
    | {"xsl", "xsd", "rss", "haml", "slim", "pug", "twig", "liquid", "rego", "org", "mk", "bzl"}
    | {"rst", "dockerfile", "makefile", "cmake", "gradle", "nix", "vim", "asm", "s", "f90"}
    | {"fs", "fsi", "v", "svh", "nims", "rake", "gemspec", "cjs", "cljc", "cmd", "csh", "dtd"}
    | {"hbs", "handlebars", "j2", "jinja", "jinja2", "ksh", "mak", "make", "mli", "nasm", "nomad"}
    | {"tfvars", "phtml", "pp", "pyw", "qml", "robot", "sas", "sed", "sml", "sparql", "stan"}
    | {"typ", "wat", "xquery", "yang", "cuh", "dts", "dtsi", "gleam", "jsp", "gql", "xmp", "plist"}
    | {"csproj", "xaml", "bashrc", "zshrc", "vimrc", "editorconfig", "htaccess", "gitconfig"}
)
SCRIPT: Final = b"#!"
SAME_AS: Final = {
    "r": "R",  # which Pygments takes for REBOL
    **{"glsl": "frag", "geom": "frag", "jsonc": "json5", "pod": "pm", "edn": "clj", "avsc": "json"},
    **{"psm1": "ps1", "psd1": "ps1", "svelte": "html", "metal": "cpp", "env": "sh", "conf": "ini"},
    **{"gitconfig": "ini", "nims": "nim", "make": "mk", "makefile": "mk", "gql": "graphql"},
    **{
        "dockerfile": "docker",
        "nomad": "tf",
        "tfvars": "tf",
        "v": "sv",
        "jenkinsfile": "groovy",
        "fs": "fsi",
    },
    **dict.fromkeys(("j2", "jinja", "jinja2"), "html.j2"),
    **dict.fromkeys(("xmp", "plist", "csproj", "xaml"), "xml"),
    **dict.fromkeys(("vagrantfile", "podfile", "brewfile"), "rb"),
}
CODE_NAMES: Final = frozenset(
    {"dockerfile", "makefile", "gemfile", "rakefile", "cmakelists.txt", "jenkinsfile"}
    | {"vagrantfile", "podfile", "brewfile", "pipfile", "procfile", "caddyfile", "pkgbuild"}
)


def is_code(media_type: str, name: str, first: bytes = b"") -> bool:
    """Whether this is code by its media type; plain text by its file name or first line."""
    if media_type == "text/plain":
        is_named = extension_of(name) in CODE_EXTENSIONS or name.lower() in CODE_NAMES
        return is_named or first.startswith(SCRIPT)
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
    return {
        "name": _lexed_name(name[-120:]),
        "type": "application/json" if is_json else media_type,
        "is_json": is_json,
        "whole": original.size <= text.MAX_READ,
        "charset": charset(original.content_type),
    }


def _lexed_name(name: str) -> str:
    """Return the name; one of the same language for an extension or name that no lexer has."""
    extension = extension_of(name) or name.lower()
    return f"a.{SAME_AS[extension]}" if extension in SAME_AS else name
