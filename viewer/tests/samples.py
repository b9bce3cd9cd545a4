"""Small documents of every kind, generated without files, fonts or network."""

import base64
import gzip
import io
import json
import math
import re
import struct
import tarfile
import wave
import zipfile
import zlib
from email.message import EmailMessage
from functools import cache
from hashlib import md5, sha256

from PIL import Image, ImageDraw

from viewer import Contents, Listed, ShownDocument, download_several
from viewer.content.kinds import type_of_name

OPEN_XML = "application/vnd.openxmlformats-officedocument."
OPEN_DOCUMENT = "application/vnd.oasis.opendocument."
OPEN_DOCUMENT_SVG = "urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0"


def several(files, seal=None):
    """The file with these documents (name, type, bytes), encrypted if there is a seal."""
    listed = [
        Listed(name, "x", kind, kind, one.size, one.sha256, lambda one=one: one)
        for name, kind, data in files
        for one in [original(data, name, kind)]
    ]
    return b"".join(download_several(Contents("Our offer", "For Monday", listed), seal)[1])


def original(data, name="file", content_type="application/octet-stream", **facts):
    """A document as the service gives it to the viewer, read in pieces of 7,001 bytes."""

    def read(start, stop):
        return (data[at : min(at + 7001, stop)] for at in range(start, stop, 7001))

    digest = facts.get("sha256") or sha256(data).hexdigest()
    created = "2026-01-31T09:30:00.000Z"
    return ShownDocument(
        "doc_0123",
        name,
        "doc_0123.bin",
        content_type,
        len(data),
        digest,
        created,
        read,
        named_type=type_of_name(name),
    )


def pdf(*texts, extra="", catalog=""):
    """A PDF with one page of 300 by 200 points for each text, in a standard font."""
    count = len(texts)
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(count))
    objects = [
        f"<</Type/Catalog/Pages 2 0 R {catalog}>>",
        f"<</Type/Pages/Count {count}/Kids[{kids}]>>",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    for n, text in enumerate(texts):
        stream = f"BT /F1 18 Tf 40 120 Td ({text}) Tj ET"
        objects.append(
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Contents {5 + 2 * n} 0 R"
            f"/Resources<</Font<</F1 3 0 R>>>>{extra}>>"
        )
        objects.append(f"<</Length {len(stream)}>>stream\n{stream}\nendstream")
    body = b"%PDF-1.7\n"
    places = []
    for number, content in enumerate(objects, 1):
        places.append(len(body))
        body += f"{number} 0 obj{content}endobj\n".encode("latin-1")
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    count = len(objects) + 1
    table = f"xref\n0 {count}\n0000000000 65535 f \n{table}"
    return (
        body + f"{table}trailer<</Size {count}/Root 1 0 R>>\nstartxref\n{len(body)}\n%%EOF".encode()
    )


def pdf_without_its_font(text):
    """A PDF of a page with this text in a Japanese font, which it names but does not hold."""
    drawn = f"BT /F1 60 Tf 40 80 Td <{text.encode('utf-16-be').hex()}> Tj ET"
    named = b"/BaseFont/HeiseiMin-W3"
    inner = (
        b"<</Type/Font/Subtype/CIDFontType0%b/CIDSystemInfo<</Registry(Adobe)/Ordering(Japan1)"
        b"/Supplement 2>>/DW 1000/FontDescriptor<</Type/FontDescriptor/FontName/HeiseiMin-W3"
        b"/Flags 4/FontBBox[0 -200 1000 900]/Ascent 800/Descent -200/StemV 80>>>>" % named
    )
    font = b"<</Type/Font/Subtype/Type0%b/Encoding/UniJIS-UCS2-H/DescendantFonts[%b]>>"
    whole = pdf("x").replace(
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>", font % (named, inner)
    )
    stream = b"BT /F1 18 Tf 40 120 Td (x) Tj ET"
    return whole.replace(stream, drawn.encode()).replace(
        b"/Length %d" % len(stream), b"/Length %d" % len(drawn)
    )


def slow_pdf():
    """A PDF of a few kilobytes whose page takes PDFium seconds to draw."""
    lines = "0 0 m 300 200 l 0 200 m 300 0 l S " * 20
    return pdf(f"slow) Tj ET 90 w [.1 .1] 0 d {lines} BT /F1 9 Tf (page")


def locked_pdf():
    """A PDF that opens with a password only."""
    digest = b"00" * 32
    lock = b"/Encrypt<</Filter/Standard/V 1/R 2/P -4/O<%b>/U<%b>>>/ID[<00><00>]" % (digest, digest)
    return pdf("x").replace(b"trailer<<", b"trailer<<" + lock)


def encrypted_pdf(password, text="Secret"):
    """A PDF that this password opens: 40 bits of RC4 (ISO 32000-1, 7.6)."""
    padding = bytes.fromhex("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a")
    padded = (password.encode() + padding)[:32]
    owner = _rc4(md5(padded).digest()[:5], padded)
    key = md5(padded + owner + struct.pack("<i", -4) + bytes(2)).digest()[:5]

    def encrypted(match):
        number = int(match[2]).to_bytes(3, "little")
        return match[1] + _rc4(md5(key + number + bytes(2)).digest()[:10], match[3]) + match[4]

    streams = rb"((\d+) 0 obj<</Length \d+>>stream\n)(.*?)(\nendstream)"
    body = re.sub(streams, encrypted, pdf(text), flags=re.S)
    lock = b"/Encrypt<</Filter/Standard/V 1/R 2/P -4/O<%b>/U<%b>>>/ID[<0000><0000>]"
    digests = owner.hex().encode(), _rc4(key, padding).hex().encode()
    return body.replace(b"trailer<<", b"trailer<<" + lock % digests)


def _rc4(key, data):
    state = list(range(256))
    j = 0
    out = bytearray()
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    i = j = 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)


