# Sends requests to an HTTP/2 server with httpx: prior knowledge in cleartext, ALPN over TLS.
import asyncio
import sys

import httpx

url = sys.argv[1]
long = bytes(i % 251 for i in range(300_000))


async def main():
    async with httpx.AsyncClient(http1=False, http2=True, verify=False, timeout=20) as client:
        r = await client.get(url)
        assert r.http_version == "HTTP/2" and r.text == "hello\n", (r.http_version, r.text)
        r = await client.post(url, content=long)
        assert r.content == long, len(r.content)
        r = await client.head(url)
        assert r.status_code == 200 and r.headers["x-method"] == "HEAD"

        async def pieces():
            for i in range(0, len(long), 7_000):
                yield long[i : i + 7_000]

        r = await client.put(url, content=pieces())
        assert r.content == long, len(r.content)
        answers = await asyncio.gather(*(client.post(url, content=long[:i * 100]) for i in range(50)))
        for i, r in enumerate(answers):
            assert r.content == long[: i * 100], i
        async with client.stream("POST", url, content=long) as r:
            await r.aiter_bytes(100).__anext__()  # and no more
        r = await client.get(url)
        assert r.status_code == 200
    print("all is well")


asyncio.run(main())
