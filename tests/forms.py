"""Bodies of `multipart/form-data`."""

BOUNDARY = "----Boundary4Tests"
FORM = f"multipart/form-data; boundary={BOUNDARY}"


def body(*parts, boundary=BOUNDARY):
    """The parts, each of which is its head with its content, between boundaries."""
    line = b"--" + boundary.encode()
    return b"".join(line + b"\r\n" + part + b"\r\n" for part in parts) + line + b"--\r\n"


def part(parameters, content=b"value", *fields):
    lines = [f"Content-Disposition: form-data; {parameters}", *fields, "", ""]
    return "\r\n".join(lines).encode() + content


def field(name="field", content=b"value"):
    return part(f'name="{name}"', content)


def file(filename, content=b"value", *fields):
    return part(f'name="file"; filename="{filename}"', content, *fields)
