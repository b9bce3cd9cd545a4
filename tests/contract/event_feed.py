"""Read the feed of events."""


def events_of(person, query=""):
    """Yield all events of a person, oldest first, page by page."""
    after = ""
    while after is not None:
        page = person.get(f"/v1/events?limit=3{query}{after and '&after=' + after}").json
        yield from page["events"]
        after = page["nextCursor"]


def event_types(person, query=""):
    return [event["type"] for event in events_of(person, query)]
