"""viewer/sandbox/converter.py and converter_process.py, with the real LibreOffice."""

import errno
import os
import re
import shutil
import time

import pypdfium2
import pytest

from viewer.sandbox import converter
from viewer.tests.convertible import docx, open_document

SECRET = "what-only-the-service-may-read"
RTF = rb"{\rtf1\ansi Hello {\b bold} world.}"
FIELDS = (
    rb'{\field{\*\fldinst INCLUDEPICTURE "%s" \\d}{\fldrslt here}} after.\par '
    rb'{\field{\*\fldinst DDEAUTO soffice "%s" A1}{\fldrslt here}} after.\par '
    rb"{\field{\*\fldinst LINK Word.Document.8 %s \\a}{\fldrslt here}} after."
)
FRAMES = "image", "object", "floating-frame"
MACRO = (
    '<script:module xmlns:script="http://openoffice.org/2000/script" script:name="M" '
    'script:language="StarBasic">Sub Main\nShell("/bin/touch {0}/ran")\n'
    "Open &quot;{0}/ran&quot; For Output As #1\nEnd Sub</script:module>"
)
OPEN_EVENT = (
    '<office:scripts><office:event-listeners><script:event-listener script:language="ooo:script" '
    'script:event-name="dom:load" xlink:type="simple" xlink:href="vnd.sun.star.script:Standard.M'
    '.Main?language=Basic&amp;location=document"/></office:event-listeners></office:scripts>'
)


@pytest.fixture
def isolated(soffice):
    """LibreOffice, isolated by Landlock."""
    return converter.find_converter(soffice)


def text_of(converter_, data, extension):
    """Return the text of the PDF that is made of a document."""
    result = converter.Conversion(converter_, extension, 120).run([data], {})
    assert result.failure is None
    document = pypdfium2.PdfDocument(result.messages[0][1])
    return "".join(page.get_textpage().get_text_bounded() for page in document)


def left_folders():
    return list(converter.MEMORY_FOLDER.glob(f"{converter.PREFIX}*"))


@pytest.mark.parametrize(
    ("data", "extension", "said"),
    [
        (RTF, "rtf", "bold"),
        (open_document("<text:p>Hello</text:p>"), "odt", "Hello"),
        (docx("Hello"), "docx", "Hello"),
    ],
)
def test_a_document_becomes_a_pdf_with_its_text(isolated, data, extension, said):
    assert said in text_of(isolated, data, extension)


def test_time_is_limited_and_nothing_is_left(isolated, monkeypatch):
    monkeypatch.setattr(converter, "PREFIX", f"docservice-test-{os.getpid()}-")
    start = time.monotonic()
    result = converter.Conversion(isolated, "rtf", 0.01).run([RTF], {})

    assert result.failure == "time"
    assert result.may_go_well_later
    assert not result.messages
    assert time.monotonic() - start < 60
    assert left_folders() == []


def without_room():
    yield RTF
    raise OSError(errno.ENOSPC, "no space left on device")


@pytest.mark.parametrize(
    ("pieces", "extension", "limit", "most"),
    [
        ([b"PK\x03\x04nonsense"], "docx", "MAX_PDF", 1 << 20),
        ([RTF], "rtf", "MAX_FOLDER", 10),
        ([RTF], "rtf", "MAX_PDF", 100),
        (without_room(), "rtf", "MAX_PDF", 1 << 20),
    ],
    ids=["no document", "much room", "a large PDF", "no room in memory"],
)
def test_what_is_no_document_or_takes_too_much_room_fails(
    soffice, monkeypatch, pieces, extension, limit, most
):
    monkeypatch.setattr(converter, limit, most)
    found = converter.find_converter(soffice)
    result = converter.Conversion(found, extension, 120).run(pieces, {})

    assert result.failure
    assert not result.messages


def test_fields_fetch_nothing(isolated, listener):
    heard = len(listener.heard)
    address = f"http://127.0.0.1:{listener.port}/field".encode()

    said = text_of(isolated, rb"{\rtf1 %b}" % FIELDS.replace(b"%s", address), "rtf")
    assert said.count("after") == 3
    assert listener.heard[heard:] == []