def filled_form():
    """A PDF whose only content is the value of a text field, without a drawn appearance."""
    return b"""%PDF-1.7
1 0 obj<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[4 0 R]/DA(/F1 18 Tf 0 g)
/DR<</Font<</F1 5 0 R>>>>/NeedAppearances true>>>>endobj
2 0 obj<</Type/Pages/Count 1/Kids[3 0 R]>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Annots[4 0 R]>>endobj
4 0 obj<</Type/Annot/Subtype/Widget/FT/Tx/T(name)/V(WWWWWWWW)/F 4/DA(/F1 18 Tf 0 g)
/Rect[40 100 260 130]/P 3 0 R>>endobj
5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj
trailer<</Root 1 0 R>>
"""


def linked_pdf(*targets, title="Chapter", view="Fit"):
    """A PDF of two pages with an outline; the first has a link for each page or address."""
    to_page = f"/Dest[{{}} 0 R/{view}]"
    to_address = "/A<</S/URI/URI({})>>"
    actions = [
        to_page.format(2 + 2 * one) if isinstance(one, int) else to_address.format(one)
        for one in targets
    ]
    annotations = "".join(
        f"<</Type/Annot/Subtype/Link/Rect[40 {20 * at} 200 {20 * at + 15}]{action}>>"
        for at, action in enumerate(actions)
    )
    outline = f"/Outlines<</First<</Title({title})/Dest[6 0 R/{view}]>>/Count 1>>"
    return pdf("One", "Two", extra=f"/Annots[{annotations}]", catalog=outline)


def png(width=240, height=160):
    """A picture of a sunset."""
    image = Image.new("RGB", (width, height))
    stream = io.BytesIO()
    draw = ImageDraw.Draw(image)
    for y in range(height):
        sky = y / height
        draw.line((0, y, width, y), (int(40 + 200 * sky), int(60 + 70 * sky), 130))
    draw.circle((width * 0.6, height * 0.55), height * 0.16, (255, 214, 120))
    image.save(stream, "PNG")
    return stream.getvalue()


def picture(kind, *pages, size=(60, 40), mode="RGB", **options):
    """A picture in a format of Pillow's, one page of this size for each colour."""
    first, *others = (Image.new("RGB", size, page).convert(mode) for page in pages or ("teal",))
    out = io.BytesIO()
    first.save(
        out, kind, **({"save_all": True, "append_images": others} if others else {}), **options
    )
    return out.getvalue()


def psd(width=6, height=4):
    """A Photoshop file without layers: planes of red, green and blue."""
    head = b"8BPS" + struct.pack(">H6xHIIHH", 1, 3, height, width, 8, 3) + bytes(12)
    return head + bytes(2) + b"".join(bytes([level]) * (width * height) for level in (200, 80, 20))


