# Prints the SHA-256 of what the server gives, and what it says of a file that it is sent.
import hashlib
import sys

import httpx

url, file = sys.argv[1:]
with httpx.Client(http1=False, http2=True, verify=False, timeout=60) as client:
    total = hashlib.sha256()
    with client.stream("GET", url + "/down") as r:
        for part in r.iter_bytes():
            total.update(part)
    print(total.hexdigest(), flush=True)
    with open(file, "rb") as f:
        print(client.put(url + "/up", content=iter(lambda: f.read(1 << 16), b"")).text, end="")
