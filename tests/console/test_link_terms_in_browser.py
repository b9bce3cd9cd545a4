"""The terms of a link in a browser: what the sentence of the pills says of the choices."""

from tests.console.terms import field, open_pill, say_of


def test_the_fourth_pill_says_that_the_name_is_hidden(member, open_browser):
    document = member.api.upload(b"x", name="Notice.txt", token=None)
    page = open_browser()
    member.enter(page, f"/app/documents/{document['id']}")
    form = page.locator("#new")
    assert say_of(form, "more") == "Name, limit, embedding"
    field(form, "Who is it for?").fill("Ben")
    open_pill(form, "more").get_by_label("Hide its name until it opens").check()
    assert say_of(form, "more") == "for Ben, name hidden"
