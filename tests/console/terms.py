"""The terms of a link as people choose them in a browser: pills, each opened before its fields."""

PILL_OF = {  # label of a field -> the pill that it is in
    "Password": "who",
    "Remove the password": "who",
    "Only these people": "who",
    "Require agreement": "may",
    "Who is it for?": "more",
    "View limit": "more",
    "Sites that may embed it": "more",
}


def open_pill(part, kind):
    """Open a pill of a form, as `part` of a page or as the whole page."""
    pill = part.locator(f"[data-pill={kind}]")
    if not pill.evaluate("one => one.open"):
        pill.locator("summary").click()
    return pill


def say_of(part, kind):
    """What a pill says."""
    return part.locator(f"[data-pill={kind}] > summary").inner_text()


def field(part, label):
    """The field with this label, in an open pill."""
    return open_pill(part, PILL_OF[label]).get_by_label(label, exact=True)


def choose_end(part, words):
    open_pill(part, "until").get_by_role("radio", name=words).check()


def choose_last_day(part, day):
    choose_end(part, "until a date")
    open_pill(part, "until").get_by_label("Last day").fill(day)


def permit(part, words):
    open_pill(part, "may").get_by_role("radio", name=words, exact=True).check()
