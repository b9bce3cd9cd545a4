"""From page to page in a browser: the name of a document moves, where motion is welcome."""

from tests.waiting import until

RECORD = """
addEventListener("pagereveal", async ({viewTransition}) => {
    if (top !== window) return;  // the preview, which may not store anything
    if (!viewTransition) {
        sessionStorage.moved = "not at all";
        return;
    }
    await viewTransition.ready;
    const moved = document.getAnimations().map(one => one.effect.pseudoElement);
    sessionStorage.moved = moved.some(one => one.includes("(document)")) ? "the name" : "the page";
});
"""


def go_to_document(page, member, name):
    page.add_init_script(RECORD)
    member.enter(page)
    page.evaluate("sessionStorage.moved = ''")
    page.get_by_role("link", name=name).click()
    page.wait_for_url("**/app/documents/doc_*")
    until(lambda: page.evaluate("sessionStorage.moved"))
    return page.evaluate("sessionStorage.moved")


def test_the_name_of_a_document_moves_from_its_row_to_the_head_of_its_page(member, open_browser):
    member.api.upload(b"x", name="Contract.txt")
    assert go_to_document(open_browser(), member, "Contract.txt") == "the name"


def test_nothing_moves_for_those_who_prefer_less_motion(member, open_browser):
    member.api.upload(b"x", name="Contract.txt")
    page = open_browser(reduced_motion="reduce")
    assert go_to_document(page, member, "Contract.txt") == "not at all"
