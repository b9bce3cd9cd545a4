"""All links on their page, and one link: its terms, its openings, its end."""

import re

import pytest

from tests.console.visitor import SAME_SITE, Visitor, field_of, forms_of, words
from tests.formats import seconds_until


@pytest.fixture
def shared(member):
    """A link of the member's: its record, with the document's and the path of its page."""
    document = member.api.upload(b"# Hi", "text/markdown", name="shared.md", token=None)
    link = member.api.share(document, label="the auditor", password="hunter22", maxViews=7)
    return link | {"document": document["id"], "path": f"/app/links/{link['id']}"}


def record_of(member, link):
    tokens = member.api.get(f"/v1/documents/{link['document']}/tokens").json["tokens"]
    return next(one for one in tokens if one["id"] == link["id"])


def open_link(member, link, password="hunter22"):
    path = f"/v1/documents/{link['document']}/view"
    form = {"token": link["token"], "password": password}
    return Visitor(member.service).post(path, form)


def test_live_links_are_listed_before_those_that_ended(member):
    api = member.api
    document = api.upload(b"x", name="x.txt", token=None)
    links = [api.share(document, label=f"number {n}") for n in range(4)]
    for link in links[2:]:
        api.revoke(document, link)
    found = re.findall(r"number \d(?= *x.txt *(?:active|deleted))", words(member.get("/app/links")))
    assert found == ["number 1", "number 0", "number 3", "number 2"]


def test_pages_of_the_list_hold_each_link_once(member):
    api = member.api
    document = api.upload(b"x", token=None)
    ids = {api.share(document)["id"] for _ in range(30)}
    for id in sorted(ids)[:3]:
        api.delete(f"/v1/documents/{document['id']}/tokens/{id}")
    pages = "".join(page.text for page in member.older("/app/links"))
    found = re.findall(r'<a href="/app/links/(tok_\w+)">', pages)
    assert len(found) == 30
    assert set(found) == ids


def test_links_of_a_deleted_document_stay_listed(member, shared):
    member.api.delete(f"/v1/documents/{shared['document']}")
    assert "deleted" in words(member.get("/app/links"))
    assert member.get(shared["path"]).status == 404


def test_an_empty_list_says_how_to_begin(member):
    assert "No links yet." in member.get("/app/links").text


def test_a_link_shows_its_qr_code_when_asked(member, shared):
    assert "The link as a QR code" not in member.get(shared["path"]).text
    assert 'aria-label="The link as a QR code"><svg' in member.get(shared["path"] + "?qr=1").text


def test_a_link_shows_when_it_was_opened(member, shared):
    assert "Nobody has opened it yet." in member.get(shared["path"]).text
    assert open_link(member, shared).status == 200
    member.api.get(f"/v1/documents/{shared['document']}/view")
    text = words(member.get(shared["path"]))
    assert "opened 1 of 7 times" in text
    assert len(re.findall(r"UTC opened (?!1 of 7)", text)) == 1


def test_the_terms_of_a_link_are_changed_without_sending_it_anew(member, shared):
    before = record_of(member, shared)
    page = member.get(shared["path"])
    assert member.submit(page, shared["path"]).status == 303
    assert record_of(member, shared) == before

    fields = {"label": "the notary", "permissions": ["view"], "maxViews": "", "ends": "1"}
    origins = "https://a.example\r\nhttps://b.example:8443"
    answer = member.submit(page, shared["path"], **fields, allowedOrigins=origins)

    assert answer.headers["Location"] == shared["path"] + "?done=saved"
    record = record_of(member, shared)
    assert (record["label"], record["permissions"], record["maxViews"]) == (
        "the notary",
        ["view"],
        None,
    )
    assert record["allowedOrigins"] == ["https://a.example", "https://b.example:8443"]
    assert 86_000 < seconds_until(record["expiresAt"]) <= 86_400
    assert record["hasPassword"]


def test_the_terms_of_a_link_say_until_when_it_opens(member):
    document = member.api.upload(token=None)
    for expires_at, said in (
        ("2999-01-31T10:00:00Z", "until 2999-01-31"),
        (None, "until I turn it off"),
    ):
        link = member.api.share(document, expiresAt=expires_at)
        page = member.get(f"/app/links/{link['id']}")
        pill = re.search(r'data-pill="until".*?<summary>(.*?)</summary>', page.text, re.S)[1]
        assert said in pill


