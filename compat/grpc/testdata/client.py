# Calls grpc.testing.TestService with grpcio. Messages are written by hand: a SimpleRequest has its payload in field 3, a
# Payload its body in field 2; a SimpleResponse has the payload in field 1, and so has a StreamingOutputCallResponse.
import sys

import grpc


def length(n):
    out = b""
    while n > 127:
        out, n = out + bytes([n & 127 | 128]), n >> 7
    return out + bytes([n])


def message(field, body):
    payload = b"\x12" + length(len(body)) + body
    return bytes([field << 3 | 2]) + length(len(payload)) + payload


service = "/grpc.testing.TestService/"
with grpc.insecure_channel(sys.argv[1]) as channel:
    unary = channel.unary_unary(service + "UnaryCall")
    for n in 1, 100, 70_000, 3_000_000:
        body = bytes(i % 251 for i in range(n))
        assert unary(message(3, body), timeout=20) == message(1, body), n

    try:
        unary(message(3, b"fail"), timeout=20)
        raise AssertionError("it should have failed")
    except grpc.RpcError as err:
        assert err.code() == grpc.StatusCode.FAILED_PRECONDITION, err
        assert ("x-why", "because") in err.trailing_metadata(), err.trailing_metadata()

    try:
        unary(message(3, b"wait"), timeout=0.1)
        raise AssertionError("it should have taken too long")
    except grpc.RpcError as err:
        assert err.code() == grpc.StatusCode.DEADLINE_EXCEEDED, err

    calls = [unary.future(message(3, b"x" * (i + 1)), timeout=20) for i in range(100)]
    for i, call in enumerate(calls):
        assert call.result() == message(1, b"x" * (i + 1)), i

    duplex = channel.stream_stream(service + "FullDuplexCall")
    words = [b"word %d" % i for i in range(100)]
    answers = list(duplex((message(3, w) for w in words), timeout=20))
    assert answers == [message(1, w) for w in words], len(answers)
print("all is well")
