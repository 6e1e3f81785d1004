package shockwave_test

import "testing"

// The floors of the house, from the ground up. The wire and the I/O core are two pillars at the same height: neither
// knows the other. The faces join them, and below the faces what more than one of them needs to do so. A package in a
// folder named in folders stands on that folder's floor.
const (
	ground      floor = iota // the vocabulary that every protocol shares
	wire                     // parses and appends bytes: no I/O, no lock, no clock, no goroutine
	core                     // moves bytes: knows no protocol
	compression              // compresses and decompresses bytes for the faces
	join                     // joins wire and core for more than one face
	testSupport              // what only tests use
	faces                    // what users import
	program                  // what is run, and the examples
)

// folders are the folders that hold the packages of one floor, and no others.
var folders = map[string]floor{
	"internal/wire":        wire,
	"internal/core":        core,
	"internal/compress":    compression,
	"internal/join":        join,
	"internal/testsupport": testSupport,
}

// house is the drawing in docs/architecture.md as a table. uses are the arrows: the packages of this module that a
// package may import, besides nothing. others are the packages of other modules that it may import.
//
// A package marked planned is drawn for later work: it must not exist yet, and the mark goes when it does.
var house = []room{
	{floor: ground, path: "."},

	{floor: wire, path: "internal/wire/ascii"},
	{floor: wire, path: "http1", uses: "., internal/wire/ascii"},
	{floor: wire, path: "http2", uses: "., http1, hpack, internal/wire/ascii, internal/wire/peerbudget"},
	{floor: wire, path: "hpack", uses: "., internal/wire/huffman, internal/wire/fieldtext"},
	{floor: wire, path: "internal/wire/fieldkind", uses: "., http1, internal/wire/ascii"},
	{floor: wire, path: "internal/wire/fieldtext", uses: "internal/wire/huffman"},
	{floor: wire, path: "internal/wire/peerbudget"},
	{floor: wire, path: "internal/wire/qpack", uses: "., hpack, internal/wire/huffman, internal/wire/fieldtext"},
	{floor: wire, path: "internal/wire/h3frame", uses: "., http2"},
	{floor: wire, path: "internal/wire/huffman"},
	{floor: wire, path: "internal/wire/mask", others: "golang.org/x/sys/cpu"},
	{floor: wire, path: "internal/wire/utf8x", others: "golang.org/x/sys/cpu"},
	{floor: wire, path: "internal/wire/wsframe", uses: "., internal/wire/mask"},
	{floor: wire, path: "internal/wire/lenframe", uses: "."},
	{floor: wire, path: "internal/wire/muxframe", uses: "."},
	{floor: wire, path: "internal/wire/muxsession", uses: "., internal/wire/muxframe"},

	{floor: core, path: "internal/core/bufpool"},
	{floor: core, path: "internal/core/defaults"},
	{floor: core, path: "internal/core/budget"},
	{floor: compression, path: "internal/compress/deflate", uses: "internal/core/bufpool", others: "github.com/klauspost/compress/flate"},
	{floor: core, path: "internal/core/clock"},
	{floor: core, path: "internal/core/sys", others: "golang.org/x/sys/unix"},
	{floor: core, path: "internal/core/netlisten", uses: "internal/core/sys"},
	{floor: core, path: "internal/core/deepstack"},
	{floor: core, path: "internal/core/filerange"},
	{floor: core, path: "internal/core/inbuf", uses: "internal/core/bufpool"},
	{floor: core, path: "internal/core/ebb", uses: "internal/core/clock"},
	{floor: core, path: "internal/core/lot", uses: "internal/core/sys"},
	{floor: core, path: "internal/core/transport", uses: "internal/core/sys, internal/core/bufpool"},
	{floor: core, path: "internal/core/output", uses: "internal/core/transport, internal/core/bufpool"},
	{floor: core, path: "internal/core/peergone", uses: "internal/core/bufpool"},
	{floor: core, path: "internal/core/latchedconn", uses: "internal/core/sys, internal/core/transport"},
	{floor: core, path: "internal/core/peerrate", uses: "internal/core/clock, internal/core/transport"},
	{floor: core, path: "internal/core/pulse", uses: "internal/core/clock, internal/core/output, internal/core/transport, internal/core/bufpool"},
	{floor: core, path: "internal/core/netconn", uses: "internal/core/netlisten, internal/core/bufpool, internal/core/clock, internal/core/deepstack, internal/core/defaults, internal/core/ebb, internal/core/filerange, internal/core/peergone, internal/core/latchedconn, internal/core/inbuf, internal/core/lot, internal/core/output, internal/core/pulse, internal/core/peerrate, internal/core/sys, internal/core/transport"},
	{floor: core, path: "internal/core/linger"},
	{floor: testSupport, path: "internal/testsupport/wiretest"},
	{floor: testSupport, path: "internal/testsupport/wiretest/breaks"},
	{floor: testSupport, path: "internal/testsupport/h2talk", others: "golang.org/x/net/http2, golang.org/x/net/http2/hpack"},

	{floor: join, path: "internal/join/httpread", uses: "., http1, internal/core/bufpool"},
	{floor: join, path: "internal/join/carrier", uses: "http2, internal/join/httpread, internal/core/netconn"},
	{floor: join, path: "internal/join/facelink", uses: "internal/join/carrier"},
	{floor: join, path: "internal/join/altsvc", uses: "http1"},
	{floor: join, path: "internal/join/h2conn", uses: "., http2, internal/core/netconn, internal/core/bufpool"},
	{floor: join, path: "internal/join/expect"},
	{floor: join, path: "internal/join/h2client", uses: "http2, internal/join/expect, internal/join/carrier, internal/join/h2conn, internal/core/netconn"},
	{floor: join, path: "internal/join/h1client", uses: "., http1, internal/join/expect, internal/join/httpread, internal/core/netconn, internal/core/bufpool"},
	{floor: join, path: "internal/join/httpclient", uses: "., http1, http2, internal/wire/ascii, internal/join/altsvc, internal/join/carrier, internal/join/facelink, internal/join/h1client, internal/join/h2client, internal/core/netconn, internal/join/httpread, internal/core/bufpool"},
	{floor: join, path: "internal/join/dial", uses: "., http1, internal/join/httpread", others: "golang.org/x/net/proxy, golang.org/x/net/idna"},
	{floor: join, path: "internal/join/pageorigin"},
	{floor: join, path: "internal/join/wsmessage", uses: "., internal/wire/wsframe, internal/wire/mask, internal/wire/utf8x, internal/core/bufpool"},
	{floor: join, path: "internal/join/backlog", uses: "internal/core/bufpool, internal/core/budget"},
	{floor: compression, path: "websocket/internal/permessage", uses: "http1, internal/compress/deflate, internal/core/budget, internal/core/bufpool"},
	{floor: faces, path: "websocket/internal/handshake", uses: "http1, internal/core/budget, internal/core/linger, internal/join/httpread, internal/join/pageorigin, websocket/internal/permessage"},
	{floor: core, path: "websocket/internal/memconn"},
	{floor: compression, path: "internal/compress/coding", uses: "http1, internal/wire/ascii, internal/core/defaults", others: "github.com/klauspost/compress/..., github.com/andybalholm/brotli"},

	{floor: join, path: "server/internal/bodyplan", uses: "., http1, internal/wire/ascii, internal/wire/fieldkind"},
	{floor: faces, path: "server/internal/behaviour", uses: "., http1"},
	{floor: join, path: "server/internal/preamble", uses: "http1"},
	{floor: join, path: "server/internal/workers", uses: "internal/join/carrier"},
	{floor: join, path: "server/internal/carriers", uses: "internal/join/carrier, internal/core/netconn"},
	{floor: join, path: "server/internal/servercert"},
	{floor: faces, path: "server/internal/params", uses: "internal/wire/ascii"},
	{floor: faces, path: "server/internal/muxtree", uses: "server/internal/params"},
	{floor: faces, path: "server", uses: "., http1, http2, server/internal/bodyplan, server/internal/behaviour, server/internal/preamble, server/internal/workers, server/internal/carriers, server/internal/servercert, server/internal/params, server/internal/muxtree, internal/join/facelink, internal/join/carrier, internal/join/httpread, internal/join/h2conn, internal/wire/ascii, internal/wire/fieldkind, internal/core/defaults, internal/core/linger, internal/core/netconn, internal/core/bufpool"},
	{floor: faces, path: "client/internal/target", uses: "http1, internal/wire/ascii, internal/join/dial"},
	{floor: faces, path: "client/internal/redirect", uses: "internal/join/dial"},
	{floor: faces, path: "client/internal/reqhead", uses: "., http1, internal/wire/ascii, internal/join/carrier, internal/compress/coding, client/internal/target, client/internal/redirect"},
	{floor: faces, path: "client", uses: "., http1, http2, client/internal/target, client/internal/redirect, client/internal/reqhead, internal/wire/ascii, internal/join/carrier, internal/core/defaults, internal/core/netconn, internal/core/bufpool, internal/join/dial, internal/compress/coding, internal/join/h1client, internal/join/h2client, internal/join/httpclient", others: "golang.org/x/net/http/httpproxy"},
	{floor: faces, path: "nethttp/internal/headermap", uses: "., internal/wire/ascii, internal/wire/fieldkind"},
	{floor: faces, path: "nethttp/internal/roundtrip", uses: "., http1, http2, nethttp/internal/headermap, internal/wire/ascii, internal/join/carrier, internal/join/h1client, internal/join/h2client, internal/join/httpclient, internal/join/dial, internal/core/netconn, internal/core/bufpool"},
	{floor: faces, path: "nethttp", uses: "., http1, http2, server, client, nethttp/internal/headermap, nethttp/internal/roundtrip, internal/wire/ascii, internal/wire/fieldkind, internal/join/facelink, internal/join/carrier, internal/join/h1client, internal/join/h2client, internal/join/httpclient, internal/core/netconn, internal/core/bufpool, internal/join/dial, internal/compress/coding"},
	{floor: join, path: "http3/internal/cost", uses: "., internal/wire/h3frame, internal/wire/peerbudget"},
	{floor: join, path: "http3/internal/inbuf"},
	{floor: join, path: "http3/internal/udp", others: "golang.org/x/net/ipv4, golang.org/x/sys/unix"},
	{floor: join, path: "http3/internal/sharedport", uses: "http3/internal/udp", others: "golang.org/x/net/ipv4, golang.org/x/sys/unix"},
	{floor: join, path: "http3/internal/section", uses: "., http2, internal/join/carrier, internal/wire/h3frame, internal/wire/qpack"},
	{floor: join, path: "http3/internal/session", uses: "., http3/internal/cost, internal/wire/h3frame"},
	{floor: join, path: "http3/internal/quicconn", uses: "http3/internal/session, internal/wire/h3frame", others: "github.com/quic-go/quic-go"},
	{floor: join, path: "http3/internal/unistream", uses: "., http3/internal/cost, http3/internal/quicconn, http3/internal/section, http3/internal/session, internal/wire/h3frame, internal/wire/qpack"},
	{floor: join, path: "http3/internal/request", uses: "., http2, hpack, http3/internal/cost, http3/internal/inbuf, http3/internal/quicconn, http3/internal/section, http3/internal/session, internal/join/carrier, internal/wire/h3frame, internal/wire/qpack, internal/core/clock, internal/core/netconn"},
	{floor: join, path: "http3/internal/serverconn", uses: "http2, http3/internal/cost, http3/internal/quicconn, http3/internal/request, http3/internal/session, http3/internal/unistream, internal/join/carrier, internal/wire/h3frame, internal/core/clock, internal/core/defaults"},
	{floor: join, path: "http3/internal/clientconn", uses: "., http2, http3/internal/cost, http3/internal/inbuf, http3/internal/quicconn, http3/internal/section, http3/internal/unistream, internal/join/carrier, internal/join/expect, internal/wire/h3frame, internal/wire/qpack, internal/core/bufpool, internal/core/netconn"},
	{floor: join, path: "http3/internal/client", uses: "http3/internal/clientconn, http3/internal/quicconn, http3/internal/udp, internal/join/carrier"},
	{floor: faces, path: "http3", uses: "., hpack, server, nethttp, client, websocket, http3/webtransport, http3/internal/cost, http3/internal/client, http3/internal/clientconn, http3/internal/quicconn, http3/internal/serverconn, http3/internal/sharedport, http3/internal/udp, internal/join/carrier, internal/join/facelink, internal/wire/h3frame, internal/wire/qpack, internal/core/netconn, internal/core/bufpool", others: "golang.org/x/net/ipv4, golang.org/x/sys/unix"},
	{floor: faces, path: "http3/webtransport", uses: "., http3, nethttp, server, http3/internal/session, internal/join/carrier, internal/wire/h3frame, internal/join/pageorigin"},

	{floor: join, path: "grpc/internal/codec", others: "google.golang.org/grpc/encoding, google.golang.org/grpc/encoding/proto, google.golang.org/grpc/mem, google.golang.org/protobuf/proto, google.golang.org/protobuf/protoadapt"},
	{floor: join, path: "grpc/internal/fields", others: "google.golang.org/genproto/googleapis/rpc/status, google.golang.org/grpc/codes, google.golang.org/grpc/metadata, google.golang.org/grpc/status, google.golang.org/protobuf/proto"},
	{floor: join, path: "grpc/internal/frame", uses: "grpc/internal/codec, internal/core/bufpool", others: "google.golang.org/grpc/codes, google.golang.org/grpc/encoding, google.golang.org/grpc/status", tests: "google.golang.org/grpc/encoding/gzip, google.golang.org/protobuf/types/known/wrapperspb"},
	{floor: faces, path: "grpc/internal/servercall", uses: "server, grpc/internal/codec, grpc/internal/fields, grpc/internal/frame, internal/core/bufpool", others: "google.golang.org/grpc, google.golang.org/grpc/codes, google.golang.org/grpc/credentials, google.golang.org/grpc/encoding, google.golang.org/grpc/metadata, google.golang.org/grpc/peer, google.golang.org/grpc/stats, google.golang.org/grpc/status, google.golang.org/grpc/tap"},
	{floor: testSupport, path: "grpc/internal/testservice", others: "google.golang.org/grpc/interop/grpc_testing"},
	{floor: faces, path: "grpc", uses: "server, grpc/internal/codec, grpc/internal/servercall, grpc/internal/testservice", others: "google.golang.org/grpc, google.golang.org/grpc/codes, google.golang.org/grpc/credentials, google.golang.org/grpc/encoding, google.golang.org/grpc/keepalive, google.golang.org/grpc/stats, google.golang.org/grpc/status, google.golang.org/grpc/tap", tests: "google.golang.org/grpc/credentials/insecure, google.golang.org/grpc/encoding/gzip, google.golang.org/grpc/interop/grpc_testing, google.golang.org/grpc/metadata, google.golang.org/grpc/peer"},
	{floor: faces, path: "nethttp/nethttptest", uses: "nethttp, internal/testsupport/wiretest"},
	{floor: faces, path: "websocket", uses: "., http1, internal/join/httpread, internal/join/dial, internal/join/wsmessage, internal/join/backlog, internal/wire/wsframe, internal/wire/mask, internal/core/defaults, internal/core/netconn, internal/core/clock, internal/core/bufpool, internal/core/budget, internal/compress/deflate, websocket/internal/handshake, websocket/internal/permessage, websocket/internal/memconn"},
	{floor: faces, path: "websocket/wsjson", uses: "websocket"},
	{floor: faces, path: "streamsock", uses: "., websocket, internal/join/wsmessage, internal/wire/lenframe, internal/wire/wsframe, internal/wire/mask, internal/core/netconn, internal/core/bufpool, internal/core/defaults, internal/join/dial"},
	{floor: faces, path: "clients/js"},
	{floor: faces, path: "tcpmux/internal/secret", uses: "internal/wire/muxframe"},
	{floor: faces, path: "tcpmux", uses: "., tcpmux/internal/secret, internal/wire/muxframe, internal/wire/muxsession, internal/core/netconn, internal/core/clock, internal/core/bufpool, internal/core/defaults, internal/join/dial"},

	{floor: program, path: "cmd/shockwave/internal/cli", uses: "."},
	{floor: program, path: "cmd/shockwave/internal/figures"},
	{floor: program, path: "cmd/shockwave/internal/certs", uses: "server"},
	{floor: program, path: "cmd/shockwave/internal/process"},
	{floor: program, path: "cmd/shockwave/internal/site", uses: "cmd/shockwave/internal/certs, cmd/shockwave/internal/cli, http3, server, websocket"},
	{floor: program, path: "cmd/shockwave/internal/accesslog", uses: "cmd/shockwave/internal/cli"},
	{floor: program, path: "cmd/shockwave/internal/jsontalk", uses: "cmd/shockwave/internal/figures"},
	{floor: program, path: "cmd/shockwave/internal/sessions", uses: "cmd/shockwave/internal/certs, cmd/shockwave/internal/cli, tcpmux"},
	{floor: program, path: "cmd/shockwave/internal/instructions", others: "golang.org/x/sys/unix"},
	{floor: program, path: "cmd/shockwave/internal/load/account", others: "github.com/HdrHistogram/hdrhistogram-go"},
	{floor: program, path: "cmd/shockwave/internal/load/pace"},
	{floor: program, path: "cmd/shockwave/internal/load/request", uses: "., http1, http2"},
	{floor: program, path: "cmd/shockwave/internal/load/drive", uses: "cmd/shockwave/internal/load/account, cmd/shockwave/internal/load/pace"},
	{floor: program, path: "cmd/shockwave/internal/load/tcp", uses: "cmd/shockwave/internal/load/account, cmd/shockwave/internal/load/drive, internal/core/netconn"},
	{floor: program, path: "cmd/shockwave/internal/load/pipeline", uses: "cmd/shockwave/internal/load/drive, cmd/shockwave/internal/load/pace, internal/core/netconn"},
	{floor: program, path: "cmd/shockwave/internal/load/h1", uses: "cmd/shockwave/internal/load/drive, cmd/shockwave/internal/load/pace, cmd/shockwave/internal/load/pipeline, cmd/shockwave/internal/load/request, cmd/shockwave/internal/load/tcp, http1, internal/core/netconn"},
	{floor: program, path: "cmd/shockwave/internal/load/h2", uses: "cmd/shockwave/internal/load/drive, cmd/shockwave/internal/load/pace, cmd/shockwave/internal/load/request, cmd/shockwave/internal/load/tcp, http2, internal/core/netconn"},
	{floor: program, path: "cmd/shockwave/internal/load/h3", uses: "cmd/shockwave/internal/load/account, cmd/shockwave/internal/load/drive, cmd/shockwave/internal/load/pace, cmd/shockwave/internal/load/request, hpack, internal/wire/h3frame, internal/wire/qpack", others: "github.com/quic-go/quic-go"},
	{floor: program, path: "cmd/shockwave/internal/load/message", uses: "cmd/shockwave/internal/load/account, cmd/shockwave/internal/load/drive, cmd/shockwave/internal/load/pace, cmd/shockwave/internal/load/pipeline, cmd/shockwave/internal/load/request, cmd/shockwave/internal/load/tcp, http1, internal/core/netconn, internal/join/httpread, internal/wire/lenframe, internal/wire/mask, internal/wire/wsframe"},
	{floor: program, path: "cmd/shockwave/internal/load", uses: "., cmd/shockwave/internal/load/account, cmd/shockwave/internal/load/drive, cmd/shockwave/internal/load/h1, cmd/shockwave/internal/load/h2, cmd/shockwave/internal/load/h3, cmd/shockwave/internal/load/message, cmd/shockwave/internal/load/request, cmd/shockwave/internal/load/tcp, internal/core/defaults, internal/wire/lenframe", tests: "http2, internal/wire/h3frame, internal/wire/mask, internal/wire/qpack, internal/wire/wsframe"},
	{floor: program, path: "cmd/shockwave/internal/bench/meter", uses: "cmd/shockwave/internal/instructions, cmd/shockwave/internal/process"},
	{floor: program, path: "cmd/shockwave/internal/bench/report", uses: "cmd/shockwave/internal/bench/meter, cmd/shockwave/internal/cli, cmd/shockwave/internal/figures, cmd/shockwave/internal/load, cmd/shockwave/internal/load/account, cmd/shockwave/internal/load/message, cmd/shockwave/internal/process", others: "github.com/HdrHistogram/hdrhistogram-go"},
	{floor: program, path: "cmd/shockwave/internal/bench/limits", uses: "cmd/shockwave/internal/bench/report, cmd/shockwave/internal/cli, cmd/shockwave/internal/figures"},
	{floor: program, path: "cmd/shockwave/internal/bench/axis", uses: "cmd/shockwave/internal/figures"},
	{floor: program, path: "cmd/shockwave/internal/bench/findings", uses: "cmd/shockwave/internal/bench/report, cmd/shockwave/internal/figures"},
	{floor: program, path: "cmd/shockwave/internal/bench/plain", uses: "cmd/shockwave/internal/bench/axis, cmd/shockwave/internal/bench/findings, cmd/shockwave/internal/bench/report, cmd/shockwave/internal/figures", others: "github.com/guptarohit/asciigraph"},
	{floor: program, path: "cmd/shockwave/internal/bench/series", uses: "cmd/shockwave/internal/bench/plain, cmd/shockwave/internal/bench/report, cmd/shockwave/internal/figures"},
	{floor: program, path: "cmd/shockwave/internal/bench/page", uses: "cmd/shockwave/internal/bench/axis, cmd/shockwave/internal/bench/findings, cmd/shockwave/internal/bench/report, cmd/shockwave/internal/bench/series, cmd/shockwave/internal/cli, cmd/shockwave/internal/figures"},
	{floor: program, path: "cmd/shockwave/internal/bench/compare", uses: "cmd/shockwave/internal/bench/findings, cmd/shockwave/internal/bench/limits, cmd/shockwave/internal/bench/plain, cmd/shockwave/internal/bench/report, cmd/shockwave/internal/cli, cmd/shockwave/internal/figures"},
	{floor: program, path: "cmd/shockwave/internal/bench/samples", uses: "cmd/shockwave/internal/bench/limits, cmd/shockwave/internal/bench/meter, cmd/shockwave/internal/bench/report, cmd/shockwave/internal/instructions, cmd/shockwave/internal/load, cmd/shockwave/internal/load/account, cmd/shockwave/internal/process", others: "github.com/HdrHistogram/hdrhistogram-go, github.com/google/go-cmp/cmp"},
	{floor: program, path: "cmd/shockwave/internal/bench", uses: "., cmd/shockwave/internal/bench/compare, cmd/shockwave/internal/bench/limits, cmd/shockwave/internal/bench/meter, cmd/shockwave/internal/bench/page, cmd/shockwave/internal/bench/plain, cmd/shockwave/internal/bench/report, cmd/shockwave/internal/bench/series, cmd/shockwave/internal/cli, cmd/shockwave/internal/figures, cmd/shockwave/internal/load, cmd/shockwave/internal/load/account, cmd/shockwave/internal/load/message", tests: "cmd/shockwave/internal/certs, cmd/shockwave/internal/echo, cmd/shockwave/internal/serve, cmd/shockwave/internal/site, streamsock"},
	{floor: program, path: "cmd/shockwave/internal/serve", uses: "., clients/js, cmd/shockwave/internal/accesslog, cmd/shockwave/internal/certs, cmd/shockwave/internal/cli, cmd/shockwave/internal/figures, cmd/shockwave/internal/process, cmd/shockwave/internal/site, nethttp, server, streamsock, websocket", tests: "cmd/shockwave/internal/bench, cmd/shockwave/internal/echo"},
	{floor: program, path: "cmd/shockwave/internal/echo", uses: "cmd/shockwave/internal/certs, cmd/shockwave/internal/cli, cmd/shockwave/internal/site, http1, nethttp, server, websocket"},
	{floor: program, path: "cmd/shockwave/internal/get", uses: "client, cmd/shockwave/internal/cli, http3", tests: "cmd/shockwave/internal/echo"},
	{floor: program, path: "cmd/shockwave/internal/socket", uses: "cmd/shockwave/internal/certs, cmd/shockwave/internal/cli, cmd/shockwave/internal/jsontalk, streamsock"},
	{floor: program, path: "cmd/shockwave/internal/mux", uses: "cmd/shockwave/internal/cli, cmd/shockwave/internal/jsontalk, cmd/shockwave/internal/sessions, tcpmux"},
	{floor: program, path: "cmd/shockwave/internal/forward", uses: "cmd/shockwave/internal/cli, cmd/shockwave/internal/sessions, tcpmux"},
	{floor: program, path: "cmd/shockwave/internal/gateway", uses: "cmd/shockwave/internal/accesslog, cmd/shockwave/internal/certs, cmd/shockwave/internal/cli, http1, internal/core/clock, internal/wire/lenframe, server, websocket"},
	{floor: program, path: "cmd/shockwave/internal/doctor", uses: "cmd/shockwave/internal/cli, cmd/shockwave/internal/figures"},
	{floor: program, path: "cmd/shockwave/internal/clitest", uses: "cmd/shockwave/internal/certs, cmd/shockwave/internal/cli, cmd/shockwave/internal/site, internal/testsupport/wiretest, server, websocket", others: "github.com/quic-go/quic-go/http3, golang.org/x/net/http2"},
	{floor: program, path: "cmd/shockwave", uses: "cmd/shockwave/internal/bench, cmd/shockwave/internal/cli, cmd/shockwave/internal/doctor, cmd/shockwave/internal/echo, cmd/shockwave/internal/forward, cmd/shockwave/internal/gateway, cmd/shockwave/internal/get, cmd/shockwave/internal/mux, cmd/shockwave/internal/serve, cmd/shockwave/internal/socket", tests: "cmd/shockwave/internal/site"},
	{floor: program, path: "examples/...", uses: "., server, nethttp, websocket"},
}

