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


SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
DRAWING = "http://schemas.openxmlformats.org/drawingml/2006"
CHART = (
    f'<c:chartSpace xmlns:c="{DRAWING}/chart" xmlns:a="{DRAWING}/main">'
    "<c:chart><c:plotArea><c:layout/><c:barChart>"
    '<c:barDir val="col"/><c:ser><c:idx val="0"/><c:order val="0"/>'
    '<c:spPr><a:solidFill><a:srgbClr val="0000FF"/></a:solidFill></c:spPr><c:val><c:numRef>'
    "<c:f>Sales!$B$1:$B$3</c:f></c:numRef></c:val></c:ser>"
    '<c:axId val="1"/><c:axId val="2"/></c:barChart>'
    '<c:catAx><c:axId val="1"/><c:axPos val="b"/><c:crossAx val="2"/></c:catAx>'
    '<c:valAx><c:axId val="2"/><c:axPos val="l"/><c:crossAx val="1"/></c:valAx>'
    "</c:plotArea></c:chart></c:chartSpace>"
)
CHART_FRAME = (
    f'<xdr:wsDr xmlns:xdr="{DRAWING}/spreadsheetDrawing" xmlns:a="{DRAWING}/main" '
    f'xmlns:c="{DRAWING}/chart" xmlns:r="{samples.RELATIONSHIPS}"><xdr:twoCellAnchor>'
    "<xdr:from><xdr:col>2</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>1</xdr:row>"
    "<xdr:rowOff>0</xdr:rowOff></xdr:from><xdr:to><xdr:col>8</xdr:col><xdr:colOff>0</xdr:colOff>"
    "<xdr:row>16</xdr:row><xdr:rowOff>0</xdr:rowOff></xdr:to>"
    '<xdr:graphicFrame><xdr:nvGraphicFramePr><xdr:cNvPr id="2" name="Chart"/>'
    "<xdr:cNvGraphicFramePr/></xdr:nvGraphicFramePr><xdr:xfrm/><a:graphic><a:graphicData "
    f'uri="{DRAWING}/chart"><c:chart r:id="chart"/></a:graphicData></a:graphic>'
    "</xdr:graphicFrame><xdr:clientData/></xdr:twoCellAnchor></xdr:wsDr>"
)
SALES = "".join(
    f'<row r="{n}"><c r="A{n}" t="inlineStr"><is><t>{name}</t></is></c>'
    f'<c r="B{n}"><v>{value}</v></c></row>'
    for n, (name, value) in enumerate((("North", 30), ("South", 20), ("West", 10)), 1)
)


def workbook(rows=SALES, head="", tail='<drawing r:id="drawing"/>'):
    """Return a workbook of one sheet with a chart in blue; `head` and `tail` surround its rows."""
    types = {
        "xl/workbook.xml": f"{samples.OPEN_XML}spreadsheetml.sheet.main+xml",
        "xl/worksheets/sheet1.xml": f"{samples.OPEN_XML}spreadsheetml.worksheet+xml",
        "xl/drawings/drawing1.xml": f"{samples.OPEN_XML}drawing+xml",
        "xl/charts/chart1.xml": f"{samples.OPEN_XML}drawingml.chart+xml",
    }
    overrides = "".join(
        f'<Override PartName="/{name}" ContentType="{type}"/>' for name, type in types.items()
    )
    relationships = {
        "_rels/.rels": samples.typed_relationships(officeDocument="xl/workbook.xml"),
        "xl/_rels/workbook.xml.rels": samples.typed_relationships(
            worksheet="worksheets/sheet1.xml"
        ),
        "xl/worksheets/_rels/sheet1.xml.rels": samples.typed_relationships(
            drawing="../drawings/drawing1.xml"
        ),
        "xl/drawings/_rels/drawing1.xml.rels": samples.typed_relationships(
            chart="../charts/chart1.xml"
        ),
    }
    return samples.package(
        **{
            "[Content_Types].xml": f'<Types xmlns="{samples.PACKAGE}/content-types">'
            '<Default Extension="rels" '
            'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            f"{overrides}</Types>",
            "xl/workbook.xml": f'<workbook xmlns="{SHEET}" xmlns:r="{samples.RELATIONSHIPS}">'
            '<sheets><sheet name="Sales" sheetId="1" r:id="worksheet"/></sheets></workbook>',
            "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{SHEET}" '
            f'xmlns:r="{samples.RELATIONSHIPS}">{head}<sheetData>{rows}</sheetData>{tail}'
            "</worksheet>",
            "xl/drawings/drawing1.xml": CHART_FRAME,
            "xl/charts/chart1.xml": CHART,
            **relationships,
        }
    )


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
