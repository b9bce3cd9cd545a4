"""The payload store in an S3-compatible service: an object for each payload, or for each segment.

    <prefix>/payload/<payload id>            the sealed pieces, end to end
    <prefix>/payload/<payload id>/<number>   64 of them each, if it is large and they are separate
    <prefix>/database                        the id of the database that the objects belong to

A segment is put by one request, so that no multipart upload is ever left over, and by any process,
which puts the same bytes.

Address and credentials come from the environment, as every S3 tool takes them. The secret may also
lie in the file that `AWS_SECRET_ACCESS_KEY_FILE` names.
"""

import logging
import os
import re
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import timedelta
from functools import partial
from itertools import chain, count, islice, pairwise
from threading import Lock
from typing import Final

import obstore
from obstore.exceptions import BaseError, PermissionDeniedError, UnauthenticatedError
from obstore.store import S3Store

from crypto import DecryptionError
from environment import secret_of

from ...core import OperatorError, PayloadStoreAway, log_unless_printed, will_wait
from .layouts import LARGE_BYTES, has_separate_pieces, layout_of, sealed_size
from .pieces import READERS_AHEAD, SEGMENT_PIECES, ReadAhead

PART_BYTES: Final = 5 << 20  # the smallest that S3 takes in a multipart upload
PARTS_AT_ONCE: Final = 2  # so that an upload takes 15 MiB of memory
WINDOW_PIECES: Final = 12  # a reader holds two windows, 4.5 MiB
PAGE_OBJECTS: Final = 1000

_REFUSALS = (PermissionDeniedError, UnauthenticatedError)
_REFUSED = re.compile("<Code>(AccessDenied|ExpiredToken|InvalidAccessKeyId|SignatureDoesNotMatch)")
_BEHIND_THE_END = re.compile("416 Range|<Code>InvalidRange")
_ENDPOINT = re.compile(r"https?://[\w.-]+(:[0-9]{1,5})?(/[\w./~-]*)?", re.ASCII)
WindowOf = Callable[[int, int], list[bytes]]
_FOLDER = "payload/"
_OWNER = "database"


class _UntilFailure:
    """Pieces up to the first one that cannot be made; `failure` is the reason then.

    The first piece is made at once, and its error raised, so that nothing empty is stored.
    """

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = chain([next(pieces)], pieces)
        self.failure: BaseException | None = None

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._pieces
        except BaseException as error:  # noqa: BLE001  it is raised again
            self.failure = error


