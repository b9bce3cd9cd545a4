"""viewer/formats/text/code.py"""

import pytest

from viewer.formats.text.code import is_code
from viewer.rendering.registry import CODE as FORMAT
from viewer.tests.samples import CODE, JSON, original, preview_of

MAX_READ = FORMAT.read_bytes
preview = FORMAT.preview


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("application/json", ""),
        ("application/vnd.api+json", ""),
        ("text/x-c", ""),
        ("text/css", ""),
        ("text/plain", "a.PY"),
        ("text/plain", "Dockerfile"),
        ("text/plain", "records.ndjson"),
    ],
)
def test_code_is_detected_by_type_or_name(kind, name):
    assert is_code(kind, name)


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("text/plain", "a.txt"),
        ("text/plain", "syslog.1"),
        ("text/plain", "a.tt"),
        ("application/x-foo", "a.py"),
    ],
)
def test_other_types_and_names_are_not_code(kind, name):
    assert not is_code(kind, name)


def test_a_code_preview_names_the_language_and_counts_lines():
    shown = preview(original(CODE, "a.py", "text/x-python"), "text/x-python")

    assert (shown.label, shown.facts) == ("Python", ("5 lines",))
    assert "id=L5" in shown.body.decode()


def test_what_is_said_to_be_some_xml_is_shown_as_xml():
    shown = preview_of(original(b"<kml/>", "a.kml", "application/vnd.google-earth.kml+xml"))

    assert (shown.kind, shown.label) == ("code", "XML")
    assert b"<b>&lt;kml/></b>" in shown.body


@pytest.mark.parametrize(
    ("name", "data", "label"),
    [
        ("build", b"#!/usr/bin/env -S python3 -u\nx = 1\n", "Python"),
        ("hook", b"#! /bin/dash\nif true; then exit; fi\n", "Bash"),
        ("Jenkinsfile", b"node {}\n", "Groovy"),
        ("a.fs", b"namespace A\nlet x = 1\n", "F#"),
        ("a.v", b"module a; endmodule\n", "Verilog"),
        ("a.R", b"x <- 1\n", "R"),
        ("a.r", b"x <- 1\n", "R"),
        ("a.sql", b"-- dump\nSELECT [a] FROM @b;\nGO\n", "SQL"),
        ("a.psd1", b"@{ a = 1 }\n", "PowerShell"),
        ("hook", b"#!/opt/own\nname: a\n", "Plain text"),
        ("a.PY", b"x = 1\n", "Python"),
        ("dockerfile", b"FROM a\n", "Docker"),
        ("a.smali", b".class La;\n", "Smali"),
        ("a.reg", b"[A]\n", "Windows registry"),
        ("meson.build", b"project('a')\n", "Meson"),
        ("a.html.erb", b"<p><%= a %></p>\n", "ERB"),
        ("a.5", b".TH A 5\n", "Groff"),
        ("nginx.conf", b"http {\n}\n", "Nginx configuration file"),
        ("a.conf", b"[a]\nb=1\n", "INI"),
        ("a.pm", b"package A;\nmy $x = 1;\n", "Perl"),
        ("a.service", b"[Unit]\n", "Systemd"),
        ("a.feature", b"Feature: x\n", "Gherkin"),
        ("a.glsl", b"void main() {}\n", "GLSL"),
        ("a.scad", b"cube(1);\n", "OpenSCAD"),
    ],
)
def test_a_language_is_known_by_the_name_or_the_program_that_a_script_names(name, data, label):
    for declared in ("text/plain", "application/octet-stream"):
        shown = preview_of(original(data, name, declared))
        assert (shown.kind, shown.label) == ("code", label), declared


def test_what_a_lexer_does_not_know_is_no_mistake_of_the_author():
    shown = preview_of(original(b'"A description"\ntype A { a: Int }\n', "a.graphql"))

    assert (shown.label, b"class=e" in shown.body) == ("GraphQL", False)


@pytest.mark.parametrize(
    ("name", "declared"),
    [("fonts.conf", "application/octet-stream"), ("a.kml", "application/vnd.google-earth.kml+xml")],
)
def test_what_is_xml_by_its_type_is_named_so(name, declared):
    shown = preview_of(original(b'<?xml version="1.0"?>\n<a>1</a>\n', name, declared))

    assert (shown.kind, shown.label) == ("code", "XML")


def test_json_is_indented_for_any_file_name():
    shown = preview(original(JSON, "a", "application/ld+json"), "application/ld+json")

    assert (shown.label, shown.facts) == ("JSON", ("7 lines",))


@pytest.mark.slow
def test_code_of_any_size_is_highlighted_from_its_start():
    data = b"x = 1\n" * (MAX_READ // 6 + 9)
    shown = preview(original(data, "a.py", "text/x-python"), "text/x-python")

    assert "<i class=m>1</i>" in shown.body.decode()
    assert "Showing 20,000 lines of the first 2.1 MB" in shown.note
    assert shown.source == {"charset": "utf-8", "shown": 20_000}


@pytest.mark.slow
def test_json_above_the_limit_is_laid_out_from_its_start():
    data = b"[" + b'{"a":1,"b":2,"c":3},' * (MAX_READ // 20) + b"{}]"
    shown = preview(original(data, "a.json", "application/json"), "application/json")

    assert shown.source["layout"] == "json"
