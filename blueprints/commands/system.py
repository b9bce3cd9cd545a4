"""The weaknesses of the system that `document-service doctor` and the start tell."""

from collections.abc import Iterator

from viewer import configured_converter, missing_parts, seccomp_available


def system_notes(
    user_id: int, converter: str | None, is_keyring_kept: bool = True
) -> Iterator[str]:
    """Yield a sentence or two for each weakness of the system, for this user and setting.

    Unless `is_keyring_kept`, somebody has to say that a copy of the keyring was put away.
    """
    if not is_keyring_kept:
        yield (
            "Has a copy of the keyring been put away, apart from the database? Without the keyring "
            "nothing can be read. Then say so: document-service keys kept."
        )
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
    found, why_none = configured_converter(converter)
    if why_none:
        yield why_none
    if found:
        yield from missing_parts(found)
