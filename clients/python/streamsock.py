"""A client of Shockwave's routing-id sockets over tcp, tls, ws and wss, with nothing but the standard library.

It follows docs/wire/streamsock.md. Stream, Frames and Prefixed implement the three framings; programs use Connection. Calls
block, and a broken connection is not dialled again. Section numbers are those of RFC 6455.

    c = streamsock.Connection("ws://127.0.0.1:8080/game")
    c.send(b"hello")
    for message in c:
        print(message)
    print(c.end)  # End(reason='closed', code=1000, text='')
"""

import base64
import hashlib
import os
import socket
import ssl
import struct
import threading
import time
from collections import namedtuple
from urllib.parse import urlsplit

LINGER = 5  # seconds that the peer has for ending its side after ours
CHUNK = 64 << 10  # maximum bytes of one read: memory grows with the bytes received, not with the announced length
CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10


# How a connection ended. code and text are those of the close frame, the peer's or ours; length is that of a refused message.
End = namedtuple("End", "reason code text length", defaults=(0, "", 0))


class Over(Exception):
    """Raised inside the module when a connection has ended; carries its End."""

    def __init__(self, *end):
        self.end = End(*end)


class Bytes:
    """The byte stream of a tcp or tls connection."""

    def __init__(self, sock):
        self.sock, self.file = sock, sock.makefile("rb")
        self.sending = threading.Lock()  # so that messages of several threads do not mix

    def exactly(self, n):
        """Returns n bytes, or fewer if the peer ends its side first."""
        b = bytearray()
        while len(b) < n and (more := self.file.read1(min(n - len(b), CHUNK))):
            b += more
        return bytes(b)

    def send(self, b):
        with self.sending:
            self.sock.sendall(b)


class Stream:
    """The framing of tcp and tls: each message has a length prefix."""

    framed = False  # no WebSocket frames, so no close frames

    def __init__(self, wire, max_message):
        self.wire, self.max = wire, max_message

    def message(self):
        header = self.wire.exactly(4)
        if len(header) < 4:
            raise Over("truncated" if header else "eof")
        length = self.fits(*struct.unpack(">I", header))
        payload = self.wire.exactly(length)
        if len(payload) < length:
            raise Over("truncated")
        return payload

    def fits(self, length):
        """Returns length, or raises Over if it is above the limit."""
        if 0 < self.max < length:
            raise Over("too-large", 1009 if self.framed else 0, f"{length} bytes, {self.max} are taken", length)
        return length

    def send(self, message):
        self.wire.send(struct.pack(">I", len(message)) + message)


