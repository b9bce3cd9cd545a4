"""Bodies of `multipart/form-data`, and the parts that each one has.

Their subjects are those of the conformance suite `simonw/multipart-form-data-conformance`, and what
curl, browsers, requests and .NET send.
"""

from dataclasses import dataclass

from tests.forms import BOUNDARY, FORM, body, field, file, part

REFUSED = None


@dataclass(frozen=True)
class Case:
    """`parts` are name, filename, content type and content of each; `REFUSED` if malformed."""

    about: str
    body: bytes
    parts: list | None
    content_type: str = FORM


VALUE = [("field", None, None, b"value")]


def named(about, parameters, filename):
    """A case of a file whose `Content-Disposition` has these parameters."""
    raw = body(part(f'name="file"; {parameters}'))
    return Case(about, raw, [("file", filename, None, b"value")])


def bounded(about, boundary, parameter=None):
    """A case with this boundary, which `parameter` gives in `Content-Type`."""
    header = f"multipart/form-data; boundary={parameter or boundary}"
    return Case(about, body(field(), boundary=boundary), VALUE, header)


def holding(about, content):
    """A case of a part with this content."""
    return Case(about, body(field(content=content)), [("field", None, None, content)])


NAMES = [
    named("an ASCII name", 'filename="report.pdf"', "report.pdf"),
    named("a name in UTF-8", 'filename="文档 é.pdf"', "文档 é.pdf"),
    named("spaces and a semicolon", 'filename="my; report.txt"', "my; report.txt"),
    named("a quote as browsers write it", 'filename="a%22b.txt"', 'a"b.txt'),
    named("line ends as browsers write them", 'filename="a%0D%0Ab.txt"', "a\r\nb.txt"),
    named("a percent sign that means nothing else", 'filename="100%25.txt"', "100%25.txt"),
    named("a quote after a backslash", r'filename="a\"b.txt"', 'a"b.txt'),
    named("a backslash after a backslash", r'filename="folder\\a.txt"', r"folder\a.txt"),
    named("a single backslash, as Chrome on Linux", r'filename="a\b.txt"', r"a\b.txt"),
    named("a path of Windows", r'filename="C:\Users\me\report.pdf"', "report.pdf"),
    named("a path of a Windows server", r'filename="\\\\nas\\in\\report.pdf"', "report.pdf"),
    named("a path", 'filename="../../etc/passwd"', "passwd"),
    named("no file was chosen", 'filename=""', ""),
    named("a token without quotes", "filename=report.pdf", "report.pdf"),
    named("RFC 8187", "filename*=UTF-8''%E6%96%87.pdf", "文.pdf"),
    named(
        "RFC 8187 beside RFC 2047, as .NET",
        "filename=\"=?utf-8?B?5paH?=\"; filename*=utf-8'en'%E6%96%87.pdf",
        "文.pdf",
    ),
    named(
        "RFC 5987, in Latin-1",
        "filename=\"e.txt\"; filename*=iso-8859-1'en'%E9.txt",
        "é.txt",
    ),
    named(
        "a name in another charset, beside one that can be read",
        "filename=\"e.txt\"; filename*=koi8-r''%C1.txt",
        "e.txt",
    ),
    named("half of a letter beside a name", "filename=e.txt; filename*=UTF-8''%E9", "e.txt"),
    named("RFC 2231, in pieces", 'filename*0="a long "; filename*1="name.txt"', "a long name.txt"),
    named(
        "RFC 2231, in pieces that are encoded or not, in any order",
        "filename*1=\"%41.txt\"; filename*0*=utf-8'en'%E6%96%87",
        "文%41.txt",
    ),
    named(
        "RFC 2231, a letter across pieces",
        "filename*0*=UTF-8''%E6%96; filename*1*=%87.pdf",
        "文.pdf",
    ),
    named("RFC 2231, without a first piece", 'filename="b"; filename*1="a"', "b"),
    named("RFC 2047", 'filename="=?utf-8?B?5paHLnBkZg==?="', "文.pdf"),
    named("RFC 2047, quoted-printable", 'filename="=?iso-8859-1?q?=E9=5Fa.txt?="', "é_a.txt"),
    named(
        "RFC 2047, two words",
        'filename="=?utf-8?B?5paH?= =?utf-8?B?5paHLnBkZg==?="',
        "文文.pdf",
    ),
    named("RFC 2231, an encoded word with a language", 'filename="=?utf-8*zh?B?5paH?="', "文"),
    named("what only looks like RFC 2047", 'filename="a =?utf-8?B?5paH?="', "a =?utf-8?B?5paH?="),
    named("RFC 2047 that does not decode", 'filename="=?none?B?5paH?="', "=?none?B?5paH?="),
    named("a semicolon at the end", 'filename="a.txt";', "a.txt"),
    named("blanks around the sign", 'filename = "a.txt" ; ', "a.txt"),
    named("a tab before a parameter", ';\tfilename="a.txt"'[1:], "a.txt"),
    Case(
        "parameters in another order",
        body(part('filename="a"; name="file"')),
        [("file", "a", None, b"value")],
    ),
    Case("a name of a field as a token", body(part("name=field")), VALUE),
    Case("a quote in the name of a field", body(field("a%22b")), [('a"b', None, None, b"value")]),
]
HEADS = [
    Case("one field", body(field()), VALUE),
    Case(
        "several fields",
        body(field("a", b"1"), field("b", b"2")),
        [("a", None, None, b"1"), ("b", None, None, b"2")],
    ),
    Case("the same name twice", body(field(), field()), VALUE * 2),
    Case(
        "a file with its type",
        body(file("a.png", b"PNG", "Content-Type: image/png")),
        [("file", "a.png", "image/png", b"PNG")],
    ),
    Case(
        "a type with a charset",
        body(file("a.txt", "é".encode(), "Content-Type: text/plain; charset=utf-8")),
        [("file", "a.txt", "text/plain; charset=utf-8", "é".encode())],
    ),
    Case("a file without a type", body(file("a")), [("file", "a", None, b"value")]),
    Case(
        "an encoding that changes nothing, and a field nobody knows",
        body(file("a", b"value", "Content-Transfer-Encoding: binary", "X-Any: 1")),
        [("file", "a", None, b"value")],
    ),
    Case(
        "names in capitals",
        body(field().replace(b"Content-Disposition", b"CONTENT-DISPOSITION")),
        VALUE,
    ),
    Case(
        "a folded line",
        body(part('name="file";\r\n\tfilename="a"')),
        [("file", "a", None, b"value")],
    ),
]
CONTENTS = [
    holding("an empty part", b""),
    holding("all bytes", bytes(range(256))),
    holding("a byte order mark", b"\xef\xbb\xbftext"),
    holding("line ends of all kinds", b"a\r\nb\nc\rd\r\n"),
    holding("dashes", b"--\r\n--\r\n----\r\n"),
    holding("the boundary within a line", f"a --{BOUNDARY}\r\n".encode()),
    holding("the boundary without dashes", f"\r\n{BOUNDARY}\r\n".encode()),
    holding("the boundary after a line feed alone", f"a\n--{BOUNDARY}\r\n".encode()),
    holding("a line that only begins with the boundary", f"a\r\n--{BOUNDARY}5\r\n".encode()),
    holding("a line that only begins with the last boundary", f"a\r\n--{BOUNDARY}--5\r\n".encode()),
    holding("the beginning of the boundary", f"a\r\n--{BOUNDARY[:-1]}\r\n".encode()),
    holding("a line end before the boundary", b"a\r\n"),
    holding("half of a line end before the boundary", b"a\r"),
    Case(
        "a boundary without a line end before it belongs to the content",
        body(field("a", f"1--{BOUNDARY}\r\n".encode() + field("b"))),
        [("a", None, None, f"1--{BOUNDARY}\r\n".encode() + field("b"))],
    ),
]
BOUNDARIES = [
    bounded("letters and digits", "simple123"),
    bounded("one character", "x"),
    bounded("100 characters", "A" * 100),
    bounded("dashes, as WebKit", "----WebKitFormBoundary7MA4YWxkTrZu0gW"),
    bounded("dashes, as Firefox", "---------------------------1234567890123456789012345"),
    bounded("dashes, as curl", "------------------------d74496d66958873e"),
    bounded("all characters of RFC 2046 without quotes", "b'()+_,-./:=?"),
    bounded("quotes, with spaces", "two words", '"two words"'),
    bounded("quotes, as .NET", "5d1e-4f", '"5d1e-4f"'),
    bounded("spaces around it", "b123", " b123 ; charset=utf-8"),
    Case("capitals in Content-Type", body(field()), VALUE, FORM.replace("boundary", "Boundary")),
    Case("text before the first boundary", b"hello\r\n" + body(field()), VALUE),
    Case("a line end before the first boundary", b"\r\n" + body(field()), VALUE),
    Case("text after the last boundary", body(field()) + b"hello", VALUE),
    Case("no line end after the last boundary", body(field())[:-2], VALUE),
    Case("another form after the last boundary", body(field()) + body(field("b")), VALUE),
    Case("spaces after boundaries", body(field()).replace(b"Tests\r", b"Tests \t\r"), VALUE),
    Case("no part", body(), []),
]
MALFORMED = [
    Case(about, raw, REFUSED, *content_type)
    for about, raw, *content_type in (
        ("nothing", b""),
        ("text", b"hello"),
        ("cut off in a part", body(field())[:-30]),
        ("cut off before the last dash", body(field())[:-3]),
        ("cut off before the last two dashes", body(field())[:-4]),
        ("the last boundary like the others", body(field())[:-4] + b"\r\n"),
        ("another boundary", body(field(), boundary="other")),
        ("line feeds alone", body(field()).replace(b"\r\n", b"\n")),
        ("line feeds alone after the head", body(field()).replace(b"\r\n\r\n", b"\r\n\n")),
        ("no blank line", body(field()).replace(b"\r\n\r\n", b"\r\n")),
        ("no head", body(b"\r\nvalue")),
        ("nothing between boundaries", body(b"")),
        ("no line end between boundaries", f"--{BOUNDARY}\r\n--{BOUNDARY}--\r\n".encode()),
        ("a head that is too long", body(part('name="a"', b"", f"X: {'x' * 8192}"))),
        ("a head that is not UTF-8", body(file("é").decode().encode("latin-1"))),
        ("no Content-Disposition", body(b"Content-Type: text/plain\r\n\r\nvalue")),
        (
            "two Content-Dispositions",
            body(part('name="a"', b"", 'Content-Disposition: form-data; name="b"')),
        ),
        (
            "a disposition of e-mail",
            body(b'Content-Disposition: attachment; name="a"\r\n\r\nvalue'),
        ),
        ("no name", body(part('filename="a"'))),
        ("nonsense for parameters", body(part("!!!nonsense!!!"))),
        ("two names", body(part('name="a"; name="b"'))),
        ("a quote without an end", body(part('name="a'))),
        ("a quote within quotes", body(part('name="a"b"'))),
        ("a NUL in a name", body(part('name="a\0b"'))),
        ("a field without a colon", body(part('name="a"', b"", "nothing"))),
        ("a space before the colon", body(part('name="a"', b"", "X-Any : 1"))),
        ("base64", body(file("a", b"AAAA", "Content-Transfer-Encoding: base64"))),
        (
            "quoted-printable",
            body(file("a", b"=41", "Content-Transfer-Encoding: quoted-printable")),
        ),
        ("filename* in another charset", body(part("name=file; filename*=koi8-r''%C1"))),
        ("filename* that is not UTF-8", body(part("name=file; filename*=UTF-8''%E9"))),
        ("filename* without a charset", body(part("name=file; filename*=a"))),
        ("no boundary", body(field()), "multipart/form-data"),
        ("an empty boundary", body(field()), "multipart/form-data; boundary="),
        ("an empty boundary in quotes", body(field()), 'multipart/form-data; boundary=""'),
        (
            "101 characters",
            body(field(), boundary="A" * 101),
            f"multipart/form-data; boundary={'A' * 101}",
        ),
        ("two boundaries", body(field()), f"{FORM}; boundary=other"),
        ("boundaries without end", f"--{BOUNDARY}\r\n".encode() * 5000),
    )
]
CASES = [*NAMES, *HEADS, *CONTENTS, *BOUNDARIES, *MALFORMED]
