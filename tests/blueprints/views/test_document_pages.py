"""blueprints/views/document_pages.py"""

import base64

from models import current_runtime
from models.runtime.slots import Slot
from tests.in_process import application
from viewer.tests import samples


def test_saves_and_views_do_not_wait_for_each_other(tmp_path):
    with application(tmp_path) as (app, headers):
        payload = base64.b64encode(samples.pdf(*"12345")).decode()
        body = {"contentType": "application/pdf", "payload": payload}
        queue = current_runtime().preview_queue
        for taken, part in ((queue.saving, "/view"), (queue.viewing, "/download")):
            made = app.test_client().post("/v1/documents", json=body, headers=headers).json
            held = [Slot(str(number)) for number in range(taken.most)]
            assert all(taken.take(slot) for slot in held)
            answer = app.test_client().get(f"/v1/documents/{made['id']}{part}", headers=headers)
            for slot in held:
                taken.release(slot)

            assert answer.status_code == 200, part
