"""viewer/formats/mail/tnef.py"""

from email.message import EmailMessage
from struct import pack

from viewer.formats.mail.tnef import ATTACHED, BODY, CODE_PAGE, DATA, MESSAGE, NEW, TITLE, files
from viewer.tests.samples import original, preview_of


def made(*attributes):
    """A file of these attributes, each a number and its value."""
    packed = (pack("<BII", 1, number, len(value)) + value + b"ss" for number, value in attributes)
    return b"\x78\x9f\x3e\x22kk" + b"".join(packed)


def values(kind, number, *texts, name=b""):
    padded = (pack("<I", len(text)) + text + bytes(-len(text) % 4) for text in texts)
    return pack("<HH", kind, number) + name + pack("<I", len(texts)) + b"".join(padded)


NAMED = bytes(16) + pack("<II", 1, 2) + b"a\0\0\0"
PAGE = pack("<I", 3) + pack("<HHI", 3, 1, 7) + values(31, 0x8001, b"x\0", name=NAMED)
LONG = (
    pack("<I", 2) + pack("<HHQ", 64, 1, 7) + values(31, 0x3707, "Größe.txt\0".encode("utf-16-le"))
)
PACKED = made(
    (CODE_PAGE, pack("<II", 1251, 0)),
    (BODY, b"Hello\0"),
    (MESSAGE, PAGE + values(258, 0x1013, b"<p>Hello")),
    (NEW, b"x"),
    (TITLE, "Отчёт.csv\0".encode("cp1251")),
    (DATA, b"a,b\n"),
    (NEW, b"x"),
    (TITLE, b"GR~1.TXT\0"),
    (DATA, b"words"),
    (ATTACHED, LONG),
    (NEW, b"x"),
    (TITLE, b"empty"),
)
FILES = [
    ("message.txt", b"Hello"),
    ("message.html", b"<p>Hello"),
    ("Отчёт.csv", b"a,b\n"),
    ("Größe.txt", b"words"),
]


def test_the_text_and_the_files_are_taken_out_by_their_long_names():
    assert list(files(PACKED)) == FILES


def attached(content):
    """An attachment that is an object, as messages are: 16 bytes say what, its own follow."""
    value = bytes(16) + content
    return (NEW, b"x"), (ATTACHED, pack("<I", 1) + values(13, 0x3701, value))


def test_an_attached_object_is_taken_out_and_what_is_in_an_attached_message():
    assert list(files(made(*attached(b"drawing"), (TITLE, b"Drawing")))) == [
        ("Drawing", b"drawing")
    ]
    assert list(files(made(*attached(PACKED)))) == [("", PACKED), *FILES]


def test_messages_in_messages_are_opened_up_to_a_depth():
    packed = PACKED
    for _ in range(9):
        packed = made(*attached(packed))

    assert len(list(files(packed))) == 5


def test_a_body_of_rtf_is_taken_out_as_the_page_or_the_text_that_it_is():
    def found(rtf):
        packed = len(rtf).to_bytes(4, "little") * 2 + b"MELA" + b"\0\0\0\0" + rtf
        return list(files(made((MESSAGE, pack("<I", 1) + values(258, 0x1009, packed)))))

    assert found(rb"{\rtf1 Dear all}") == [("message.txt", b"Dear all")]
    assert found(rb"{\rtf1\fromhtml1 {\*\htmltag <p>}caf\'e9}") == [
        ("message.html", "<p>café".encode())
    ]


def test_what_is_before_the_damage_is_taken_out():
    assert list(files(b"no" + PACKED)) == []
    for end in range(len(PACKED)):
        found = list(files(PACKED[:end]))
        assert found[:-1] == FILES[: max(len(found) - 1, 0)]


def test_they_are_attachments_of_the_mail_beside_what_they_were_packed_in():
    message = EmailMessage()
    message.set_content("See below.")
    message.add_attachment(PACKED, "application", "ms-tnef", filename="winmail.dat")
    body = preview_of(original(message.as_bytes(), "a.eml")).body.decode()

    assert body.index("<b>winmail.dat</b>") < body.index("<b>Отчёт.csv</b>")
    assert ">words" in body


def test_a_packed_file_by_itself_is_shown_as_a_mail():
    shown = preview_of(original(PACKED, "winmail.dat"))

    assert (shown.kind, shown.facts) == ("mail", ("5 attachments",))
    assert "<b>Отчёт.csv</b>" in shown.body.decode()
