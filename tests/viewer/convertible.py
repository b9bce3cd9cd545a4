"""Documents that are complete enough for LibreOffice."""

import io
import zipfile

TEXT = "application/vnd.oasis.opendocument.text"
NAMESPACES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{urn}:1.0"'
    for name, urn in (("office", "office"), ("text", "text"), ("draw", "drawing"))
    + (("svg", "svg-compatible"), ("script", "script"))
)
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
DOCUMENT = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
RELATIONS = "application/vnd.openxmlformats-package.relationships+xml"
RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def package(files):
    """Return a ZIP file of these files, not compressed."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return stream.getvalue()


def docx(text):
    """Return a Word document of one paragraph."""
    return package(
        {
            "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types">'
            f'<Default Extension="rels" ContentType="{RELATIONS}"/>'
            f'<Override PartName="/word/document.xml" ContentType="{DOCUMENT}"/></Types>',
            "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="a" '
            f'Type="{RELATION}" Target="word/document.xml"/></Relationships>',
            "word/document.xml": f'<w:document xmlns:w="{WORD}"><w:body><w:p><w:r><w:t>{text}</w:t>'
            "</w:r></w:p></w:body></w:document>",
        }
    )


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
    return package(files)
