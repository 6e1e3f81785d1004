# Talks to "shockwave echo -h3" by aioquic, checks what it gets, and says that all is well. Usage: client.py HOST PORT
import asyncio
import os
import ssl
import sys

from aioquic.asyncio.client import connect
from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.h3.connection import H3_ALPN, H3Connection
from aioquic.h3.events import DataReceived, HeadersReceived
from aioquic.quic.configuration import QuicConfiguration

host, port = sys.argv[1], int(sys.argv[2])


class Client(QuicConnectionProtocol):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.http = H3Connection(self._quic)
        self.answers = {}  # by stream: heads, body, what waits for the end

    def quic_event_received(self, event):
        for got in self.http.handle_event(event):
            heads, body, ended = self.answers[got.stream_id]
            if isinstance(got, HeadersReceived):
                heads.append(dict(got.headers))
            if isinstance(got, DataReceived):
                body += got.data
            if got.stream_ended:
                ended.set_result(None)

    def begin(self, method, path, *fields, end=True):
        stream = self._quic.get_next_available_stream_id()
        self.answers[stream] = [], bytearray(), asyncio.get_running_loop().create_future()
        head = [(b":method", method), (b":scheme", b"https"), (b":authority", b"h:81"), (b":path", path)]
        self.http.send_headers(stream, head + list(fields), end_stream=end)
        return stream

    def send(self, stream, data, end=False):
        self.http.send_data(stream, data, end_stream=end)
        self.transmit()

    async def answer(self, stream):
        self.transmit()
        heads, body, ended = self.answers[stream]
        await asyncio.wait_for(ended, 30)
        return heads, bytes(body)

    async def get(self, path, method=b"GET"):
        return await self.answer(self.begin(method, path))


async def main():
    config = QuicConfiguration(alpn_protocols=H3_ALPN, is_client=True, verify_mode=ssl.CERT_NONE)
    async with connect(host, port, configuration=config, create_protocol=Client) as c:
        heads, body = await c.get(b"/plaintext")
        assert heads[0][b":status"] == b"200" and body == b"Hello, World!", (heads, body)
        # aioquic wants as much content as Content-Length says, even of HEAD: here it says nothing
        heads, body = await c.get(b"/chunked", b"HEAD")
        assert heads[0][b":status"] == b"200" and body == b"", (heads, body)
        heads, body = await c.get(b"/status/204")
        assert heads[0][b":status"] == b"204" and body == b"", (heads, body)
        heads, body = await c.get(b"/big?n=3000000")
        assert body == b"x" * 3000000, len(body)

        upload = os.urandom(500_000)
        stream = c.begin(b"POST", b"/a", (b"content-length", b"500000"), (b"x-probe", b"p"), end=False)
        for i in range(0, len(upload), 50_000):
            c.send(stream, upload[i : i + 50_000], end=i + 50_000 == len(upload))
            await asyncio.sleep(0)
        heads, body = await c.answer(stream)
        assert heads[0][b":status"] == b"200", heads
        report, _, echo = body.partition(b"\n\n")
        assert b"method: POST" in report and b"target: /a" in report and b"host: h:81" in report and b"probe: p" in report, report
        assert echo == upload, len(echo)

        many = [c.begin(b"GET", b"/%d" % i) for i in range(80)]
        for i, stream in enumerate(many):
            heads, body = await c.answer(stream)
            assert heads[0][b":status"] == b"200" and b"target: /%d\n" % i in body, (heads, body)

        stream = c.begin(b"POST", b"/", (b"content-length", b"10"), end=False)
        c.send(stream, b"less", end=True)  # a broken request ends by itself; others go on
        slow = c.begin(b"GET", b"/sleep?ms=10000")
        c.transmit()
        c._quic.reset_stream(slow, 0x10C)
        c._quic.stop_stream(slow, 0x10C)
        heads, body = await c.get(b"/plaintext")
        assert body == b"Hello, World!", body
    print("all is well")


asyncio.run(main())
