"""viewer/formats/pdf/page_picture.py"""

import random
from io import BytesIO

from PIL import Image, ImageDraw

from viewer.formats.pdf.page_picture import encode_picture
from viewer.formats.pdf.pages import JOB

SIZE = (400, 300)


def drawing(colours=3):
    image = Image.new("RGB", SIZE, "white")
    for n in range(colours):
        ImageDraw.Draw(image).rectangle((n * 40, 20, n * 40 + 30, 200), fill=(n * 20, 90, 250 - n))
    return image


def noise(size=SIZE):
    return Image.frombytes("RGB", size, random.Random(1).randbytes(size[0] * size[1] * 3))


def encoded(image, most_bytes=50_000):
    kind, data = encode_picture(image, (64, 8), most_bytes)
    return kind, len(data), Image.open(BytesIO(data)).convert("RGB")


def test_a_drawing_is_a_png_that_keeps_its_colours():
    kind, _, picture = encoded(drawing())

    assert kind == "image/png"
    assert picture.size == SIZE
    levels = zip(drawing().tobytes(), picture.tobytes(), strict=True)
    assert all(abs(old - new) < 9 for old, new in levels)


def test_a_page_without_colours_keeps_its_grays():
    image = Image.linear_gradient("L").resize(SIZE).convert("RGB")
    kind, _, picture = encoded(image)

    assert kind == "image/png"
    assert len(picture.getcolors()) == 8
    levels = zip(image.tobytes(), picture.tobytes(), strict=True)
    assert all(abs(old - new) <= 255 / 14 + 1 for old, new in levels)


def test_a_photo_is_a_webp():
    kind, _, picture = encoded(noise(), 10**6)

    assert (kind, picture.size) == ("image/webp", SIZE)


def test_a_photo_shrinks_until_it_is_small_enough():
    small = encoded(noise(), 1)
    large = encoded(noise(), 10**6)

    assert small[1] < large[1] / 3
    assert small[2].size == (200, 150)


def test_the_child_process_can_encode_both_kinds():
    pixels = noise((60, 40)).tobytes().hex()
    data = f"""%PDF-1.7
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Count 1/Kids[3 0 R]>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Contents 4 0 R
/Resources<</XObject<</P 5 0 R>>>>>>endobj
4 0 obj<</Length 29>>stream
q 300 0 0 200 0 0 cm /P Do Q 
endstream endobj
5 0 obj<</Type/XObject/Subtype/Image/Width 60/Height 40/BitsPerComponent 8/ColorSpace/DeviceRGB
/Filter/ASCIIHexDecode/Length {len(pixels) + 1}>>stream
{pixels}>
endstream endobj
trailer<</Root 1 0 R>>
""".encode()
    options = {"asked": "pictures", "first": 1, "count": 1}
    options["drawing"] = {"scale": 2, "palettes": [16], "most_bytes": 10**6}
    result = JOB.run([data], options)

    assert result.failure is None
    assert result.messages[0][0]["type"] == "image/webp"
