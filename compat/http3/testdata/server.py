# Serves HTTP/3 by aioquic until it is killed; what it is asked for by POST it sends back. Usage: server.py CERTIFICATE KEY PORT
import asyncio
import sys

from aioquic.asyncio import serve
from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.h3.connection import H3_ALPN, H3Connection
from aioquic.h3.events import DataReceived, HeadersReceived
from aioquic.quic.configuration import QuicConfiguration


class Server(QuicConnectionProtocol):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.http = H3Connection(self._quic)
        self.requests = {}

    def quic_event_received(self, event):
        for got in self.http.handle_event(event):
            if isinstance(got, HeadersReceived):
                self.requests.setdefault(got.stream_id, [dict(got.headers), bytearray()])
            if isinstance(got, DataReceived):
                self.requests[got.stream_id][1].extend(got.data)
            if got.stream_ended:
                self.answer(got.stream_id, *self.requests.pop(got.stream_id))

    def answer(self, stream, head, body):
        path = head[b":path"]
        if path.startswith(b"/big/"):
            body = b"x" * int(path[len(b"/big/") :])
        elif head[b":method"] == b"GET":
            body = path
        if path == b"/early":
            self.http.send_headers(stream, [(b":status", b"103"), (b"link", b"</a>")])
        fields = [(b":status", b"302"), (b"location", b"/there")] if path == b"/here" else [(b":status", b"200")]
        if path != b"/unknown-length":
            fields.append((b"content-length", b"%d" % len(body)))
        self.http.send_headers(stream, fields)
        self.http.send_data(stream, bytes(body), end_stream=path != b"/trailers")
        if path == b"/trailers":
            self.http.send_headers(stream, [(b"x-sum", b"1")], end_stream=True)
        self.transmit()


async def main():
    config = QuicConfiguration(alpn_protocols=H3_ALPN, is_client=False)
    config.load_cert_chain(sys.argv[1], sys.argv[2])
    await serve("127.0.0.1", int(sys.argv[3]), configuration=config, create_protocol=Server)
    print("serving")
    await asyncio.Event().wait()


asyncio.run(main())
