"""Plays the jobs that doc.go describes, with the client of clients/python."""

import os
import ssl
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../../clients/python"))
import streamsock


def fnv(b):
    h = 0x811C9DC5
    for byte in b:
        h = (h ^ byte) * 0x01000193 & 0xFFFFFFFF
    return h


def fill(n):
    return (bytes(range(251)) * (n // 251 + 1))[:n]


def obey(c, words):
    if words[0] == "close":
        c.close(int(words[1]), words[2])
    elif words[0] == "send":
        c.send(fill(int(words[1])))
    elif words[0] == "text":
        c.send(words[1])


def play(job):
    flags, most, url = job.split(",", 2)
    context = ssl.create_default_context()  # which reads SSL_CERT_FILE
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT  # the certificate of the test says no more than it must
    try:
        c = streamsock.Connection(url, prefixed="p" in flags, text="t" in flags, max_message=int(most), context=context)
    except ConnectionError as e:
        return print("failed", e, flush=True)
    for m in c:
        b = m.encode() if isinstance(m, str) else m
        if b.startswith(b"do:"):
            obey(c, b[3:].decode().split(" "))
        elif "e" in flags:
            c.send(m)
        else:
            print("message", "text" if isinstance(m, str) else "binary", len(b), f"{fnv(b):08x}")
    print("end", c.end.reason, c.end.code, c.end.length, c.end.text.replace(" ", "_") or "-", flush=True)


for job in sys.argv[1:]:
    play(job)
