"""Serves an echo with the package websockets and prints its port. Orders as in package wsecho."""

import asyncio

from websockets.asyncio.server import serve


async def echo(ws):
    async for message in ws:
        order, _, rest = message.partition(" ") if isinstance(message, str) else ("", "", "")
        if order == "/close":
            code, _, reason = rest.partition(" ")
            await ws.close(int(code), reason)
        elif order == "/ping":
            await (await ws.ping())
            await ws.send("answered")
        elif order == "/fragments":
            await ws.send(["f" * 1000] * 70)
        else:
            await ws.send(message)


async def main():
    async with serve(echo, "127.0.0.1", 0, max_size=None) as server:
        print("port", server.sockets[0].getsockname()[1])
        await asyncio.get_running_loop().create_future()


asyncio.run(main())