class PayloadObjects:
    """The objects below one `s3://bucket/prefix`. Nothing is sent before the first call.

    Each call raises `PayloadStoreAway` if the store fails.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        bucket, _, prefix = url.removeprefix("s3://").partition("/")
        _refuse_wrong_endpoint()
        secret = secret_of(os.environ, "AWS_SECRET_ACCESS_KEY")
        allow_http = os.environ.get("AWS_ALLOW_HTTP", "").lower() in {"1", "true"}
        self._store = S3Store(
            bucket,
            prefix=prefix or None,
            config={"secret_access_key": secret} if secret else {},
            client_options={"allow_http": allow_http, "connect_timeout": "3s", "timeout": "30s"},
            retry_config={"max_retries": 2, "retry_timeout": timedelta(seconds=20)},
        )
        self.segmented_above = LARGE_BYTES  # the size of payloads in separate pieces
        self.away_for: str | None = None  # why the last call failed; None if it did not
        self._telling = Lock()
        self._fetching = ThreadPoolExecutor(READERS_AHEAD, "payload-objects")
        self._read_ahead = ReadAhead()

    def owner(self) -> str | None:
        """Return the id of the database that the objects belong to; None if it was not set."""
        with self._reporting():
            try:
                return bytes(obstore.get(self._store, _OWNER).bytes()).decode()
            except FileNotFoundError:
                return None

    def set_owner(self, database_id: str) -> None:
        with self._reporting():
            obstore.put(self._store, _OWNER, database_id.encode(), use_multipart=False)

    def store(self, payload_id: str, pieces: Iterator[bytes], size: int) -> None:
        """Store all pieces of a payload of `size` bytes: a whole object, or none; or each segment.

        Raises what `pieces` raises. A multipart upload is then completed all the same, and its
        object deleted: a part that is under way while an upload is aborted may come after that, and
        the store keeps it.
        """
        if self.has_segments(payload_id, size):
            for number in count():
                if not self.store_segment(payload_id, number, islice(pieces, SEGMENT_PIECES)):
                    return
        key = _FOLDER + payload_id
        will_wait()
        with self._reporting():
            if sealed_size(payload_id, size) <= PART_BYTES:
                obstore.put(self._store, key, b"".join(pieces), use_multipart=False)
                return
            given = _UntilFailure(pieces)
            obstore.put(
                self._store,
                key,
                given,
                use_multipart=True,
                chunk_size=PART_BYTES,
                max_concurrency=PARTS_AT_ONCE,
            )
        if given.failure is not None:
            with suppress(PayloadStoreAway):  # it is deleted later, as every unreferenced object
                self.drop(payload_id)
            raise given.failure

    def has_segments(self, payload_id: str, size: int) -> bool:
        """Return whether a payload of `size` bytes is an object for each segment."""
        return has_separate_pieces(payload_id) and size > self.segmented_above

    def pieces_in_segments(self, payload_id: str, size: int, count: int) -> int:
        """Return how many of the first `count` pieces fill whole segments; the others wait."""
        if not self.has_segments(payload_id, size):
            return 0
        return count // SEGMENT_PIECES * SEGMENT_PIECES

    def store_segment(self, payload_id: str, number: int, pieces: Iterable[bytes]) -> bool:
        """Store the pieces of a segment as they lie; return False, and store none, without any."""
        segment = b"".join(pieces)
        if segment:
            will_wait()
            with self._reporting():
                key = _key_of_segment(payload_id, number)
                obstore.put(self._store, key, segment, use_multipart=False)
        return bool(segment)

    def pieces(self, payload_id: str, size: int, first: int, last: int) -> Iterator[bytes]:
        """Yield the pieces `first` to `last` of a payload of `size` bytes.

        Raises `DecryptionError` if the object is missing, or too short.
        """
        layout = layout_of(payload_id)
        in_segments = self.has_segments(payload_id, size)
        windows = self._windows(partial(self._window, payload_id, in_segments), first, last)
        for number, sealed in enumerate(windows, first):
            if len(sealed) != layout.sealed_length(size, number):
                raise DecryptionError(f"Its object in {self.url} was altered.")
            yield sealed

    def exists(self, payload_id: str) -> bool:
        """Return whether there is an object of a payload, or its first segment."""
        keys = _FOLDER + payload_id, _key_of_segment(payload_id, 0)
        return any(self._has(key) for key in keys)

    def _has(self, key: str) -> bool:
        with self._reporting():
            try:
                obstore.head(self._store, key)
            except FileNotFoundError:
                return False
            return True

    def drop(self, *payload_ids: str) -> None:
        """Delete objects, with all segments; one that is missing is no error."""
        with self._reporting():
            keys = [_FOLDER + id for id in payload_ids]
            for id in filter(has_separate_pieces, payload_ids):
                for page in obstore.list(self._store, f"{_FOLDER}{id}/", chunk_size=PAGE_OBJECTS):
                    keys += [entry["path"] for entry in page]
            obstore.delete(self._store, keys)

    def payload_ids(self) -> Iterator[list[str]]:
        """Yield the ids of the payloads that have objects, a page at a time.

        That of a payload whose segments are listed on two pages comes twice.
        """
        with self._reporting():
            for page in obstore.list(self._store, _FOLDER, chunk_size=PAGE_OBJECTS):
                paths = (entry["path"].removeprefix(_FOLDER) for entry in page)
                yield list(dict.fromkeys(path.partition("/")[0] for path in paths))

    def _windows(self, window_of: WindowOf, first: int, last: int) -> Iterator[bytes]:
        """Yield the pieces of windows; fetch the next window while one is decrypted and sent."""
        coming: Future[list[bytes]] | None = None
        windows = self._read_ahead.windows(first, last, WINDOW_PIECES)
        for (start, stop), (following, end) in pairwise(chain(windows, [(0, 0)])):
            will_wait()
            window = coming.result() if coming else window_of(start, stop)
            coming = None
            yield window[0]
            if end - following > 1:
                coming = self._fetching.submit(window_of, following, end)
            yield from window[1:]

    def _window(self, payload_id: str, in_segments: bool, start: int, stop: int) -> list[bytes]:
        """Return the pieces `start` to before `stop`; the last one may be shorter."""
        if not in_segments:
            return self._range(_FOLDER + payload_id, payload_id, start, stop)
        window = []
        while start < stop:
            number, at = divmod(start, SEGMENT_PIECES)
            end = min(stop - number * SEGMENT_PIECES, SEGMENT_PIECES)
            window += self._range(_key_of_segment(payload_id, number), payload_id, at, end)
            start = number * SEGMENT_PIECES + end
        return window

    def _range(self, key: str, payload_id: str, start: int, stop: int) -> list[bytes]:
        """Return the pieces `start` to before `stop` of an object."""
        whole_bytes = layout_of(payload_id).whole_bytes
        span = {"start": start * whole_bytes, "end": stop * whole_bytes}
        with self._reporting():
            try:
                window = bytes(obstore.get_range(self._store, key, **span))
            except FileNotFoundError:
                raise DecryptionError(f"Its object in {self.url} is missing.") from None
            except BaseError as error:
                if _BEHIND_THE_END.search(str(error)):
                    raise DecryptionError(f"Its object in {self.url} was altered.") from None
                raise
        starts = range(0, len(window), whole_bytes) or (0,)
        return [window[at : at + whole_bytes] for at in starts]

    @contextmanager
    def _reporting(self) -> Iterator[None]:
        """Raise `PayloadStoreAway` for an error of the store.

        Of an outage the log has its cause once, and its end.
        """
        try:
            yield
        except (BaseError, FileNotFoundError) as error:
            reason = self._reason(error)
            with self._telling:
                if reason != self.away_for and log_unless_printed(reason):
                    self.away_for = reason
            raise PayloadStoreAway(reason) from None
        if self.away_for is not None:
            with self._telling:
                self.away_for = None
            logging.getLogger("docservice").warning("%s answers again", self.url)

    def _reason(self, error: Exception) -> str:
        """Return a sentence without the library's additions: addresses and parts of signatures."""
        if isinstance(error, FileNotFoundError):
            return f"There is no bucket for {self.url}. Create it, or correct DOCSERVICE_PAYLOADS."
        if isinstance(error, _REFUSALS) or _REFUSED.search(str(error)):
            return (
                f"{self.url} refuses these credentials. Check AWS_ACCESS_KEY_ID, "
                "AWS_SECRET_ACCESS_KEY, and what they may do in this bucket."
            )
        code = re.search(r"<Code>(\w+)</Code>", str(error))
        return (
            f"{self.url} does not answer{f' ({code[1]})' if code else ''}. Check "
            "AWS_ENDPOINT_URL, and AWS_ALLOW_HTTP=true if that begins with http://."
        )


def _key_of_segment(payload_id: str, number: int) -> str:
    return f"{_FOLDER}{payload_id}/{number}"


def _refuse_wrong_endpoint() -> None:
    """Raise `OperatorError` for an address that the library does not refuse, but panics at."""
    for name in ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT"):
        given = os.environ.get(name)
        if given and not _ENDPOINT.fullmatch(given):
            raise OperatorError(
                f"{name} cannot be used as it is; it takes an address like https://host:port."
            )