def test_the_password_of_a_link_is_kept_replaced_or_removed(member, shared):
    change = lambda **fields: member.submit(  # noqa: E731
        member.get(shared["path"]), shared["path"], **fields
    )
    assert change(password="another word").status == 303
    assert open_link(member, shared).status == 401
    assert open_link(member, shared, "another word").status == 200
    assert change(open="1").status == 303
    assert not record_of(member, shared)["hasPassword"]
    assert 'name="open"' not in member.get(shared["path"]).text


def test_a_new_password_that_a_refused_change_lost_is_typed_again(member, shared):
    page = member.submit(
        member.get(shared["path"]), shared["path"], maxViews="3x", password="another word"
    )
    assert field_of(page, "password")["aria-invalid"] == "true"
    page = member.submit(page, shared["path"], maxViews="3")
    assert page.status == 422
    assert member.submit(page, shared["path"], password="another word").status == 303
    assert open_link(member, shared, "another word").status == 200


def test_a_refused_change_is_told_at_its_field(member, shared):
    page = member.get(shared["path"])
    answer = member.submit(page, shared["path"], maxViews="0", label="typed")
    assert answer.status == 422
    assert field_of(answer, "maxViews")["aria-invalid"] == "true"
    assert field_of(answer, "label")["value"] == "typed"


def test_a_revoked_link_opens_no_more_and_cannot_be_changed(member, shared):
    page = member.get(shared["path"])
    open_link(member, shared)
    asks = member.get(shared["path"])
    assert "opened 1 of 7 times" in words(asks)
    assert "Its address never opens again, and this can’t be undone." in words(asks)
    assert not record_of(member, shared)["revokedAt"]

    here = SAME_SITE | {"Referer": member.service.url + shared["path"]}
    answer = member.post(shared["path"] + "/revoke", {}, here)

    assert answer.headers["Location"] == shared["path"] + "?done=taken"
    assert open_link(member, shared).status == 410
    assert "deleted" in words(member.get(shared["path"]))
    assert 'name="label"' not in member.get(shared["path"]).text
    refused = member.submit(page, shared["path"], label="x")
    assert refused.status == 409
    assert 'role="alert"' in refused.text


def test_revoking_leads_back_to_the_document_where_it_was_done(member, shared):
    path = f"/app/documents/{shared['document']}"
    action = shared["path"] + "/revoke"
    assert action in [form["action"] for form in forms_of(member.get(path))]
    answer = member.post(action, {"back": "//evil.example"})
    assert answer.headers["Location"] == "/app/links?done=taken"
    answer = member.post(action, {}, SAME_SITE | {"Referer": member.service.url + path})
    assert answer.headers["Location"] == path + "?done=taken"


def test_a_switch_turns_a_link_off_and_its_undo_turns_it_on_again(member, shared):
    action = shared["path"] + "/enabled"
    page = member.get(shared["path"])
    assert 'role="switch" aria-checked="true"' in page.text

    off = member.post(action, {"enabled": "no"}, SAME_SITE | {"Referer": page_of(member, shared)})

    assert off.status == 303
    assert off.headers["Location"] == f"{shared['path']}?done=off&link={shared['id']}"
    assert open_link(member, shared).status == 410
    after = member.get(off.headers["Location"])
    assert 'role="switch" aria-checked="false"' in after.text
    assert re.search(r"off since", words(after))
    undo = next(form for form in forms_of(after) if "back" in form["fields"])
    assert undo == {"action": action, "fields": {"back": shared["path"]}}
    on = member.post(undo["action"], undo["fields"] | {"enabled": "yes"})
    assert on.headers["Location"] == f"{shared['path']}?done=on&link={shared['id']}"
    assert open_link(member, shared).status == 200


def page_of(member, link):
    return member.service.url + link["path"]


