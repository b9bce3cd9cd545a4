"""Uploads in pieces: begun, continued by any number of requests, finished or ended."""

from .beginning import NewUpload, begin, require_beginning
from .by_link import end_uploads_of_ended_links, require_beginning_by_link
from .catching_up import catch_up, catch_up_arrived
from .ending import delete_expired, delete_rest_of, delete_uploads_of, end, end_all_unfinished
from .steps import STEP_BYTES, Body, Checksum, append