HEIC = base64.b64decode(  # 64 by 48 pixels, teal
    "AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAWltZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAA"
    "AAAAAAAAAAAAACJpbG9jAAAAAERAAAEAAQAAAAABjQABAAAAAAAAABkAAAAjaWluZgAAAAAAAQAAABVpbmZlAgAA"
    "AAABAABodmMxAAAAAA5waXRtAAAAAAABAAAA6WlwcnAAAADKaXBjbwAAAHZodmNDAQNwAAAAkAAAAAAAHvAA/P34"
    "+AAADwNgAAEAGEABDAH//wNwAAADAJAAAAMAAAMAHroCQGEAAQAqQgEBA3AAAAMAkAAAAwAAAwAeoCCBBZbq5Ka5"
    "uAhoMCAAAAMDIAAAAwAhYgABAAZEAcFzwIkAAAAUaXNwZQAAAAAAAABAAAAAQAAAAChjbGFwAAAAQAAAAAEAAAAw"
    "AAAAAQAAAAAAAAAC////8AAAAAIAAAAQcGl4aQAAAAADCAgIAAAAF2lwbWEAAAAAAAAAAQABBIECBIMAAAAhbWRh"
    "dAAAABUoAa8LYPXlg6//8GtW4vI/iYU/1Dg="
)


