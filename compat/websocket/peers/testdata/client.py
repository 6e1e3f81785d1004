"""Talks to the echo at a URL with the package websockets; says nothing when all is as it must be."""

import asyncio
import sys

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed


def check(what, got, want):
    if got != want:
        sys.exit(f"{what}: got {got!r:.200}, want {want!r:.200}")


async def talk(url):
    async with connect(url, max_size=None) as ws:
        extensions = ws.response.headers.get("Sec-WebSocket-Extensions", "")
        check("compression", "permessage-deflate" in extensions, True)
        for what, message in (
            ("text", "grüße 👋"),
            ("no text", ""),
            ("70 KB binary", bytes(i * 7919 >> 5 & 255 for i in range(70000))),
            ("text that compresses", "the same words again; " * 5000),
        ):
            await ws.send(message)
            check(what, await ws.recv() == message, True)
        await ws.send(["frag", "", "ments ", "ü" * 5000])
        check("fragments", await ws.recv(), "fragments " + "ü" * 5000)
        await asyncio.wait_for(await ws.ping(b"are you there?"), 10)
        await ws.send("/fragments")
        check("the server's fragments", await ws.recv(), "f" * 70000)
        await ws.send("/ping")
        check("the server's ping", await ws.recv(), "answered")
        await ws.close(4001, "bye")
        check("the answer to our close", ws.close_code, 4001)
    async with connect(url) as ws:
        await ws.send("/close 4002 wegen Ü")
        try:
            await ws.recv()
            sys.exit("the server did not close")
        except ConnectionClosed as closed:
            check("the server's close", (closed.rcvd.code, closed.rcvd.reason), (4002, "wegen Ü"))


asyncio.run(asyncio.wait_for(talk(sys.argv[1]), 60))