FRAMED = '<text:p><draw:frame svg:width="2cm" svg:height="2cm">{}</draw:frame>after</text:p>'
LINKS = "".join(FRAMED.format(f'<draw:{one} xlink:href="ADDRESS"/>') for one in FRAMES) + (
    '<text:section text:name="a"><text:section-source xlink:href="ADDRESS"/><text:p>x</text:p>'
    "</text:section><text:p>after</text:p>"
)


def test_links_of_a_document_fetch_nothing_and_read_no_file(isolated, listener, tmp_path):
    secret = tmp_path / "secret.txt"
    heard = len(listener.heard)
    secret.write_text(SECRET)
    for address in (f"http://127.0.0.1:{listener.port}/link", secret.as_uri()):
        said = text_of(isolated, open_document(LINKS.replace("ADDRESS", address)), "odt")
        assert said.count("after") == 4
        assert SECRET not in said
    assert listener.heard[heard:] == []


def test_macros_do_not_run(isolated, tmp_path):
    library = '<library:library xmlns:library="http://openoffice.org/2000/library" %s/>'
    more = {
        "Basic/Standard/M.xml": MACRO.format(converter.MEMORY_FOLDER),
        "Basic/Standard/script-lb.xml": library % 'library:name="Standard"',
    }
    marker = converter.MEMORY_FOLDER / "ran"

    assert "after" in text_of(
        isolated, open_document("<text:p>after</text:p>", OPEN_EVENT, more), "odt"
    )
    assert not marker.exists()


@pytest.fixture
def probe(isolated, tmp_path):
    """Runs a shell command in place of LibreOffice, isolated in the same way; returns its text."""

    def run(command):
        folder = converter.tempfile.mkdtemp(prefix=converter.PREFIX, dir=converter.MEMORY_FOLDER)
        try:
            return _run(command, converter.Path(folder))
        finally:
            shutil.rmtree(folder)

    def _run(command, folder):
        program = folder / "program" / "soffice.bin"
        program.parent.mkdir()
        program.write_text(f"#!/usr/bin/sh\nexec > {folder}/said 2>&1\n{command}\n")
        program.chmod(0o700)
        stand_in = converter.Converter(str(program), "")
        converter._run(stand_in, folder / "document.odt", time.monotonic() + 60)
        return (folder / "said").read_text()

    return run


def test_the_process_reads_no_file_outside_its_folder(probe, tmp_path):
    secret = tmp_path / "keyring"
    secret.write_text(SECRET)
    said = probe(f'read line < {secret}; echo "[$line]"; read line < /etc/passwd; echo "[$line]"')

    assert said.count("[]") == 2, said


def test_the_process_writes_no_file_outside_its_folder(probe, tmp_path):
    probe(f"echo x > {tmp_path}/written; echo x > {converter.MEMORY_FOLDER}/written")

    assert not (tmp_path / "written").exists()
    assert not (converter.MEMORY_FOLDER / "written").exists()


def test_the_process_starts_and_signals_no_other(probe):
    said = probe(f"kill -0 {os.getpid()} && echo reached; (echo forked); /bin/true && echo started")

    assert not {"reached", "forked", "started"} & set(said.split())


def test_the_process_gets_nothing_of_the_environment(probe, monkeypatch):
    monkeypatch.setenv("DOCSERVICE_KEYRING", SECRET)
    said = probe("export -p")

    assert "HOME=" in said
    assert SECRET not in said


def test_what_a_killed_service_left_is_removed():
    folder = converter.MEMORY_FOLDER / f"{converter.PREFIX}left"
    folder.mkdir(exist_ok=True)
    converter.remove_left_folders()
    assert folder.exists()

    long_ago = time.time() - converter.LEFT_SECONDS - 1
    os.utime(folder, (long_ago, long_ago))
    converter.remove_left_folders()
    assert not folder.exists()


