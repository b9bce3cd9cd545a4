"""The kind of a file by its extension: scripts of the pages take it from the viewer's table."""

import json
import re
from pathlib import Path

from flask import render_template

from tests.in_process import application
from viewer import kind_of
from viewer.content.media_types import UNKNOWN

TEMPLATES = Path(__file__).parents[1] / "templates"


def test_the_scripts_know_an_extension_by_the_kind_that_the_viewer_says(tmp_path):
    with application(tmp_path) as (app, _), app.app_context():
        script = render_template("kinds.js")
    (table,) = re.findall(r"JSON\.parse\('(.*?)'\)", script)
    kinds = {
        extension: kind
        for kind, extensions in json.loads(table).items()
        for extension in extensions
    }

    assert kinds == {extension: kind_of(UNKNOWN, f"a.{extension}") for extension in kinds}
    some = ["pdf", "docx", "csv", "heic", "eml", "mp4", "zip"]
    expected = ["PDF", "Text", "Table", "Picture", "E-mail", "Recording", "Archive"]
    assert [kinds[extension] for extension in some] == expected


def test_no_script_has_a_table_of_its_own():
    scripts = [path for path in TEMPLATES.rglob("*.js") if re.search(r"\bdocx\b", path.read_text())]

    assert scripts == []
