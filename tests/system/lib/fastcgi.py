"""A small FastCGI client: what a web server says to mapdiaryd, and what no web server would say."""

import contextlib
import socket
import struct

import http_client

BEGIN_REQUEST, ABORT_REQUEST, END_REQUEST, PARAMS, STDIN, STDOUT = 1, 2, 3, 4, 5, 6
RESPONDER = struct.pack("!HB5x", 1, 0)
DEFAULTS = {"REQUEST_METHOD": "GET", "REMOTE_ADDR": "127.0.0.1", "QUERY_STRING": ""}


def record(kind, content=b""):
    return struct.pack("!BBHHBx", 1, kind, 1, len(content), 0) + content


def stream(kind, data):
    """A whole stream: its records, then the empty one that ends it."""
    pieces = (data[at : at + 65535] for at in range(0, len(data), 65535))
    return b"".join(record(kind, piece) for piece in pieces) + record(kind)


def pair(name, value):
    def length(text):
        return bytes([len(text)]) if len(text) < 128 else struct.pack("!I", len(text) | 1 << 31)

    name, value = name.encode(), value.encode()
    return length(name) + length(value) + name + value


def opening(body, variables):
    """All of a request up to its body."""
    variables = DEFAULTS | ({"CONTENT_LENGTH": str(len(body))} if body else {}) | variables
    params = b"".join(pair(name, str(value)) for name, value in variables.items() if value is not None)
    return record(BEGIN_REQUEST, RESPONDER) + stream(PARAMS, params)


def connect(address):
    """To the path of a unix socket, or to a pair of address and port."""
    is_tcp = isinstance(address, tuple)
    connection = socket.socket(socket.AF_INET if is_tcp else socket.AF_UNIX)
    connection.settimeout(60)
    try:
        connection.connect(address if is_tcp else str(address))
    except OSError:
        connection.close()
        raise
    return connection


def exactly(connection, count):
    data = b""
    while len(data) < count:
        piece = connection.recv(count - len(data))
        if not piece:
            raise EOFError("the connection ended within a record")
        data += piece
    return data


def read(connection):
    """What came to standard output until the request ended; EOFError where it did not end properly."""
    output = []
    while True:
        _, kind, _, length, padding = struct.unpack("!BBHHBx", exactly(connection, 8))
        content = exactly(connection, length + padding)[:length]
        if kind == STDOUT:
            output.append(content)
        if kind == END_REQUEST:
            return b"".join(output)


def request(address, body, variables):
    with connect(address) as connection:
        connection.sendall(opening(body, variables) + stream(STDIN, body))
        output = read(connection)
        # Until the service has closed its end, which it does at once: so nobody finds it open still.
        with contextlib.suppress(OSError):
            connection.recv(1)
        return http_client.parse_cgi(output)