def test_a_result_that_is_no_file_is_not_read(tmp_path):
    (tmp_path / "secret").write_bytes(b"%PDF-" + SECRET.encode())
    (tmp_path / "link.pdf").symlink_to(tmp_path / "secret")
    os.mkfifo(tmp_path / "pipe.pdf")
    for name in ("link.pdf", "pipe.pdf", "none.pdf"):
        assert converter._result(tmp_path / name).failure


def test_a_program_that_is_no_libreoffice_is_named(tmp_path):
    with pytest.raises(converter.NoConverterError, match=r"no soffice\.bin"):
        converter.find_converter(str(tmp_path / "soffice"))


@pytest.mark.parametrize(
    ("missing", "replacement", "said"),
    [
        ("_is_memory", lambda _: False, "is no memory file system"),
        ("seccomp_available", lambda: False, "no seccomp"),
        ("landlock_version", lambda: 0, "no Landlock"),
    ],
)
def test_without_isolation_or_memory_there_is_no_converter(
    monkeypatch, soffice, missing, replacement, said
):
    monkeypatch.setattr(converter, missing, replacement)
    with pytest.raises(converter.NoConverterError, match=said):
        converter.find_converter(soffice)


def test_a_folder_on_a_disk_is_no_memory():
    assert not converter._is_memory(converter.Path("/"))


def test_no_converter_is_chosen_by_off_or_where_there_is_none(monkeypatch):
    monkeypatch.setattr(converter.shutil, "which", lambda _: None)
    converter.configured_converter.cache_clear()
    assert converter.configured_converter("off") == (None, "")
    assert converter.configured_converter(None) == (None, converter.NOT_INSTALLED)
    converter.configured_converter.cache_clear()


@pytest.fixture
def installation(tmp_path, monkeypatch):
    """A converter whose installation has all parts, and a folder with all fonts."""
    registry = tmp_path / "office" / "share" / "registry"
    fonts = tmp_path / "fonts"
    registry.mkdir(parents=True)
    fonts.mkdir()
    for part in ("main", "writer", "calc", "impress", "draw", "math"):
        (registry / f"{part}.xcd").touch()
    for font in ("LiberationSans", "Carlito", "Caladea"):
        (fonts / f"{font}-Regular.ttf").touch()
    monkeypatch.setattr(converter, "FONTS", fonts)
    return converter.Converter(str(tmp_path / "office" / "program" / "soffice.bin"), "")


def test_a_complete_libreoffice_lacks_nothing(installation):
    assert list(converter.missing_parts(installation)) == []


@pytest.mark.parametrize(
    ("missing", "said"),
    [
        (
            "office/share/registry/math.xcd",
            "LibreOffice lacks Math: formulas in documents are blank",
        ),
        ("office/share/registry/calc.xcd", "LibreOffice lacks Calc: of workbooks only XLSX are"),
        ("fonts/Carlito-Regular.ttf", "The font Carlito is missing: lines in Calibri break"),
        ("fonts/LiberationSans-Regular.ttf", "The font Liberation is missing: lines in Arial and"),
    ],
)
def test_each_part_that_is_missing_is_a_sentence_with_its_package(
    installation, tmp_path, missing, said
):
    (tmp_path / missing).unlink()
    (sentence,) = converter.missing_parts(installation)

    assert sentence.startswith(said)
    assert re.search(r"\. Install (libreoffice|fonts)-[a-z-]+\.$", sentence)


def test_the_fonts_that_libreoffice_brings_along_count(installation, tmp_path):
    (tmp_path / "fonts").rename(tmp_path / "office" / "share" / "fonts")

    assert list(converter.missing_parts(installation)) == []


def test_a_program_without_a_registry_is_not_judged(tmp_path):
    assert (
        list(
            converter.missing_parts(converter.Converter(str(tmp_path / "program" / "soffice"), ""))
        )
        == []
    )


def test_why_there_is_no_converter_is_a_sentence():
    found, why_off = converter.configured_converter("/bin/sh")

    assert found is None
    assert why_off.startswith("Documents and slides are not converted to pages. /bin/sh")
