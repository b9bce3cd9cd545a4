"""The short-lived child process that parses untrusted bytes, with hard resource limits.

The parent's side is `process`, and `converter` for LibreOffice; `worker` and `converter_process`
are the main programs of the child processes.
"""

MAX_HTML = 6 << 20  # of HTML made for one preview, pictures not counted
MAX_PICTURES = 12 << 20  # of pictures in base64, embedded in one preview
MAX_TAGS = 250_000  # in an uploaded page: bounds its parsed tree in memory
