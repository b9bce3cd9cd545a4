"""What weakens the isolation of the process that parses documents, in sentences for operators."""

from collections.abc import Iterator

from viewer import configured_converter, seccomp_available


def isolation_notes(user_id: int, converter: str | None) -> Iterator[str]:
    """One sentence for each weakness of a service that runs as this user, with this setting."""
    if not seccomp_available():
        yield (
            "There is no seccomp here: the process that parses documents is held by limits of "
            "memory, time and files alone. Use Linux 4.14 or newer, on x86_64 or aarch64."
        )
    if user_id == 0:
        yield (
            "The service runs as root, so that a fault in it or in a library reaches the whole "
            "machine. Run it as a user of its own."
        )
    _, why_off = configured_converter(converter)
    if why_off:
        yield why_off
