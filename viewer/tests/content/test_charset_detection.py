"""viewer/content/charset_detection.py"""

from hypothesis import given
from hypothesis import strategies as st

from viewer.content.charset_detection import detect, prepare
from viewer.content.decoding import safe_codec

TEXTS = {
    "これは日本語の文章です。東京都渋谷区の売上一覧表。名前,住所,電話": ("cp932", "euc_jp"),
    "这是一个中文文本文件，包含姓名和地址。姓名,地址,电话,北京市": ("gb18030",),
    "這是一個繁體中文的檔案，包含姓名與地址。\n姓名,地址\n陳大文,臺北市\n": ("big5",),
    "이것은 한국어 텍스트 파일입니다. 이름과 주소.": ("cp949",),
    "Это русский текст с именами и адресами.\nИмя,Адрес\nИван,Москва\n": (
        "cp1251",
        "koi8_r",
        "cp866",
    ),
    "Größe, Straße und Übermut: Änderungen für Müller": ("cp1252",),
}

SHORT = {  # as people type them: a line of a table, a sentence
    "Proszę o przesłanie faktury do końca miesiąca.": ("cp1250", "iso8859_2"),
    "Lütfen faturayı ay sonuna kadar gönderiniz.": ("cp1254",),
    "Prašome atsiųsti sąskaitą iki mėnesio pabaigos.": ("cp1257",),
    "Καλημέρα κόσμε": ("cp1253", "iso8859_7"),
    "שלום עולם": ("cp1255",),
    "يرجى إرسال الفاتورة قبل نهاية الشهر": ("cp1256",),
    "Привет, мир": ("cp1251", "koi8_r", "cp866"),
    "Müller;Köln": ("cp1252",),
    "Åsa;Göteborg": ("cp1252",),
    "prénom;ville\nFrançois;Orléans\n": ("cp1252",),
    "请在月底之前寄送发票。会议纪要": ("gb18030",),
    "請在月底之前寄送發票。": ("big5",),
    "이름,주소\n김철수,부산시\n": ("cp949",),
}


def test_a_short_text_is_read_as_it_was_written():
    written = [text.encode(one) for text, many in SHORT.items() for one in many]
    texts = [text for text, many in SHORT.items() for _ in many]

    assert [data.decode(detect(data)) for data in written] == texts


def test_the_encoding_of_a_text_is_guessed_also_where_it_is_cut_within_a_character():
    prepare()
    for text, encodings in TEXTS.items():
        for one in encodings:
            assert text.encode(one).decode(detect(text.encode(one))) == text, one
            assert (text * 9).encode(one).decode(detect((text * 9).encode(one))) == text * 9, one


def test_letters_after_a_long_beginning_count():
    text = "only ASCII in a line\n" * 9_000 + "Пожалуйста, пришлите счёт"

    assert detect(text.encode("koi8_r")) == "koi8-r"


def test_utf_8_with_a_damaged_byte_is_still_that():
    assert detect("größer, schöner, weiter".encode() + b"\xff") == "utf-8"


def test_what_is_declared_or_utf_8_is_not_guessed():
    assert detect("größer".encode("cp1252"), "latin-1") == "latin-1"
    assert detect("größer".encode()) is None


@given(st.binary(max_size=300))
def test_any_bytes_have_no_or_a_safe_encoding(data):
    guess = detect(data)

    assert guess is None or safe_codec(guess)
