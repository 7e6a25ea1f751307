"""HTTP requests with every byte under control, and their answers, checked and taken apart."""

import functools
import hashlib
import http.client
import io
import socket
import urllib.parse
import xml.parsers.expat

import lxml.etree

FORM = "application/x-www-form-urlencoded"

# All that `info` may say, but for a parameter's name after the first three.
INFO = (
    "MISSING PARAMETER", "INVALID PARAMETER", "DUPLICATE PARAMETER", "MALFORMED REQUEST", "UNKNOWN FUNC",
    "METHOD NOT ALLOWED", "REQUEST TOO LARGE", "UNSUPPORTED MEDIA TYPE", "LOGIN REQUIRED", "PASSWORD INCORRECT",
    "TOO MANY ATTEMPTS", "REGISTRATION CLOSED", "TOKEN INVALID", "PASSWORD TOO WEAK", "CROSS-SITE REQUEST",
    "ALBUM NOT FOUND", "POI NOT FOUND", "BLOG NOT FOUND", "USER NOT FOUND",
    "NOT OWNER", "CHANGED MEANWHILE", "PHOTO NOT FOUND", "PHOTO NOT READABLE", "PHOTO TOO LARGE", "QUOTA EXCEEDED",
    "COMMENT NOT FOUND", "VOTE NOT FOUND", "ALREADY VOTED", "VOTE CLOSED", "OWN PIECE",
    "ADVERTISEMENT NOT FOUND", "USER BLOCKED", "SERVICE UNAVAILABLE", "INTERNAL ERROR",
)
INFO_OF_SIGNING = ("KEY UNKNOWN", "SIGNATURE REQUIRED", "SIGNATURE INVALID", "TIMESTAMP EXPIRED", "REQUEST REPLAYED")


def encode(params):
    """A form. Values are text, numbers, or bytes that need not be text; of a file, what it counts as."""
    pairs = params.items() if isinstance(params, dict) else params
    return urllib.parse.urlencode([(name, str(value) if isinstance(value, File) else value) for name, value in pairs])


class File(bytes):
    """The value of a parameter that is a file."""

    # What it counts as in a signature.
    def __str__(self):
        return hashlib.sha256(self).hexdigest()


BOUNDARY = "b" * 40


def parts(params):
    """The same as multipart/form-data."""
    written = []
    for name, value in params.items() if isinstance(params, dict) else params:
        file = '; filename="x"' if isinstance(value, File) else ""
        content = bytes(value) if isinstance(value, bytes) else str(value).encode()
        written.append(f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"{file}\r\n\r\n'.encode() + content + b"\r\n")
    return b"".join(written) + f"--{BOUNDARY}--\r\n".encode()


def body_of(params):
    """A body, and its type: in parts where there is a file among them."""
    values = params.values() if isinstance(params, dict) else [value for _, value in params]
    if any(isinstance(value, File) for value in values):
        return parts(params), f"multipart/form-data; boundary={BOUNDARY}"
    return encode(params), FORM


def without_encoding(vary):
    return [field for field in map(str.strip, vary.split(",")) if field.lower() != "accept-encoding"]


class Answer:
    """The answer to a request."""

    def __init__(self, http_status, headers, body):
        self.http_status = http_status
        self.headers = [(name.lower(), value) for name, value in headers]
        self.varies = ", ".join(value for name, value in self.headers if name == "vary")
        # What a web server adds that may compress, in a line of its own or not.
        own = [(name, ", ".join(without_encoding(value)) if name == "vary" else value) for name, value in self.headers]
        self.headers = [(name, value) for name, value in own if (name, value) != ("vary", "")]
        self.body = body

    def header(self, name):
        """The value of a header that may be there once; None where it is not."""
        values = [value for field, value in self.headers if field == name.lower()]
        assert len(values) <= 1, f"{name} is there {len(values)} times"
        return values[0] if values else None

    @functools.cached_property
    def tree(self):
        """The document as [(name, text or list of children)], the same from two parsers, with the envelope checked."""
        assert self.header("Content-Type").replace(" ", "").lower() == "text/xml;charset=utf-8"
        document = lxml_tree(self.body)
        assert document == expat_tree(self.body)
        name, children = document
        assert name == "response" and isinstance(children, list)
        assert children[0] in (("status", "SUCCESS"), ("status", "FAILED"))
        if children[0][1] == "FAILED":
            assert [name for name, _ in children[1:]] == ["info"]
            text, colon, _ = children[1][1].partition(": ")
            assert text in INFO[3:] + INFO_OF_SIGNING and not colon or text in INFO[:3] and colon
            assert self.header("Cache-Control") == "no-store"
            assert self.header("ETag") is None
        return children

    @property
    def info(self):
        """Why it FAILED; None for a SUCCESS."""
        return self.tree[1][1] if self.tree[0][1] == "FAILED" else None

    @property
    def result(self):
        """What a SUCCESS has after its status."""
        assert self.info is None, self.info
        return self.tree[1:]

    @property
    def names(self):
        return [name for name, _ in self.result]

    def __getitem__(self, path):
        """The text or the children of the one element at a path: "Location/lat"."""
        at = self.result
        for step in path.split("/"):
            found = [value for name, value in at if name == step]
            assert len(found) == 1, f"{len(found)} elements {step} of {path}"
            at = found[0]
        return at


def _node(name, text, children):
    """An element has text or children, never both; blanks between elements mean nothing."""
    if not children:
        return name, text
    assert text.strip() == "", f"text {text!r} beside the children of {name}"
    return name, children


def lxml_tree(document):
    # huge_tree lifts the limits that libxml2 sets against hostile documents (10 million bytes in one text).
    parser = lxml.etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)

    def convert(element):
        children = [convert(child) for child in element]
        text = (element.text or "") + "".join(child.tail or "" for child in element)
        assert not element.attrib
        return _node(element.tag, text, children)

    return convert(lxml.etree.fromstring(document, parser))


def expat_tree(document):
    stack = [("", [], [])]

    def start(name, attributes):
        assert not attributes
        stack.append((name, [], []))

    def end(_):
        name, text, children = stack.pop()
        stack[-1][2].append(_node(name, "".join(text), children))

    parser = xml.parsers.expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = lambda text: stack[-1][1].append(text)
    parser.Parse(document, True)
    return stack[0][2][0]


def request(port, method, query, body, headers, source, path="/API.php"):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60, source_address=source and (source, 0))
    headers = list(headers)
    named = {name.lower() for name, _ in headers}
    if isinstance(body, str):
        body = body.encode()
    try:
        connection.putrequest(method, path + ("?" + query if query else ""), skip_accept_encoding=True)
        if body is not None and "content-type" not in named:
            connection.putheader("Content-Type", FORM)
        if body is not None and not named & {"content-length", "transfer-encoding"}:
            connection.putheader("Content-Length", str(len(body)))
        for name, value in headers:
            # None: a header that would be there otherwise is not.
            if value is not None:
                connection.putheader(name, value)
        connection.endheaders(body)
        return _answer(connection.getresponse())
    finally:
        connection.close()


def raw(port, data):
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(data)
        response = http.client.HTTPResponse(connection)
        response.begin()
        return _answer(response)


def _answer(response):
    return Answer(response.status, response.getheaders(), response.read())


def parse_cgi(data):
    """The Answer in a CGI document (RFC 3875, section 6)."""
    head, _, body = data.partition(b"\r\n\r\n")
    headers = http.client.parse_headers(io.BytesIO(head + b"\r\n\r\n")).items()
    status = next((value for name, value in headers if name.lower() == "status"), "200")
    return Answer(int(status.split()[0]), headers, body)
