"""viewer/formats/sheets/xml_2003.py"""

from tests.viewer.samples import original, preview_of

STYLES = """<Style ss:ID="a"><Font ss:Bold="1"/><NumberFormat ss:Format="Percent"/></Style>
<Style ss:ID="b"><NumberFormat ss:Format="0.0"/></Style>"""
ROWS = """<Row ss:Index="2"><Cell ss:StyleID="a" ss:MergeAcross="1">
<Data ss:Type="String">Na<B>me</B></Data></Cell><Cell><Data ss:Type="Number">12</Data></Cell></Row>
<Row><Cell ss:Index="2" ss:StyleID="a"><Data ss:Type="Number">0.125</Data></Cell>
<Cell ss:StyleID="b"><Data ss:Type="Number">2.26</Data></Cell></Row>
<Row><Cell><Data ss:Type="DateTime">2026-01-31T00:00:00.000</Data></Cell>
<Cell><Data ss:Type="DateTime">2026-01-31T09:30:00</Data></Cell>
<Cell><Data ss:Type="Boolean">1</Data></Cell><Cell/></Row>"""
OPTIONS = "<WorksheetOptions><Visible>SheetHidden</Visible></WorksheetOptions>"
BOOK = f"""<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?>
<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"
 xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet"><Styles>{STYLES}</Styles>
<Worksheet ss:Name="Costs"><Table>{ROWS}</Table></Worksheet>
<Worksheet ss:Name="Other">{OPTIONS}</Worksheet></Workbook>"""


def test_values_are_shown_by_their_formats_and_hidden_sheets_are_counted():
    for content_type in ("application/vnd.ms-excel", "application/octet-stream"):
        shown = preview_of(original(BOOK.encode(), "a.xls", content_type))
        html = shown.body.decode()

        assert (shown.kind, shown.label, shown.facts) == ("sheets", "Spreadsheet", ("1 sheet",))
        assert shown.note == "1 hidden sheet is not shown."
        assert "<h2>Costs</h2>" in html
        for text in (">Name", ">12<", ">12.50%<", ">2.3<", ">2026-01-31<", ">TRUE<"):
            assert text in html
        assert "2026-01-31 09:30:00" in html
        assert "colspan=2" in html
        assert "<tr><th>2<" in html


def test_a_damaged_one_is_a_card():
    assert preview_of(original(BOOK[:-9].encode(), "a.xls")).kind == "unknown"
