"""Plays against a routing-id socket with a STREAM socket of ZeroMQ, whose messages are bytes as they come. What cuts them
into messages, a length of four bytes before each, is done here.

stream.py connect ADDRESS   sends messages to an echo, and closes
stream.py bind              echoes until the message "bye" comes, and closes; its first line is the port
"""

import struct
import sys

import zmq

PATIENCE = 60_000  # milliseconds
sock = zmq.Context().socket(zmq.STREAM)
sock.setsockopt(zmq.RCVTIMEO, PATIENCE)


def frame(payload):
    return struct.pack(">I", len(payload)) + payload


def messages(stream):
    """Takes whole messages from the front of a stream."""
    while len(stream) >= 4:
        (length,) = struct.unpack_from(">I", stream)
        if len(stream) < 4 + length:
            return
        payload = bytes(stream[4 : 4 + length])
        del stream[: 4 + length]
        yield payload


def connect(address):
    sock.connect(address)
    peer, hello = sock.recv_multipart()
    assert hello == b"", "a connection is told by an empty message"
    sent = [(bytes(range(251)) * (n // 251 + 1))[:n] for n in (5, 0, 1, 125, 65536, 0, 1 << 20, 3)]
    wire = b"".join(map(frame, sent))
    for at in range(0, len(wire), 40_001):  # cut anywhere
        sock.send_multipart([peer, wire[at : at + 40_001]])
    stream, got = bytearray(), []
    while len(got) < len(sent):
        source, some = sock.recv_multipart()
        assert source == peer and some, "the connection is over"
        stream += some
        got += messages(stream)
    assert got == sent and not stream, "the echo says something else"
    sock.send_multipart([peer, b""])  # closes the connection
    sock.close(linger=PATIENCE)


def bind():
    port = sock.bind_to_random_port("tcp://127.0.0.1")
    print("port", port, flush=True)
    streams = {}
    while True:
        peer, some = sock.recv_multipart()
        for payload in messages(streams.setdefault(peer, bytearray()).__iadd__(some)):
            if payload == b"bye":
                sock.send_multipart([peer, b""])
                sock.close(linger=PATIENCE)
                return
            sock.send_multipart([peer, frame(payload)])


connect(sys.argv[2]) if sys.argv[1] == "connect" else bind()
print("all is well")
