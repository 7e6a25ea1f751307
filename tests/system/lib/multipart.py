"""multipart/form-data as clients of several kinds write it: a function each, from fields to the body and its media type.

A field is (name, text), or (name, File)."""

import email.generator
import email.message
import email.policy
import io
import secrets
import typing


class File(typing.NamedTuple):
    content: bytes
    name: str = "photo.jpg"
    media_type: str = "image/jpeg"


def part(boundary, headers, content):
    lines = "".join(f"{header}\r\n" for header in headers).encode()
    return b"--" + boundary.encode() + b"\r\n" + lines + b"\r\n" + content + b"\r\n"


def closed(boundary, parts):
    return b"".join(parts) + b"--" + boundary.encode() + b"--\r\n"


def written(fields, boundary, escape, text_headers=()):
    """As most do: they differ in how they escape, and in what they say of a text."""
    parts = []
    for name, value in fields:
        disposition = f'Content-Disposition: form-data; name="{escape(name)}"'
        if isinstance(value, File):
            headers = [f'{disposition}; filename="{escape(value.name)}"', f"Content-Type: {value.media_type}"]
            parts.append(part(boundary, headers, value.content))
        else:
            parts.append(part(boundary, [disposition, *text_headers], str(value).encode()))
    return closed(boundary, parts), f"multipart/form-data; boundary={boundary}"


def escaped_by_percent(text):
    return text.replace("\r", "%0D").replace("\n", "%0A").replace('"', "%22")


def escaped_by_backslash(text):
    return text.replace("\\", "\\\\").replace('"', '\\"')


def browser(fields):
    """HTML Standard, "multipart/form-data encoding algorithm", and Chromium's boundary."""
    return written(fields, "----WebKitFormBoundary" + secrets.token_urlsafe(12).replace("-", "A").replace("_", "B"),
                   escaped_by_percent)


def firefox(fields):
    return written(fields, "-" * 27 + str(secrets.randbits(100)), escaped_by_percent)


def requests(fields):
    """urllib3's encode_multipart_formdata()."""
    return written(fields, secrets.token_hex(16), escaped_by_percent)


def go(fields):
    """mime/multipart.Writer."""
    return written(fields, secrets.token_hex(30), escaped_by_backslash)


def okhttp(fields):
    """Names of headers in another order, and lengths that say nothing."""
    boundary = "3a7b8f7e-0000-4a6c-9d7e-" + secrets.token_hex(6)
    return written(fields, boundary, escaped_by_percent, ["Content-Length: 1", "Content-Type: text/plain; charset=utf-8"])


def dotnet(fields):
    """Names without quotes where they are tokens, and a boundary in quotes."""
    body, media_type = written(fields, "a b'()+_,-./:=?c", escaped_by_backslash, ["Content-Type: text/plain; charset=utf-8"])
    for name, _ in fields:
        if name.isalnum() and name.isascii():
            body = body.replace(f'; name="{name}"'.encode(), f"; name={name}".encode(), 1)
    return body, media_type.replace("boundary=", 'boundary="') + '"'


def python_email(fields):
    """The standard library's email, with a preamble and an epilogue."""
    message = email.message.Message()
    message["Content-Type"] = "multipart/form-data"
    message.preamble, message.epilogue = "This is a message in several parts.", "That was it."
    for name, value in fields:
        inner = email.message.Message()
        content = value.content if isinstance(value, File) else str(value).encode()
        inner.add_header("Content-Transfer-Encoding", "8bit")
        names = {"filename": value.name} if isinstance(value, File) else {}
        inner.add_header("Content-Disposition", "form-data", name=name, **names)
        inner.set_payload(content.decode("ascii", "surrogateescape"))
        message.attach(inner)
    out = io.BytesIO()
    email.generator.BytesGenerator(out, policy=email.policy.HTTP).flatten(message)
    head, _, body = out.getvalue().partition(b"\r\n\r\n")
    media_type = next(line for line in head.decode().split("\r\n") if line.startswith("Content-Type: "))
    return body, media_type.partition(": ")[2]


CLIENTS = [browser, firefox, requests, go, okhttp, dotnet, python_email]
