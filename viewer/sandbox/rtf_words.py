"""Control words of RTF that are skipped, and those that stand for a format or a character."""

from typing import Final

SKIPPED: Final = frozenset(
    {"fonttbl", "colortbl", "stylesheet", "info", "header", "headerl", "headerr", "headerf"}
    | {"footer", "footerl", "footerr", "footerf", "nonshppict", "object", "xe", "tc", "rxe"}
    | {"listtable", "listoverridetable", "revtbl", "themedata", "datastore", "filetbl", "fldinst"}
)
FORMATS: Final = {"b": "strong", "i": "em", "ul": "u", "strike": "s", "super": "sup", "sub": "sub"}
OFF: Final = {"ulnone": ("ul",), "nosupersub": ("super", "sub"), "plain": tuple(FORMATS)}
CHARACTERS: Final = {
    **{"tab": "\u2003", "emdash": "—", "endash": "–", "bullet": "•", "emspace": "\u2003"},
    **{"lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”", "enspace": "\u2002"},
    **{"~": "\u00a0", "_": "\u2011", "\\": "\\", "{": "{", "}": "}"},
}
BULLETS: Final = dict.fromkeys((0xF0A7, 0xF0B7, 0xF0D8, 0xF0FC), "•")  # of the font Symbol
PICTURES: Final = {"pngblip": "png", "jpegblip": "jpeg"}