// wireMayUse are the packages of the standard library that the ground and the wire may import. All others are
// forbidden to them: whatever does I/O, locks, waits, reads a clock or starts a goroutine (net, os, sync, time,
// context, bufio, fmt, …). A new name here needs the same reason: it only computes.
const wireMayUse = "bytes, encoding/binary, errors, io, iter, math, math/bits, slices, strconv, strings, unicode/utf8, unsafe"

// coreMayNotUse are the packages of the standard library that speak a protocol above TLS. Join, which speaks ours,
// may not use them either.
const coreMayNotUse = "net/http/..., net/textproto, net/url, net/mail, net/smtp, net/rpc/..., mime/..."

// testsMayUse are the packages that any test may import besides what its package may: pipes that split at every
// byte, commands of the program and made-up runs for them, a clock that stands still, what the system says of a socket, frames of HTTP/3, the tools of other people, another HPACK and
// another QPACK to compare ours with, and what codes bodies.
const testsMayUse = "internal/testsupport/wiretest, internal/testsupport/wiretest/breaks, internal/testsupport/h2talk, cmd/shockwave/internal/clitest, cmd/shockwave/internal/bench/samples, internal/wire/h3frame, internal/wire/qpack, internal/core/clock, internal/core/sys, go.uber.org/goleak, github.com/google/go-cmp/cmp, pgregory.net/rapid, golang.org/x/net/http2, golang.org/x/net/http2/hpack, golang.org/x/net/nettest, github.com/quic-go/quic-go, github.com/quic-go/quic-go/http3, github.com/quic-go/qpack, github.com/klauspost/compress/..., github.com/andybalholm/brotli"

// Every package stands on the floor of its folder, and imports only what its row in house allows.
func TestLayers(t *testing.T) {
	built, err := survey(".", "cmd/shockwave", "http3", "grpc")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range inspect(house, built) {
		t.Error(line)
	}
}
