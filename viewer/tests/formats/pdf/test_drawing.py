"""viewer/formats/pdf/drawing.py and viewer/formats/pdf/links.py"""

from io import BytesIO

import pytest
from PIL import Image
from pypdfium2 import PdfDocument

from viewer.formats.pdf.drawing import MAX_AREA, UnreadablePdfError, render
from viewer.formats.pdf.pages import SCREEN
from viewer.tests.samples import encrypted_pdf, filled_form, linked_pdf, locked_pdf, pdf


def messages(data, asked="pictures", first=1, count=9, **options):
    drawing = SCREEN._asdict()
    asking = {"asked": asked, "first": first, "count": count, "drawing": drawing, **options}
    return list(render(data, asking))


def page_of(data):
    ((facts, picture),) = messages(data)
    return facts, Image.open(BytesIO(picture))


@pytest.fixture
def asked(monkeypatch):
    """The pages whose size is asked for, from 0."""
    asked = []
    get_page_size = PdfDocument.get_page_size
    monkeypatch.setattr(
        PdfDocument, "get_page_size", lambda *given: asked.append(given[1]) or get_page_size(*given)
    )
    return asked


def test_the_first_page_does_not_wait_for_the_others_or_the_outline(asked, monkeypatch):
    monkeypatch.delattr(PdfDocument, "get_toc")
    (facts, _), (page, _) = messages(linked_pdf(), "overview", count=1)

    assert facts == {"total": 2, "count": 2, "size": (300, 200), "attached": []}
    assert page["page"] == 1
    assert asked == [0]


def test_texts_come_after_the_sizes_of_their_pages_and_the_outline(asked):
    (facts, _), *texts = messages(linked_pdf(2, view="XYZ 0 90 0"), "text")

    assert facts == {"sizes": [(300, 200)] * 2, "outline": [(0, "Chapter", 2, 110)]}
    assert len(texts) == 2
    assert asked == [0, 1]  # once for each


def test_any_page_is_drawn_with_positioned_text():
    ((page, _),) = messages(pdf("One", "Hello there", "Three"), first=2, count=1)

    assert (page["page"], page["width"], page["height"]) == (2, 300, 200)
    (x, y, width, height, text) = page["text"][0]
    assert text == "Hello there"
    assert 38 < x < 42
    assert 60 < y < 80
    assert 50 < width < 125
    assert 8 < height < 20


def test_the_text_of_pages_is_read_without_drawing():
    assert messages(pdf("One", "Two", "Three"), "text", first=2) == [
        ({"sizes": [(300, 200)] * 2, "outline": []}, b""),
        ({"page": 2}, b"Two"),
        ({"page": 3}, b"Three"),
    ]


def test_positions_follow_the_rotation_of_the_page():
    page, picture = page_of(pdf("Hello there", extra="/Rotate 90"))
    x, y, width, height, _ = page["text"][0]

    assert (page["width"], page["height"]) == (200, 300)
    assert picture.size == (400, 600)
    assert height > width
    assert 0 <= x <= page["width"] - width
    assert 0 <= y <= page["height"] - height


def test_positions_follow_the_origin_of_the_page():
    page, _ = page_of(pdf("Hello there").replace(b"0 0 300 200", b"20 0 300 200"))

    assert page["width"] == 280
    assert 18 < page["text"][0][0] < 22


@pytest.mark.parametrize(
    ("content", "runs"),
    [
        ("L) Tj 10 0 Td (e) Tj 11 0 Td (t) Tj 20 0 Td (ter", ["Let", "ter"]),
        ("H) Tj 14 -4 Td (2) Tj 0 -20 Td (O", ["H2", "O"]),
        ("x) Tj 0 1 -1 0 50 20 Tm (Upright) Tj 0 -20 Td (Beside", ["x", "Upright", "Beside"]),
    ],
)
def test_letters_that_touch_in_a_line_are_one_run(content, runs):
    page, _ = page_of(pdf(content))
    assert [run[4] for run in page["text"]] == runs


def test_the_value_of_a_form_field_is_drawn():
    _, picture = page_of(filled_form())

    field = picture.convert("L").crop((80, 140, 520, 200))
    assert sum(field.histogram()[:100]) > 200


def test_the_value_of_a_form_field_is_in_the_text():
    _, (_, text) = messages(filled_form(), "text")
    page, _ = page_of(filled_form())
    x, y, width, height, value = page["text"][0]

    assert text == b"WWWWWWWW"
    assert value == "WWWWWWWW"
    assert 40 <= x < x + width <= 260
    assert 70 <= y < y + height <= 100


