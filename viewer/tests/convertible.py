"""Documents that are complete enough for LibreOffice, and a program in its place."""

from viewer.tests import samples

TEXT = "application/vnd.oasis.opendocument.text"
NAMESPACES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{urn}:1.0"'
    for name, urn in (("office", "office"), ("text", "text"), ("draw", "drawing"))
    + (("svg", "svg-compatible"), ("script", "script"))
)


def docx(text):
    """Return a Word document of one paragraph."""
    return samples.docx(f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>")


def open_document(body, scripts="", more=()):
    """Return an OpenDocument text with this XML in its body, and further files."""
    content = (
        f'<office:document-content {NAMESPACES} xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'office:version="1.2">{scripts}<office:body><office:text>{body}</office:text></office:body>'
        "</office:document-content>"
    )
    files = {"mimetype": TEXT, "content.xml": content, **dict(more)}
    names = [name for name in files if name != "mimetype"]
    entries = "".join(
        f'<manifest:file-entry manifest:full-path="{name}" manifest:media-type="text/xml"/>'
        for name in names
    )
    files["META-INF/manifest.xml"] = (
        '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0" '
        f'manifest:version="1.2"><manifest:file-entry manifest:full-path="/" '
        f'manifest:media-type="{TEXT}"/>{entries}</manifest:manifest>'
    )
    return samples.package(**files)


def stand_in(folder):
    """Make a program that answers each conversion at once with a PDF of one page; return its path.

    It is isolated as LibreOffice is, and so may start no other program.
    """
    program = folder / "program" / "soffice.bin"
    program.parent.mkdir()
    text = samples.pdf("The first page.").decode()
    program.write_text(f"#!/usr/bin/sh\nprintf %s '{text}' > document.pdf\n")
    program.chmod(0o700)
    return program