def wav(seconds=1):
    """A sine tone."""
    out = io.BytesIO()
    with wave.open(out, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(8000)
        tone = (int(9000 * math.sin(n / 3)) for n in range(8000 * seconds))
        sound.writeframes(b"".join(struct.pack("<h", level) for level in tone))
    return out.getvalue()


def preview_of(document):
    return document.preview()


def package(**parts):
    """A zip archive; in part names `__` stands for a slash and `_dot_` for a dot."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name.replace("__", "/").replace("_dot_", "."), content)
    return out.getvalue()


def ar(**files):
    """An archive of these files, as Debian's packages are (System V ar)."""
    heads = {name: f"{name:16}{'0':32}{len(data):<10}`\n" for name, data in files.items()}
    return b"!<arch>\n" + b"".join(
        heads[name].encode() + data + b"\n" * (len(data) % 2) for name, data in files.items()
    )


def parts_of(data):
    """The content of each part of a package, to make another one of them."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def tar(mode="w:gz", **files):
    """A tar archive of these files, packed by gzip unless the mode says otherwise."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return out.getvalue()


RELATIONSHIPS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"


def relationships(**targets):
    items = "".join(
        f'<Relationship Id="{id}" Type="{RELATIONSHIPS}/any" Target="{target}"'
        + (' TargetMode="External"/>' if ":" in target else "/>")
        for id, target in targets.items()
    )
    return f'<Relationships xmlns="{PACKAGE}/relationships">{items}</Relationships>'


WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
WORD_PACKAGE = {  # what LibreOffice asks for beside the document
    "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types"><Default Extension="rels" '
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override '
    f'PartName="/word/document.xml" ContentType="{OPEN_XML}wordprocessingml.document.main+xml"/>'
    "</Types>",
    "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="a" '
    f'Type="{RELATIONSHIPS}/officeDocument" Target="word/document.xml"/></Relationships>',
}


def docx(body=None, **targets):
    styles = (
        f'<w:styles xmlns:w="{WORD}">'
        '<w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/></w:style>'
        '<w:style w:type="paragraph" w:styleId="LB"><w:name w:val="List Bullet"/></w:style>'
        "</w:styles>"
    )
    default = (
        '<w:p><w:pPr><w:pStyle w:val="H1"/></w:pPr><w:r><w:t>Annual report</w:t></w:r></w:p>'
        "<w:p><w:r><w:t>What we </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>did</w:t></w:r>"
        "<w:r><w:t> and why it matters to the people who read this far.</w:t></w:r></w:p>"
        '<w:p><w:pPr><w:pStyle w:val="LB"/></w:pPr><w:r><w:t>First</w:t></w:r></w:p>'
        '<w:p><w:pPr><w:pStyle w:val="LB"/></w:pPr><w:r><w:t>Second</w:t></w:r></w:p>'
        "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>Cell</w:t></w:r></w:p></w:tc>"
        "<w:tc><w:p><w:r><w:t>42</w:t></w:r></w:p></w:tc></w:tr></w:tbl>"
        '<w:p><w:hyperlink r:id="rId1"><w:r><w:t>the site</w:t></w:r></w:hyperlink></w:p>'
    )
    document = (
        f'<w:document xmlns:w="{WORD}" xmlns:r="{RELATIONSHIPS}">'
        f"<w:body>{body or default}</w:body></w:document>"
    )
    return package(
        **WORD_PACKAGE,
        word__document_dot_xml=document,
        word__styles_dot_xml=styles,
        word___rels__document_dot_xml_dot_rels=relationships(
            **(targets or {"rId1": "https://example.org/"})
        ),
    )


def xlsx(rows=None, format_id="14", code="", *, names=("Sales",), after="", **parts):
    """A workbook; its sheets have the same rows. Cells of style 1 have this number format."""
    default = (
        '<row><c r="A1" t="s"><v>0</v></c>'
        '<c r="B1" t="inlineStr"><is><t>Day</t></is></c>'
        '<c r="D1" t="inlineStr"><is><t>Units</t></is></c></row>'
        '<row><c r="A2" t="s"><v>1</v></c>'
        '<c r="B2" s="1"><v>46053</v></c><c r="D2"><v>1234</v></c></row>'
        '<row><c r="A3" t="b"><v>1</v></c></row>'
    )
    sheets = "".join(
        f'<sheet name="{name}" sheetId="{n}" r:id="rId1"/>' for n, name in enumerate(names, 1)
    )
    usual = {
        "xl__workbook_dot_xml": (
            f'<workbook xmlns:r="{RELATIONSHIPS}"><sheets>{sheets}</sheets></workbook>'
        ),
        "xl___rels__workbook_dot_xml_dot_rels": relationships(rId1="worksheets/sheet1.xml"),
        "xl__sharedStrings_dot_xml": "<sst><si><t>Region</t></si><si><t>North</t></si></sst>",
        "xl__styles_dot_xml": (
            f'<styleSheet><numFmts><numFmt numFmtId="{format_id}" formatCode="{code}"/></numFmts>'
            "<fonts><font/><font><b/></font></fonts>"
            f'<cellXfs><xf numFmtId="0"/><xf numFmtId="{format_id}"/><xf fontId="1"/></cellXfs>'
            "</styleSheet>"
        ),
        "xl__worksheets__sheet1_dot_xml": (
            f"<worksheet><sheetData>{rows or default}</sheetData>{after}</worksheet>"
        ),
    }
    return package(**usual | parts)


def typed_relationships(**targets):
    """Relationships whose identifiers are the last words of their types."""
    items = "".join(
        f'<Relationship Id="{kind}" Type="{RELATIONSHIPS}/{kind}" Target="{target}"/>'
        for kind, target in targets.items()
    )
    return f'<Relationships xmlns="{PACKAGE}/relationships">{items}</Relationships>'


def commented():
    """A workbook whose sheet has comments: at a text, at an empty cell, and below all rows."""
    comments = (
        "<comments><authors><author>Ada</author></authors><commentList>"
        '<comment ref="A1" authorId="0"><text><r><t>Which &lt;region&gt;?</t></r></text></comment>'
        '<comment ref="C2" authorId="0"><text><t>Ada:\nno value</t></text></comment>'
        '<comment ref="B9" authorId="7"><text><t>below</t></text></comment>'
        "</commentList></comments>"
    )
    return xlsx(
        xl__worksheets___rels__sheet1_dot_xml_dot_rels=typed_relationships(
            comments="../comments1.xml"
        ),
        xl__comments1_dot_xml=comments,
    )


def budget():
    """A workbook as people make them: a title, a bold head, notes and many rows."""

    def row(number, style, *texts):
        cells = "".join(f'<c s="{style}" t="str"><v>{text}</v></c>' for text in texts)
        return f'<row r="{number}">{cells}</row>'

    rows = (row(n, 0, f"Item {n}", "some words", "9.50") for n in range(3, 90))
    head = (row(1, 2, "Budget of the year"), row(2, 2, "Item", "Note", "Cost"))
    return xlsx("".join((*head, *rows)), names=("Spring", "Summer", "Autumn"))


XLS = (  # made by xlwt: a merged title, a formatted row, a hidden sheet; zlib, base 85
    r"c-rk)O=uHA6#izr`8B_7(%K3o6k4^mQ0>J_o2qENv_>zA2%0t#Lv13_gY{yy2D}J@C&f#l9=ue&_=8pS=0T{~gHR|W"
    r"il?3g1rKf3H!mAWbOQ}&Xv=<K-oAZ5J8x&+yqWBWd4G2LNlOlYpdWR}YYtdTWP+Nbc;f@<HBGX`tDTx=Vne}Ur-`&$"
    r"@Y4O>Cg)JjcMb|3t8a+{pQ)X~1q`Q>@lXx1pJRv$8AG2?DfblIr{+O3$5qdClxYLgM{GOCbbuwdnD&uvR-D9qc(`+~"
    r"p2sJYHr9EF3Or+<MV9PF5btCjU%f2~wifJ5C!*)qfkKdCPFZhJ87Nv+7iK{DG#F3D)AHVn2XF!tgzoY2?pQ2~0Oi^Y"
    r"erO@!d$Fjz37PWR$^}UNvs`YgAh%bLJD?iMouo06Z=qx`lDjHA-)$hjqo}|nv@=4k;0&$gCQG4yMbe4U_(dsMu*#gY"
    r";&37sizipmPJ0@-d7ztxQfEVZdU|@v_rSSmB29UG*(tX<E{ndhvgqbw;UXG?mw7*z3?B{5%ENCThejgd(=3_ft+23R"
    r"w#z`F;hOXyXAf(56+=ec$^0&+*ZHa2m~UYkARD@NM1neVXo_uau(pHx>18a0x0moch|eq^ecqb+65dJt>|pLnVD?jZ"
    r"8f`QsG4hwcDRhZ0aqq6gi*WHO^wPS-wE3?xYgc?6dmS|WRN%#`T-yXc)7N|_M@Np2v={uY<@SP$xTLSJmE&o^@=Y7P"
    r"@ez^*u{fkq9~Q+<8WoL1zv^Cv@#|OW@sx*gpyY^Bi@6iO=|-J9VK8@1Y{8=nqfs?s!h{JECQNJ^2>mcBPsOT!B$Wpy"
    r"oBmyAm0I5XOtNWl3@Q3uqJLKhk)&%H6IJC;BP^o$EU`wP;`c&{<J5Z^V;JE$#;VR=I`E3p_gS-}@82z<YWvSu6X$>K"
    r"{}*TzEZ6"
)


def xls():
    return zlib.decompress(base64.b85decode(XLS))


def pptx():
    return package(
        ppt__presentation_dot_xml=(
            f'<p:presentation xmlns:p="p" xmlns:r="{RELATIONSHIPS}"><p:sldIdLst>'
            '<p:sldId id="256" r:id="rId1"/></p:sldIdLst></p:presentation>'
        ),
        ppt___rels__presentation_dot_xml_dot_rels=relationships(rId1="slides/slide1.xml"),
        ppt__slides__slide1_dot_xml=(
            '<p:sld xmlns:p="p" xmlns:a="a"><p:sp><p:nvPr><p:ph type="title"/></p:nvPr>'
            "<p:txBody><a:p><a:r><a:t>Where we stand</a:t></a:r></a:p></p:txBody></p:sp>"
            "<p:sp><p:txBody><a:p><a:r><a:t>Point one</a:t></a:r></a:p></p:txBody></p:sp></p:sld>"
        ),
    )


def open_document(kind, content):
    return package(
        content_dot_xml=(
            '<o:document-content xmlns:o="o" xmlns:t="t" xmlns:b="b" xmlns:d="d" '
            f'xmlns:s="{OPEN_DOCUMENT_SVG}"><o:body>'
            f"<o:{kind}>{content}</o:{kind}></o:body></o:document-content>"
        )
    )


def odt():
    return open_document(
        "text",
        '<t:h t:outline-level="2">Minutes</t:h><t:p>Two<t:s t:c="2"/>spaces.</t:p>'
        "<t:list><t:list-item><t:p>Point</t:p></t:list-item></t:list>",
    )


def ods():
    return open_document(
        "spreadsheet",
        '<b:table b:name="Costs"><b:table-row><b:table-cell><t:p>Item</t:p></b:table-cell>'
        "<b:table-cell><t:p>Price</t:p></b:table-cell></b:table-row><b:table-row>"
        '<b:table-cell><t:p>Chair</t:p></b:table-cell><b:table-cell b:number-columns-repeated="2">'
        "<t:p>9.50</t:p></b:table-cell></b:table-row></b:table>",
    )


def odp():
    return open_document(
        "presentation", '<d:page d:name="1"><d:frame><t:p>Welcome</t:p></d:frame></d:page>'
    )


def mail_with_picture(html, **attachments):
    """A mail whose body shows the picture `cid:pic`, with these attachments by name."""
    message = EmailMessage()
    message["Subject"] = "The numbers"
    message.set_content("text")
    message.add_alternative(html, subtype="html")
    message.get_payload()[1].add_related(png(), "image", "png", cid="<pic>", filename="inline.png")
    for name, data in attachments.items():
        message.add_attachment(data, "application", "octet-stream", filename=name)
    return message.as_bytes()


def mail(html=None, text="Dear all,\n\nsee the attachment.\n", **headers):
    message = EmailMessage()
    facts = {"From": "Ada <ada@example.org>", "To": "team@example.org", "Subject": "The numbers"}
    for name, value in {**facts, **headers}.items():
        message[name] = value
    message.set_content(text)
    if html:
        message.add_alternative(html, subtype="html")
    message.add_attachment(b"a,b\n1,2\n", maintype="text", subtype="csv", filename="numbers.csv")
    return message.as_bytes()


MARKDOWN = b"""# Notes

Some *words* with **weight**, `code`, and [a link](https://example.org/ "there").

| item | price |
|:-----|------:|
| tea  |  3.20 |

- [x] done
- [ ] to do

> said somebody

```python
def seal(key: bytes) -> bytes:
    return key  # never reused
```

![chart](https://tracker.example/pixel.png)
"""
WEBM = base64.b64decode(  # five pictures of a second, 64 x 48 pixels, VP8
    "GkXfo59ChoEBQveBAULygQRC84EIQoKEd2VibUKHgQJChYECGFOAZwEAAAAAAAIjEU2bdLpNu4tTq4QVSalmU6yBoU27"
    "i1OrhBZUrmtTrIHGTbuMU6uEElTDZ1OsggEMTbuMU6uEHFO7a1OsggIN7AEAAAAAAABZAAAAAAAAAAAAAAAAAAAAAAAA"
    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
    "AAAVSalmoCrXsYMPQkBNgIRMYXZmV0GETGF2ZkSJiECPQAAAAAAAFlSua8GuAQAAAAAAADjXgQFzxYgAAAAAAAAAAZyB"
    "ACK1nIN1bmSIgQCGhVZfVlA4g4EBI+ODhAvrwgDgibCBQLqBMJqBAhJUw2fRc3POY8CLY8WIAAAAAAAAAAFnyJhFo4dF"
    "TkNPREVSRIeLTGF2YyBsaWJ2cHhnyKJFo4hEVVJBVElPTkSHlDAwOjAwOjAxLjAwMDAwMDAwMAAAH0O2dUCl54EAo8CB"
    "AACAUAMAnQEqQAAwAABHCIWFiIWEiAICAnWqA/gCBwjg/fQmzy4A/vtol/89M15g/yc//bkf7cj/bkf/tsIAo5aBAMgA"
    "0QEAARAQABgAGFgv9AAIjAAAo5aBAZAA0QEAARAQABgAGFgv9AAIjAAAo5aBAlgA0QEAARAQABgAGFgv9AAIjAAAo5aB"
    "AyAA0QEAARAQABgAGFgv9AAIjAAAHFO7a5G7j7OBALeK94EB8YIBYvCBAw=="
)
RTF = (
    b"{\\rtf1\\ansi\\ansicpg1252{\\fonttbl{\\f0 Arial;}}\\pard\\outlinelevel0 Contract\\par"
    b"\\pard The {\\b conditions} are these.\\par{\\listtext 1.\\tab}First\\par"
    b"{\\listtext 2.\\tab}Second\\par}"
)
CODE = b'"""Module."""\n\n\ndef add(a: int, b: int = 1) -> int:\n    return a + b  # sum\n'
JSON = b'{"name":"x","list":[1,2.0,1e400],"twin":1,"twin":2,"empty":{}}'
HTML = (
    b"<!doctype html><html><head><title>T</title><style>h1{color:teal}</style></head>"
    b"<body bgcolor='#fff8e8'><h1>Hello</h1><p>A page with "
    b"<a href='https://example.org/'>a link</a> and <a href='#x'>a place</a>.</p>"
    b"<script>document.title='ran'</script></body></html>"
)
CSV = b"Date,Region,Units\n" + b"".join(
    b"2026-01-%02d,%s,%d\n" % (day, (b"North", b"South")[day % 2], day * 37) for day in range(1, 29)
)
SVG = (
    b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 80"><rect width="120" height="80" '
    b'fill="#0b7285" rx="12"/><circle cx="60" cy="40" r="24" fill="#ffd43b"/></svg>'
)


NOTEBOOK = json.dumps(
    {
        "metadata": {"language_info": {"name": "python"}},
        "nbformat": 4,
        "cells": [
            {"cell_type": "markdown", "source": ["# Sales\n", "of *2026*"]},
            {
                "cell_type": "code",
                "execution_count": 1,
                "source": "def total(x):\n    return sum(x)",
                "outputs": [
                    {"output_type": "stream", "name": "stdout", "text": ["one\n", "two\n"]},
                    {
                        "output_type": "execute_result",
                        "data": {"text/html": "<table><td>4</table>"},
                    },
                    {"output_type": "error", "traceback": ["\x1b[0;31mKeyError\x1b[0m: 'x'"]},
                ],
            },
        ],
    }
).encode()
CALENDAR = rb"""BEGIN:VCALENDAR
BEGIN:VEVENT
DTSTART;TZID=Europe/Berlin:20260131T093000
DTEND:20260131T100000Z
SUMMARY:Planning\, first
  part
LOCATION:Room 4
RRULE:FREQ=WEEKLY;BYDAY=MO,TU
ATTENDEE;CN="Ada L.":mailto:ada@example.org
DESCRIPTION:One\nTwo <b>
BEGIN:VALARM
SUMMARY:Reminder
END:VALARM
END:VEVENT
END:VCALENDAR
"""
CARD = rb"""BEGIN:VCARD
VERSION:2.1
N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:L=C3=B6we;Ada=
 und Bo
ORG:Example;Research
item1.TEL;CELL:+49 30 1234
EMAIL;TYPE=WORK,INTERNET:ada@example.org
ADR;TYPE=HOME:;;Main Street 1;Berlin;;10115;Germany
URL:javascript:alert(1)
END:VCARD
"""


@cache
def every_kind():
    """One small document of each kind: (name, content type, bytes)."""
    return [
        ("report.pdf", "application/pdf", pdf("First page", "Second page")),
        ("sunset.png", "image/png", png()),
        ("logo.svg", "image/svg+xml", SVG),
        ("scan.tiff", "image/tiff", picture("TIFF", "teal", "red")),
        ("photo.heic", "image/heic", HEIC),
        ("poster.psd", "image/vnd.adobe.photoshop", psd()),
        ("notes.txt", "text/plain", b"One line\nand another, with \xc3\xa9 and <tags>.\n"),
        ("README.md", "text/markdown", MARKDOWN),
        ("sum.py", "text/x-python", CODE),
        ("data.json", "application/json", JSON),
        ("sales.csv", "text/csv", CSV),
        ("sales.tsv", "text/tab-separated-values", CSV.replace(b",", b"\t")),
        ("page.html", "text/html", HTML),
        ("letter.eml", "message/rfc822", mail("<p>Dear <b>all</b></p>")),
        ("plain.eml", "message/rfc822", mail()),
        ("tone.wav", "audio/wav", wav()),
        ("clip.webm", "video/webm", WEBM),
        ("report.docx", OPEN_XML + "wordprocessingml.document", docx()),
        ("sheet.xlsx", OPEN_XML + "spreadsheetml.sheet", xlsx()),
        ("year.xlsx", OPEN_XML + "spreadsheetml.sheet", budget()),
        ("prices.xls", "application/vnd.ms-excel", xls()),
        ("talk.pptx", OPEN_XML + "presentationml.presentation", pptx()),
        ("minutes.odt", OPEN_DOCUMENT + "text", odt()),
        ("costs.ods", OPEN_DOCUMENT + "spreadsheet", ods()),
        ("contract.rtf", "application/rtf", RTF),
        ("old.doc", "application/msword", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504)),
        ("talk.odp", OPEN_DOCUMENT + "presentation", odp()),
        ("files.zip", "application/zip", package(a_dot_txt=b"a", b__c_dot_txt=b"c" * 999)),
        ("files.tar.gz", "application/gzip", tar(notes=b"some words", picture=png())),
        ("logo.svgz", "application/octet-stream", gzip.compress(SVG, mtime=0)),
        ("mystery.bin", "application/octet-stream", bytes(range(256))),
        ("sales.ipynb", "application/x-ipynb+json", NOTEBOOK),
        ("plan.ics", "text/calendar", CALENDAR),
        ("ada.vcf", "text/vcard", CARD),
        ("empty.txt", "text/plain", b""),
    ]