class Frames(Stream):
    """The framing of ws and wss, one to one: each message is a WebSocket message (5)."""

    framed = True

    def __init__(self, wire, max_message, text):
        super().__init__(wire, max_message)
        self.text = text  # whether text messages are accepted
        self.opcode = None  # of the current message
        self.fin = True  # the current frame is the last one of its message

    def message(self):
        message = bytearray()
        while True:
            length = self.header()
            self.fits(len(message) + length)
            message += self.exactly(length)
            if self.fin:
                return bytes(message) if self.opcode == BINARY else utf8(message)

    def exactly(self, n):
        b = self.wire.exactly(n)
        if len(b) < n:  # the connection ended without a close frame
            raise Over("truncated", 1006)
        return b

    def header(self):
        """Reads the header of the next data frame and returns the length of its payload. Handles control frames before it."""
        while True:
            first, second = self.exactly(2)
            fin, opcode = bool(first & 0x80), first & 0x0F
            if first & 0x70 or second & 0x80:
                raise Over("protocol", 1002, "reserved bits, or a mask")  # 5.1, 5.2
            length = self.length(second)
            if opcode in (CLOSE, PING, PONG):
                if not fin or length > 125:
                    raise Over("protocol", 1002, "a control frame that is long, or cut")  # 5.5
                p = self.exactly(length)
                if opcode == CLOSE:
                    raise Over("closed", *parse_close(p))
                if opcode == PING:
                    self.frame(PONG, p)  # 5.5.3
                continue
            if opcode > BINARY or (opcode == CONTINUATION) == self.fin:
                raise Over("protocol", 1002, "a frame that is unknown, or out of turn")  # 5.2, 5.4
            if opcode == TEXT and not self.text:
                raise Over("text", 1003, "text messages are not enabled")
            self.fin, self.opcode = fin, opcode or self.opcode
            return length

    def length(self, n):
        """Returns the length of a payload. n is its first byte, which may announce an extended length (5.2)."""
        least = 0
        if n == 126:
            (n,), least = struct.unpack(">H", self.exactly(2)), 126
        elif n == 127:
            (n,), least = struct.unpack(">Q", self.exactly(8)), 1 << 16
        if n < least or n >> 63:
            raise Over("protocol", 1002, "a length that could be shorter, or is no length")
        return n

    def send(self, message):
        text = isinstance(message, str)
        if text and not self.text:
            raise TypeError("text without text=True")
        self.frame(TEXT if text else BINARY, message.encode() if text else message)

    def frame(self, opcode, p):
        """Sends p in one frame, masked as clients must (5.3)."""
        n = len(p)
        if n < 126:
            head = struct.pack(">BB", 0x80 | opcode, 0x80 | n)
        else:
            form, length = (">BBH", 126) if n < 1 << 16 else (">BBQ", 127)
            head = struct.pack(form, 0x80 | opcode, 0x80 | length, n)
        key = os.urandom(4)
        mask = int.from_bytes((key * (n // 4 + 1))[:n], "big")
        self.wire.send(head + key + (int.from_bytes(p, "big") ^ mask).to_bytes(n, "big"))


class Prefixed(Frames):
    """The prefixed framing of ws and wss: the concatenated payloads of the frames are a byte stream as on tcp."""

    def __init__(self, wire, max_message):
        super().__init__(wire, max_message, text=False)
        self.left = 0  # remaining bytes of the current frame

    def message(self):
        self.begun = False
        try:
            return self.payload(self.fits(*struct.unpack(">I", self.payload(4))))
        except Over as over:
            if self.begun and over.end.reason == "closed":  # inside a message
                raise Over("truncated", over.end.code, over.end.text) from None
            raise

    def payload(self, n):
        """Returns the next n bytes of the stream."""
        b = bytearray()
        while len(b) < n:
            while self.left == 0:
                self.left = self.header()
            more = self.exactly(min(n - len(b), self.left, CHUNK))
            self.left -= len(more)
            b += more
            self.begun = True
        return bytes(b)

    def send(self, message):
        self.frame(BINARY, struct.pack(">I", len(message)) + message)


def parse_close(p):
    """Returns code and reason of a close frame (7.4)."""
    if not p:
        return 1005, ""
    code = int.from_bytes(p[:2], "big")
    if len(p) == 1 or not (code in range(1000, 1015) and code not in (1004, 1005, 1006) or 3000 <= code <= 4999):
        raise Over("protocol", 1002, "a close frame with a code that may not be sent")
    return code, utf8(p[2:])


def utf8(p):
    try:
        return p.decode()
    except UnicodeDecodeError:
        raise Over("protocol", 1007, "text that is not UTF-8") from None  # 8.1


def upgrade(wire, url, headers):
    """Makes the WebSocket handshake (4)."""
    key = base64.b64encode(os.urandom(16)).decode()
    fields = {"Host": url.netloc.rpartition("@")[2], "Upgrade": "websocket", "Connection": "Upgrade"}
    fields |= {"Sec-WebSocket-Key": key, "Sec-WebSocket-Version": "13"} | headers
    lines = [f"GET {url.path or '/'}{url.query and '?' + url.query} HTTP/1.1", *map(": ".join, fields.items()), "", ""]
    wire.send("\r\n".join(lines).encode())
    status, *lines = [*iter(lambda: wire.file.readline(CHUNK).decode("latin-1").strip(), "")] or [""]
    answer = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    proof = hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()  # 4.2.2
    if not status.startswith("HTTP/1.1 101") or answer.get("upgrade", "").lower() != "websocket":
        raise ConnectionRefusedError(status)
    if answer.get("sec-websocket-accept") != base64.b64encode(proof).decode() or "sec-websocket-extensions" in answer:
        raise ConnectionError("the response is to another handshake, or chooses what was not offered")


class Connection:
    """A connection to a tcp, tls, ws or wss URL. On tcp and ws one thread may receive while others send.

    For ws and wss: prefixed selects the prefixed framing, which both ends must use; text allows text messages, which are
    refused otherwise; headers are sent with the handshake. timeout is in seconds, for connecting and the handshakes.
    """

    def __init__(self, url, prefixed=False, text=False, max_message=16 << 20, context=None, headers={}, timeout=10):
        url = urlsplit(url)
        framed = url.scheme in ("ws", "wss")
        if url.scheme not in ("tcp", "tls", "ws", "wss") or prefixed and text:
            raise ValueError("no such transport, or text with prefixed framing")
        self.end = None
        self.sock = socket.create_connection((url.hostname, url.port or (443 if url.scheme == "wss" else 80)), timeout)
        try:
            self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if url.scheme in ("tls", "wss"):
                context = context or ssl.create_default_context()
                self.sock = context.wrap_socket(self.sock, server_hostname=url.hostname)
            wire = Bytes(self.sock)
            if framed:
                upgrade(wire, url, headers)
            self.sock.settimeout(None)
        except BaseException:
            self.sock.close()
            raise
        if framed and not prefixed:
            self.wire = Frames(wire, max_message, text)
        else:
            self.wire = (Prefixed if framed else Stream)(wire, max_message)

    def send(self, message):
        """Sends bytes, or text on ws and wss with text=True."""
        self.wire.send(message)

    def receive(self):
        """Returns the next message, or None when the connection has ended; end then says why."""
        try:
            return None if self.end else self.wire.message()
        except Over as over:
            self.finish(over.end)
        except OSError as e:
            self.finish(End("reset", 1006 if self.wire.framed else 0, str(e)))

    def __iter__(self):
        return iter(self.receive, None)

    def close(self, code=1000, reason=""):
        """Closes the connection, with a close frame on ws and wss. Further input is dropped."""
        if len(reason.encode()) > 123:
            raise ValueError("a reason of more than 123 bytes")
        if not self.end:
            self.finish(End("local", code if self.wire.framed else 0, reason))

    def finish(self, end):
        """Ends our side and waits for the peer to end its own: closing at once could destroy data in transit."""
        self.end = end
        try:
            if end.code not in (0, 1006):  # 5.5.1: answer a close frame with its code
                text = "" if end.reason in ("closed", "truncated") else end.text
                self.wire.frame(CLOSE, b"" if end.code == 1005 else struct.pack(">H", end.code) + text.encode())
            self.sock.shutdown(socket.SHUT_WR)
            late = time.monotonic() + LINGER
            self.sock.settimeout(LINGER)
            while self.sock.recv(CHUNK) and time.monotonic() < late:
                pass
        except OSError:
            pass
        self.sock.close()
