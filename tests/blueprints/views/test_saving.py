"""blueprints/views/pages.py: a file to save takes no place of a view, nor a view one of a file"""

import base64

from models import current_runtime
from tests import counts
from tests.viewer import samples


def test_saves_and_views_do_not_wait_for_each_other(tmp_path):
    with counts.application(tmp_path) as (app, headers):
        payload = base64.b64encode(samples.pdf(*"12345")).decode()
        body = {"contentType": "application/pdf", "payload": payload}
        queue = current_runtime().preview_queue
        for taken, part in ((queue.saving, "/view"), (queue.viewing, "/download")):
            made = app.test_client().post("/v1/documents", json=body, headers=headers).json
            for name in range(taken.count):
                taken.take(str(name), str(name))
            answer = app.test_client().get(f"/v1/documents/{made['id']}{part}", headers=headers)
            for name in range(taken.count):
                taken.release(str(name), str(name))

            assert answer.status_code == 200, part