def test_a_form_keeps_what_its_pages_inherit():
    font = b"/MediaBox[0 0 300 200]/Contents 6 0 R"
    form = filled_form().replace(b"/MediaBox[0 0 300 200]", font)
    inherited = b"/Count 1/Resources<</Font<</F2 8 0 R>>/XObject<</X 7 0 R>>>>"
    content = b'BT /F2 18 Tf 9 9 Td (!"#) Tj ET q 90 0 0 90 200 0 cm /X Do Q'
    objects = b"6 0 obj<</Length %d>>stream\n%b\nendstream endobj\n" % (len(content), content)
    objects += b"7 0 obj<</Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray"
    objects += b"/Length 1>>stream\n\0\nendstream endobj\n8 0 obj<</Type/Font/Subtype/Type1"
    objects += b"/BaseFont/Times/Encoding<</Differences[33/O/n/e]>>>>endobj\ntrailer"
    data = form.replace(b"/Count 1", inherited).replace(b"trailer", objects)
    _, (_, text) = messages(data, "text")
    page, picture = page_of(data)

    assert text == b"OneWWWWWWWW"
    assert {"One", "WWWWWWWW"} == {run[4] for run in page["text"]}
    assert picture.convert("L").getpixel((500, 350)) < 50


def test_a_form_keeps_its_links():
    link = b"/Annots[<</Subtype/Link/Rect[0 0 9 9]/A<</S/URI/URI(https://example.org/)>>>> 4 0 R]"
    page, _ = page_of(filled_form().replace(b"/Annots[4 0 R]", link))

    assert [one[4] for one in page["links"]] == ["https://example.org/"]
    assert page["text"]


def test_links_have_a_place_and_a_page_or_an_address():
    (page, _), _ = messages(linked_pdf(2, "https://example.org/?a=1"))

    assert page["links"] == [
        (40, 185, 160, 15, 2, 0),
        (40, 165, 160, 15, "https://example.org/?a=1", 0),
    ]


@pytest.mark.parametrize(
    ("view", "top"),
    [("XYZ 0 150 0", 50), ("XYZ null 20 null", 180), ("FitH 150", 50), ("FitR 0 0 90 120", 80)]
    + [("FitBH 199", 1), ("Fit", 0), ("FitV 20", 0), ("XYZ 0 0 0", 0), ("XYZ null null null", 0)]
    + [("XYZ 0 999 0", 0), ("XYZ 0 -5 0", 0), ("XYZ", 0), ("Nonsense 5", 0)],
)
def test_a_destination_has_its_distance_from_the_upper_edge_of_its_page(view, top):
    data = linked_pdf(2, view=view)
    (page, _), _ = messages(data)
    (facts, _), *_ = messages(data, "text")

    assert [link[4:] for link in page["links"]] == [(2, top)]
    assert facts["outline"] == [(0, "Chapter", 2, top)]


@pytest.mark.parametrize("target", ["", "x" * 3_000])
def test_a_link_to_nothing_or_to_a_huge_address_is_left_out(target):
    (page, _), _ = messages(linked_pdf(target))

    assert page["links"] == []


def test_an_outline_that_contains_itself_ends():
    data = b"""%PDF-1.7
1 0 obj<</Type/Catalog/Pages 2 0 R/Outlines<</First 4 0 R>>>>endobj
2 0 obj<</Type/Pages/Count 1/Kids[3 0 R]>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj
4 0 obj<</Title(Again)/First 4 0 R/Next 4 0 R/Dest[3 0 R/Fit]>>endobj
trailer<</Root 1 0 R>>
"""
    (facts, _), _ = messages(data, "text")

    assert facts["outline"][0] == (0, "Again", 1, 0)
    assert len(facts["outline"]) <= 3_000


def test_a_huge_page_is_scaled_down():
    _, picture = page_of(pdf("x").replace(b"0 0 300 200", b"0 0 9000 9000"))

    assert picture.width * picture.height <= MAX_AREA * SCREEN.scale**2 * 1.01


def test_a_password_opens_an_encrypted_file():
    ((page, _),) = messages(encrypted_pdf("open sesame"), password="open sesame")

    assert page["text"][0][4] == "Secret"


@pytest.mark.parametrize("password", [None, "", "wrong"])
@pytest.mark.parametrize("data", [encrypted_pdf("open sesame"), locked_pdf()])
def test_without_the_right_password_it_raises(data, password):
    with pytest.raises(UnreadablePdfError, match="password"):
        messages(data, password=password)


def test_a_file_that_is_no_pdf_raises():
    with pytest.raises(UnreadablePdfError, match="format"):
        messages(b"%PDF-1.7 nonsense")
