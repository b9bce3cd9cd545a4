"""viewer/sandbox/charset_detection.py"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.decoding import safe_codec
from viewer.sandbox.charset_detection import detect, prepare

TEXTS = {
    "これは日本語の文章です。東京都渋谷区の売上一覧表。名前,住所,電話": ("cp932", "euc_jp"),
    "这是一个中文文本文件，包含姓名和地址。姓名,地址,电话,北京市": ("gb18030",),
    "這是一個繁體中文的檔案，包含姓名與地址。\n姓名,地址\n陳大文,臺北市\n": ("big5",),
    "이것은 한국어 텍스트 파일입니다. 이름과 주소.": ("cp949",),
    "Это русский текст с именами и адресами.\nИмя,Адрес\nИван,Москва\n": (
        *("cp1251", "koi8_r", "cp866"),
    ),
    "Größe, Straße und Übermut: Änderungen für Müller": ("cp1252",),
    "Élève à l'école, déjà vu, façade, garçon, où êtes-vous?": ("cp1252",),
}


@pytest.mark.parametrize(
    ("text", "encoding"), [(text, one) for text, many in TEXTS.items() for one in many]
)
def test_the_encoding_of_a_text_is_guessed(text, encoding):
    prepare()

    assert detect(text.encode(encoding)) == encoding


def test_what_is_declared_or_utf_8_is_not_guessed():
    assert detect("größer".encode("cp1252"), "latin-1") == "latin-1"
    assert detect("größer".encode()) is None


@given(st.binary(max_size=300))
def test_any_bytes_have_no_or_a_safe_encoding(data):
    guess = detect(data)

    assert guess is None or safe_codec(guess)
