"""Runs the viewer's jobs: what they make is kept beside the document, and callers take turns."""

from collections.abc import Iterable
from typing import Any

import viewer
from models import Document, StoredPreview
from models.token_grant import TokenGrant


def job_runner(document: Document, grant: TokenGrant | None) -> viewer.RunJob:
    """Returns a function that raises `Busy` where a link or its owner asks for too much at once."""
    caller_id = grant.id if grant else document.owner_id

    def run(
        job: str, pieces: Iterable[bytes], options: dict[str, Any], *, seconds: float
    ) -> viewer.JobResult:
        def make() -> tuple[bytes, bool]:
            made = viewer.run_job(job, pieces, options, seconds=seconds)
            return made.to_bytes(), made.failure is None

        name = viewer.job_name(job, options)
        return viewer.JobResult.of_bytes(StoredPreview.obtain(document, caller_id, name, make))

    return run
