"""viewer/rendering/registry.py"""

from dataclasses import replace

import pytest

from viewer.rendering.registry import FAILED, FORMATS, MOST_PARSED_BYTES, TOO_LARGE
from viewer.tests import samples
from viewer.tests.samples import every_kind, original, preview_of

KINDS = {  # how each sample is shown, and if no child process starts
    ("pdf", "unknown"): "report.pdf",
    ("image", "image"): "sunset.png logo.svg",
    ("pictures", "unknown"): "scan.tiff",
    ("image", "unknown"): "photo.heic poster.psd logo.svgz",
    ("text", "unknown"): "notes.txt",
    ("markdown", "unknown"): "README.md",
    ("code", "unknown"): "sum.py data.json",
    ("table", "unknown"): "sales.csv sales.tsv",
    ("web", "unknown"): "page.html",
    ("mail", "unknown"): "letter.eml plain.eml",
    ("audio", "audio"): "tone.wav",
    ("video", "video"): "clip.webm",
    ("sheets", "unknown"): "sheet.xlsx year.xlsx",
    ("unknown", "unknown"): "old.doc contract.rtf mystery.bin empty.txt talk.pptx "
    "minutes.odt talk.odp prices.xls costs.ods",
    ("archive", "unknown"): "files.zip files.tar.gz",
    ("word", "unknown"): "report.docx",
    ("notebook", "unknown"): "sales.ipynb",
    ("agenda", "unknown"): "plan.ics ada.vcf",
}
EXPECTED = {name: kinds for kinds, names in KINDS.items() for name in names.split()}


each_kind = pytest.mark.parametrize(
    ("name", "kind", "data"), every_kind(), ids=lambda v: v if isinstance(v, str) else ""
)


def test_every_format_is_shown_by_a_sample():
    assert {one.kind for one in FORMATS} <= {kind for kind, _ in KINDS}


@each_kind
def test_every_type_has_the_expected_kind_of_preview_also_under_the_filter_of_calls(
    name, kind, data
):
    preview = preview_of(original(data, name, kind))

    assert preview.kind == EXPECTED[name][0]
    assert FAILED not in preview.body.decode() + preview.note


READ_IN_PARTS = {"text", "markdown", "code", "table", "web", "notebook", "agenda", "audio", "video"}


@each_kind
def test_what_has_to_be_parsed_is_a_card_above_256_mib(name, kind, data):
    document = replace(original(data or b"\0", name, kind), size=MOST_PARSED_BYTES + 1)
    preview = preview_of(document)

    is_card = EXPECTED[name][0] not in {*READ_IN_PARTS, "unknown"}
    said = "Too large to be shown here. Save it to open it." in preview.body.decode()
    assert said == (document.shown.renderer == TOO_LARGE)
    assert said or not is_card
    assert not (said and (document.has_pages or document.has_two_views))
    assert not (said and document.shows_original)


@each_kind
def test_nothing_is_too_large_up_to_256_mib(name, kind, data):
    document = replace(original(data, name, kind), size=MOST_PARSED_BYTES)
    assert document.shown.renderer != TOO_LARGE


@each_kind
def test_every_kind_has_a_page_when_no_child_process_starts(no_child_process, name, kind, data):
    assert preview_of(original(data, name, kind)).kind == EXPECTED[name][1]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a.md", "markdown"),
        ("a.CSV", "table"),
        ("a.rs", "code"),
        ("a.html", "code"),
        ("a.ipynb", "code"),
        ("Makefile", "code"),
        ("a", "text"),
    ],
)
def test_plain_text_is_shown_by_its_file_name_extension(name, shown):
    assert preview_of(original(b"a,b\n", name, "text/plain")).kind == shown


def test_the_content_decides_only_if_no_type_is_declared():
    assert preview_of(original(samples.pdf("x"), "x")).kind == "pdf"
    assert preview_of(original(samples.pdf("x"), "x", "text/plain")).kind == "text"


@pytest.mark.parametrize(
    ("declared", "data", "kind"),
    [
        ("image/heic", samples.png(), "image"),
        ("application/pdf", samples.png(), "image"),
        (samples.OPEN_XML + "wordprocessingml.document", samples.pdf("x"), "pdf"),
        ("application/msword", samples.RTF, "unknown"),
        ("application/rtf", b"words", "text"),
        ("audio/mpeg", samples.docx(), "word"),
        ("text/plain", samples.docx(), "text"),
        ("image/heic", b"of no type", "unknown"),
    ],
)
def test_the_first_bytes_decide_against_a_binary_type_that_they_contradict(declared, data, kind):
    assert preview_of(original(data, "a", declared)).kind == kind