def test_each_row_of_a_link_that_has_not_ended_has_a_switch(member, shared):
    ended = member.api.upload(b"x", name="ended.txt")
    member.api.revoke(ended, ended["token"])
    path = f"/app/documents/{shared['document']}"
    for page in ("/app/links", path):
        switches = [form["action"] for form in forms_of(member.get(page))]
        assert switches.count(shared["path"] + "/enabled") == 1
        assert f"/app/links/{ended['token']['id']}/enabled" not in switches


def test_a_switch_leads_back_to_the_page_where_it_is_and_offers_to_undo_it_there(member, shared):
    path = f"/app/documents/{shared['document']}"
    action = shared["path"] + "/enabled"
    for here in (path, "/app/links"):
        referrer = {"Referer": member.service.url + here}
        off = member.post(action, {"enabled": "no"}, SAME_SITE | referrer)
        assert off.headers["Location"] == f"{here}?done=off&link={shared['id']}"
        assert "Nobody can open it until you turn it on again." in words(
            member.get(off.headers["Location"])
        )
        forms = forms_of(member.get(off.headers["Location"]))
        assert {"action": action, "fields": {"back": here}} in forms


@pytest.mark.parametrize("id", ["tok_..", "tok_X/../x", "doc_1", ""])
def test_an_address_offers_to_undo_nothing_but_the_switch_of_a_link(member, id):
    page = member.get(f"/app/links?done=off&link={id}")
    assert "/enabled" not in page.text


def test_activity_says_that_a_link_was_turned_off_and_on(member, shared):
    for enabled in ("no", "yes"):
        member.post(shared["path"] + "/enabled", {"enabled": enabled})
    page = words(member.get("/app/activity"))
    for word in ("off", "on"):
        assert re.search(rf"turned {word} the link to +shared.md +for “ ?the auditor ?”", page)


def test_a_link_of_somebody_else_is_not_there(member, alice, document):
    link = alice.share(document)
    path = f"/app/links/{link['id']}"
    assert member.get(path).status == 404
    assert member.post(path, {"permissions": "view", "ends": "keep"}).status == 404
    assert member.post(path + "/revoke").status == 404
    assert member.post(path + "/enabled", {"enabled": "no"}).status == 404
    assert alice.open(link["viewUrl"]).status == 200


def test_a_link_that_does_not_open_is_left_out_of_every_page_and_hides_no_other(member, service):
    document = member.api.upload(b"x", name="x.txt", token=None)
    member.api.share(document, label="the notary")
    for value in ("x'00'", "NULL"):
        link = member.api.share(document, label="the auditor")
        assert "the auditor" in member.get("/app/links").text
        service.sql(f"UPDATE document_token SET sealed = {value} WHERE id = :id", id=link["id"])
        for page in ("/app/links", f"/app/documents/{document['id']}"):
            answer = member.get(page)
            assert answer.status == 200
            assert "the auditor" not in answer.text
            assert "the notary" in answer.text
        assert member.get(f"/app/links/{link['id']}").status == 404
        assert member.api.open(link["viewUrl"]).status == 401


def test_openings_that_are_counted_and_not_listed_yet_are_said_to_be_so(member):
    link = member.api.share(member.api.upload(token=None))
    path, words_of_it = f"/app/links/{link['id']}", "Openings of the last minute are listed"
    assert words_of_it not in member.get(path).text
    for _ in range(3):
        member.api.open(link["viewUrl"])
    page = words(member.get(path))
    assert "opened 3 times" in page
    assert words_of_it in page


def test_the_name_is_hidden_until_a_link_opens_and_named_again_by_a_tick(member):
    document = member.api.upload(b"x", name="Notice of dismissal.txt", token=None)
    here = f"/app/documents/{document['id']}"
    for fields, is_hidden in (({}, False), ({"hideName": ["0", "1"]}, True)):
        member.make_link(member.get(here), f"{here}/links", password="open sesame", **fields)
        link, *_ = member.api.links(document)
        assert link["hideName"] is is_hidden

    terms = f"/app/links/{link['id']}"
    stays = member.submit(member.get(terms), terms, label="Ben")
    assert stays.status == 303
    assert member.api.links(document)[0]["hideName"] is True
    changed = member.submit(member.get(terms), terms, hideName="0")
    assert changed.status == 303
    assert member.api.links(document)[0]["hideName"] is False
