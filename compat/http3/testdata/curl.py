# Talks to "shockwave echo" by libcurl (ngtcp2 and nghttp3), checks what it gets, and says that all is well.
# Usage: curl.py URL
import os
import sys
import threading

from curl_cffi import Curl, CurlHttpVersion, CurlInfo, CurlOpt

url = sys.argv[1]
VERSION_3 = 30  # CURL_HTTP_VERSION_3


class Client:
    def __init__(self):
        self.curl = Curl()

    def ask(self, url, method="GET", body=None, fields=()):
        c, got, heads = self.curl, bytearray(), bytearray()
        c.reset()
        c.setopt(CurlOpt.URL, url.encode())
        c.setopt(CurlOpt.HTTP_VERSION, CurlHttpVersion.V3ONLY)
        c.setopt(CurlOpt.SSL_VERIFYPEER, 0)
        c.setopt(CurlOpt.SSL_VERIFYHOST, 0)
        c.setopt(CurlOpt.TIMEOUT_MS, 30_000)
        c.setopt(CurlOpt.WRITEFUNCTION, lambda p: got.extend(p) or len(p))
        c.setopt(CurlOpt.HEADERFUNCTION, lambda p: heads.extend(p) or len(p))
        c.setopt(CurlOpt.HTTPHEADER, [b"Expect:"] + list(fields))
        if method == "HEAD":
            c.setopt(CurlOpt.NOBODY, 1)
        elif body is not None:
            c.setopt(CurlOpt.POST, 1)
            c.setopt(CurlOpt.POSTFIELDS, body)
            c.setopt(CurlOpt.POSTFIELDSIZE_LARGE, len(body))
        c.perform()
        return c.getinfo(CurlInfo.RESPONSE_CODE), bytes(got), bytes(heads), c.getinfo(CurlInfo.HTTP_VERSION)


def talk():
    c = Client()
    status, body, heads, version = c.ask(url + "/plaintext")
    assert (status, body, version) == (200, b"Hello, World!", VERSION_3), (status, body, heads, version)
    status, body, heads, version = c.ask(url + "/plaintext", "HEAD")
    assert (status, body) == (200, b"") and b"content-length: 13" in heads.lower(), (status, body, heads)
    assert c.ask(url + "/status/204")[:2] == (204, b"")
    status, body, _, _ = c.ask(url + "/big?n=3000000")
    assert body == b"x" * 3000000, (status, len(body))
    upload = os.urandom(2_000_000)
    status, body, heads, _ = c.ask(url + "/a", "POST", upload, [b"X-Probe: p"])
    report, _, echo = body.partition(b"\n\n")
    assert status == 200 and b"probe: p" in report and echo == upload, (status, report[:200], len(echo))


talk()
failed = []


def guarded():
    try:
        talk()
    except BaseException as e:
        failed.append(e)


threads = [threading.Thread(target=guarded) for _ in range(8)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert not failed, failed

print("all is well")
