"""viewer/formats/mail/mail.py: mailboxes, and viewer/formats/mail/mailbox_messages.py"""

import pytest

from tests.viewer.samples import mail, mbox, original, preview_of
from viewer.formats.mail import mailbox_messages as mailbox


def shown(*messages, name="a.mbox", content_type="application/octet-stream"):
    return preview_of(original(mbox(*messages), name, content_type))


@pytest.mark.parametrize(
    ("name", "content_type"),
    [("a", "application/mbox"), ("a.mbox", "text/plain"), ("a.mbox", "application/octet-stream")],
)
def test_the_messages_of_a_mailbox_are_listed_and_open(name, content_type):
    messages = (mail("<p>one", Subject="First"), mail(text="two\n>From here", Subject="<Second>"))
    preview = shown(*messages, name=name, content_type=content_type)
    html = preview.body.decode()

    assert (preview.kind, preview.label, preview.facts) == ("mailbox", "Mailbox", ("2 messages",))
    assert html.count("<details open>") == html.count("<iframe") == 1
    assert "<b>&lt;Second&gt;</b>" in html
    assert '<span class="ln">From here\n' in html


def test_messages_beyond_the_first_are_listed_only(monkeypatch):
    preview = shown(*(mail(Subject=f"No. {n}") for n in range(40)))
    html = preview.body.decode()

    assert html.count("<details") == mailbox.MAX_SHOWN
    assert "<b>No. 39</b>" in html
    assert preview.note.startswith("Only the first 30 of them open here.")


def test_many_and_large_messages_are_bounded():
    data = mbox(*[b"Subject: x\n\n" + b"x" * (1 << 20)] * 9, *[b"Subject: y\n\n"] * 1_000)
    (facts, _), *opened, (_, others) = mailbox.render(data, {})

    assert facts == {"listed": mailbox.MAX_LISTED, "cut": True}
    assert len(opened) < 9
    assert len(opened) + others.count(b"<li>") == mailbox.MAX_LISTED


def test_what_has_no_message_is_shown_as_text():
    assert preview_of(original(b"From: x\n\nwords", "a.mbox")).kind == "text"