@pytest.mark.parametrize(
    ("name", "declared", "kind"),
    [
        ("letters.mbox", "application/mbox", "text"),
        ("film.srt", "application/x-subrip", "text"),
        ("film.vtt", "text/vtt", "code"),
        ("way.gpx", "application/gpx+xml", "code"),
        ("place.kml", "application/vnd.google-earth.kml+xml", "code"),
        ("book.epub", "application/epub+zip", "archive"),
        ("place.kmz", "application/vnd.google-earth.kmz", "unknown"),
        ("tool.deb", "application/vnd.debian.binary-package", "unknown"),
        ("base.sqlite", "application/vnd.sqlite3", "unknown"),
        ("rows.parquet", "application/vnd.apache.parquet", "unknown"),
        ("letters.woff2", "font/woff2", "unknown"),
    ],
)
def test_rare_formats_are_a_listing_a_text_or_a_card(name, declared, kind):
    contents = {
        "text": b"From x\n\ny",
        "code": b"<?xml version='1.0'?><a/>",
        "archive": samples.package(a_dot_bin=b"\0"),
        "unknown": b"\1\2\3",
    }

    assert preview_of(original(contents[kind], name, declared)).kind == kind


def test_the_pages_of_a_pdf_with_another_type_are_loaded():
    assert original(samples.pdf("x"), "a.docx", "application/msword").has_pages


def test_pictures_sound_films_and_texts_are_shown_as_they_are():
    each = ((name, original(data, name, kind)) for name, kind, data in every_kind())
    shown = {name for name, one in each if one.shows_original}

    pictures = {"sunset.png", "logo.svg"}
    texts = {"notes.txt", "empty.txt", "sum.py", "data.json"}
    assert shown == pictures | texts | {"tone.wav", "clip.webm"}


DATA = {name: data for name, _, data in every_kind()}


@pytest.mark.parametrize(
    ("name", "declared", "kind"),
    [
        ("sales.csv", "application/vnd.ms-excel", "table"),
        ("sum.ts", "video/mp2t", "code"),
        ("sum.ts", "video/vnd.dlna.mpeg-tts", "code"),
        ("sum.ts", "text/vnd.trolltech.linguist", "code"),
        ("sum.sh", "application/x-shellscript", "code"),
        ("sum.php", "application/x-php", "code"),
        ("sum.rb", "application/x-ruby", "code"),
        ("sum.rs", "application/rls-services+xml", "code"),
        ("README.md", "application/octet-stream", "markdown"),
        ("sales.csv", "application/octet-stream", "table"),
        ("page.html", "application/octet-stream", "web"),
        ("logo.svg", "application/octet-stream", "image"),
        ("letter.eml", "application/octet-stream", "mail"),
        ("report.docx", "application/zip", "word"),
        ("report.docx", "application/msword", "word"),
        ("sheet.xlsx", "application/x-zip-compressed", "sheets"),
        ("costs.ods", "application/octet-stream", "unknown"),
        ("talk.odp", "application/octet-stream", "unknown"),
        ("files.zip", "application/x-compressed", "archive"),
        ("report.pdf", "application/acrobat", "pdf"),
        ("sunset.png", "application/x-png", "image"),
        ("mystery.bin", "application/x-anything", "unknown"),
    ],
)
def test_a_document_that_its_declared_type_cannot_show_is_shown_as_what_it_is(name, declared, kind):
    data = DATA.get(name, b"if (a) { b(); }\n")

    assert preview_of(original(data, name, declared)).kind == kind


@pytest.mark.parametrize("declared", ["text/plain", "application/octet-stream"])
@pytest.mark.parametrize("name", ["a.geojson", "a.har", "a.map"])
def test_json_by_the_name_is_laid_out_also_if_declared_as_text(name, declared):
    shown = preview_of(original(b'{"type":"Feature","id":[1]}', name, declared))

    assert (shown.kind, shown.label, shown.source["layout"]) == ("code", "JSON", "json")


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b'1,"Goroka",5282\n2,"Madang",20\n', "table"),
        (b"1\tGoroka\n2\tMadang\n", "table"),
        (b"Words, without\ncolumns\n", "text"),
        (b"\0\x01,\n\0\x02,\n", "unknown"),
    ],
)
def test_data_with_columns_are_a_table(data, kind):
    assert preview_of(original(data, "a.dat")).kind == kind


@pytest.mark.parametrize(
    ("name", "declared", "kind"),
    [
        ("board.dts", "audio/vnd.dts", "code"),
        ("songs.m3u", "audio/x-mpegurl", "text"),
        ("boot.log", "text/x-log", "text"),
    ],
)
def test_text_that_is_declared_as_a_recording_or_a_log_is_a_text(name, declared, kind):
    assert preview_of(original(b"#EXTM3U\n/ { a; };\n", name, declared)).kind == kind


def test_a_card_names_the_declared_type_and_says_it_in_words():
    card = preview_of(original(bytes(range(256)), "a.dat", "application/x-anything"))

    assert "<dd>application/x-anything</dd>" in card.body.decode()
    assert "<dd>DAT file</dd>" in card.body.decode()
    assert card.label == "DAT file"


def test_a_notebook_that_is_declared_as_json_is_shown_as_one():
    data = next(data for name, _, data in every_kind() if name == "sales.ipynb")

    assert preview_of(original(data, "sales.ipynb", "application/json")).kind == "notebook"
    assert preview_of(original(data, "sales.json", "application/json")).kind == "code"
    assert preview_of(original(b"[1, 2]", "a.ipynb", "application/json")).kind == "code"
