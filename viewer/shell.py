"""The shell of the page: toolbar, facts, record, and the element that carries the bytes."""

from dataclasses import dataclass

from viewer import policy
from viewer.extensions import badge
from viewer.media_types import link_type
from viewer.names import file_name, shown_name
from viewer.original import Original
from viewer.preview import Preview
from viewer.templating import fragment
from viewer.wording import human_size

BYTES_HERE = "\0bytes\0"  # no text of a document can hold it: escaping makes NUL visible


@dataclass(frozen=True, slots=True)
class Delivery:
    """How this page reaches its reader, and what it may do there."""

    offline: bool = False
    content_url: str | None = None
    save_url: str | None = None
    oembed_url: str | None = None
    embed: bool = False
    may_save: bool = True
    parent: str = "*"


def head_and_tail(original: Original, preview: Preview, way: Delivery) -> tuple[bytes, bytes, bool]:
    """What stands before and after the bytes, and whether the bytes stand there at all."""
    embedded = not way.content_url and (way.may_save or preview.carrier != "a")
    page = fragment("viewer.html", **_values(original, preview, way, embedded=embedded))
    head, _, tail = page.partition(BYTES_HERE)
    return head.encode("utf-8", "replace"), tail.encode("utf-8", "replace"), embedded


def _values(
    original: Original, preview: Preview, way: Delivery, *, embedded: bool
) -> dict[str, object]:
    name = shown_name(original.name, original.id, original.content_type)
    return {
        "preview": preview,
        "way": way,
        "record": original.record(),
        "name": name,
        "original_name": original.name.strip() or name,
        "comment_name": _fit_for_comment(name),
        "file_name": _fit_for_comment(file_name(name)).replace(" ", "_"),
        "badge": badge(name, preview.kind),
        "summary": (preview.label, human_size(original.size), *preview.facts),
        "policy": policy.offline(preview) if way.offline else None,
        "source": _source(original, preview) if embedded else way.content_url,
        "embedded": embedded,
    }


def _source(original: Original, preview: Preview) -> str:
    safe = link_type(original.kind(), is_image=preview.carrier == "img")
    return f"data:{safe};base64,{BYTES_HERE}"


def _fit_for_comment(name: str) -> str:
    """Nothing in it can end a comment or mean something to a command line."""
    return "".join(c if c.isalnum() or c in " ._" else "_" for c in name)
