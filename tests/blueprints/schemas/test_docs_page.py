"""`/docs`: its examples, pasted into a shell."""

import html
import re
import shutil
import subprocess

import pytest

from tests.people import Person
from tests.tus import Upload
from viewer.tests.samples import pdf

PASSWORD = "correct horse battery"
OPERATION = re.compile(r'<details id="(\w+)">\n<summary><span class="verb(.*?)</details>', re.S)
EXAMPLE = re.compile(r"<pre>(curl .*?)</pre>", re.S)


@pytest.fixture
def measured(start_service):
    """A service of its own: the examples register an account and change passwords."""
    return start_service(RATE_LIMITS="off", METRICS="on")


def examples(service):
    """Pairs of an operationId and curl lines."""
    page = Person(service).get("/docs").text
    return [
        (name, html.unescape(lines))
        for name, operation in OPERATION.findall(page)
        for lines in EXAMPLE.findall(operation)
    ]


# What these need, mail, a logo or somebody's acceptance, their own tests have.
ELSEWHERE = re.compile(
    r"auth_reset_password|status_logo|.*_(request_code|agreement|receipt|send)(_of.*)?"
)


def shell_variables(name, person):  # noqa: C901 - one case after another
    """What the example needs: a session token, and the ids that its path names."""
    variables = {"TOKEN": person.secret}
    if name.startswith("collections") or name.endswith("_of_collections"):
        collection = person.collect()
        variables |= {"ID": collection["id"], "TOKEN_ID": person.share(collection)["id"]}
    elif name in {"document_tokens_get", "document_tokens_change", "document_tokens_end"}:
        variables["ID"] = person.upload(b"Hello")["token"]["id"]
    elif name == "short_links_open_link":  # with a file
        variables["TOKEN"] = person.share(person.collect(), permissions=["upload"])["token"]
    elif name.startswith("short_links"):
        variables["TOKEN"] = person.upload(b"Hello")["token"]["token"]
    elif name.startswith(("documents", "document_")):
        document = person.upload(b"Hello")
        variables |= {"ID": document["id"], "TOKEN_ID": document["token"]["id"]}
    elif name.startswith("pdf_pages"):
        document = person.upload(pdf("One"), "application/pdf")
        variables |= {"ID": document["id"], "NUMBER": "1"}
    elif name.startswith("api_keys"):
        variables["ID"] = person.create_api_key().record["id"]
    elif name.startswith("auth"):
        variables["ID"] = person.get("/v1/auth/sessions").json["sessions"][0]["id"]
    elif name.startswith("webhooks"):
        webhook = person.post("/v1/webhooks", json={"url": "https://hook.example/in"}).json
        variables["ID"] = webhook["id"]
        if name == "webhooks_redeliver":
            delivery = person.post(f"/v1/webhooks/{webhook['id']}/test").json
            variables["DELIVERY_ID"] = delivery["id"]
    elif name.startswith("spaces"):
        space = person.post("/v1/spaces", json={"name": "Sales"}).json
        other = person.service.register()
        member = {"email": other.record["email"], "role": "read"}
        person.post(f"/v1/spaces/{space['id']}/members", json=member)
        variables |= {"ID": space["id"], "USER_ID": other.record["id"]}
        Person(person.service).register("ana@example.org", PASSWORD)  # whom an example adds
    elif name.startswith("uploads_by_link"):
        link = person.share(person.collect(), permissions=["upload"])
        upload = Upload.begin(Person(person.service), 4096, at=f"/s/uploads?token={link['token']}")
        ticket = upload.path.partition("ticket=")[2]
        variables |= {"TOKEN": link["token"], "ID": upload.id, "TICKET": ticket}
    elif name.startswith("uploads"):
        variables["ID"] = Upload.begin(person, 4096).id
    elif name == "embed_oembed":
        variables["VIEW_URL"] = person.upload(b"Hello")["token"]["viewUrl"]
    return variables


def pasted(lines, variables, folder):
    """The status that the pasted lines are answered with."""
    done = subprocess.run(
        ["sh", "-c", f"{lines} -s -w '\\n%{{http_code}}'"],
        env=variables,
        cwd=folder,
        capture_output=True,
        check=True,
    )
    return int(done.stdout.rpartition(b"\n")[2])


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("curl"), reason="there is no curl here")
def test_the_example_of_every_operation_works_as_it_is_pasted(measured, tmp_path):
    found = examples(measured)
    failed, shared = {}, measured.register()
    (tmp_path / "report.pdf").write_bytes(b"%PDF-1.7")
    for name, lines in found:
        if ELSEWHERE.fullmatch(name):
            continue
        person = measured.register(password=PASSWORD) if name.startswith("auth") else shared
        status = pasted(lines, shell_variables(name, person), tmp_path)
        if not 200 <= status < 300:
            failed[name] = status, lines

    assert len(found) >= 41
    assert [name for name, lines in found if " -F file=@" in lines] == [
        "documents_upload",
        "short_links_open_link",
    ]
    assert failed == {}


def test_texts_are_rendered_and_no_mark_of_markdown_is_left(measured):
    page = Person(measured).get("/docs").text
    prose = re.sub(r"<(pre|code|script|style)\b.*?</\1>", "", page, flags=re.S)
    assert "`" not in prose
    assert "**" not in prose
