package shockwave_test

import "testing"

// The floors of the house, from the ground up. The wire and the I/O core are two pillars at the same height: neither
// knows the other. The faces join them, and below the faces what more than one of them needs to do so.
const (
	ground  floor = iota // the vocabulary that every protocol shares
	wire                 // parses and appends bytes: no I/O, no lock, no clock, no goroutine
	core                 // moves bytes: knows no protocol
	beam                 // joins wire and core for more than one face
	faces                // what users import
	program              // what is run, and the examples
)

// house is the drawing in docs/architecture.md as a table. uses are the arrows: the packages of this module that a
// package may import, besides nothing. others are the packages of other modules that it may import.
//
// A package marked planned is drawn for later work: it must not exist yet, and the mark goes when it does.
var house = []room{
	{floor: ground, path: "."},

	{floor: wire, path: "internal/ascii"},
	{floor: wire, path: "http1", uses: "., internal/ascii"},
	{floor: wire, path: "http2", uses: "., http1, hpack, internal/ascii, internal/peerbudget"},
	{floor: wire, path: "hpack", uses: "., internal/huffman, internal/fieldtext"},
	{floor: wire, path: "internal/fieldtext", uses: "internal/huffman"},
	{floor: wire, path: "internal/peerbudget"},
	{floor: wire, path: "internal/qpack", uses: "., hpack, internal/huffman, internal/fieldtext"},
	{floor: wire, path: "internal/h3frame", uses: "., http2"},
	{floor: wire, path: "internal/huffman"},
	{floor: wire, path: "internal/mask", others: "golang.org/x/sys/cpu"},
	{floor: wire, path: "internal/utf8x", others: "golang.org/x/sys/cpu"},
	{floor: wire, path: "internal/wsframe", uses: "., internal/mask"},
	{floor: wire, path: "internal/lenframe", uses: "."},
	{floor: wire, path: "internal/muxframe", uses: "."},
	{floor: wire, path: "internal/muxsession", uses: "., internal/muxframe"},

	{floor: core, path: "internal/bufpool"},
	{floor: core, path: "internal/defaults"},
	{floor: core, path: "internal/deflate", uses: "internal/bufpool", others: "github.com/klauspost/compress/flate"},
	{floor: core, path: "internal/sys", others: "golang.org/x/sys/unix"},
	{floor: core, path: "internal/clock"},
	{floor: core, path: "internal/lot", uses: "internal/sys"},
	{floor: core, path: "internal/transport", uses: "internal/sys, internal/bufpool"},
	{floor: core, path: "internal/output", uses: "internal/transport, internal/bufpool"},
	{floor: core, path: "internal/netconn", uses: "internal/clock, internal/lot, internal/output, internal/transport, internal/sys, internal/bufpool, internal/defaults"},
	{floor: core, path: "internal/linger"},
	{floor: core, path: "internal/wiretest"},
	{floor: core, path: "internal/wiretest/breaks"},
	{floor: core, path: "internal/h2talk", others: "golang.org/x/net/http2, golang.org/x/net/http2/hpack"},

	{floor: beam, path: "internal/httpread", uses: "., http1, internal/bufpool"},
	{floor: beam, path: "internal/carrier", uses: "http2, internal/httpread, internal/netconn"},
	{floor: beam, path: "internal/altsvc", uses: "http1"},
	{floor: beam, path: "internal/h2conn", uses: "http2, internal/netconn, internal/bufpool"},
	{floor: beam, path: "internal/h2client", uses: "http2, internal/carrier, internal/h2conn, internal/netconn"},
	{floor: beam, path: "internal/h1client", uses: "., http1, internal/httpread, internal/netconn, internal/bufpool"},
	{floor: beam, path: "internal/httpclient", uses: "., http1, http2, internal/ascii, internal/altsvc, internal/carrier, internal/h1client, internal/h2client, internal/netconn, internal/httpread, internal/bufpool"},
	{floor: beam, path: "internal/dial", uses: "., http1, internal/httpread", others: "golang.org/x/net/proxy, golang.org/x/net/idna"},
	{floor: beam, path: "internal/pageorigin"},
	{floor: beam, path: "internal/coding", uses: "http1, internal/ascii, internal/defaults", others: "github.com/klauspost/compress/..., github.com/andybalholm/brotli"},

	{floor: faces, path: "server", uses: "., http1, http2, internal/carrier, internal/httpread, internal/h2conn, internal/ascii, internal/defaults, internal/linger, internal/netconn, internal/bufpool"},
	{floor: faces, path: "client", uses: "., http1, http2, internal/ascii, internal/carrier, internal/defaults, internal/netconn, internal/bufpool, internal/dial, internal/coding, internal/h1client, internal/h2client, internal/httpclient", others: "golang.org/x/net/http/httpproxy"},
	{floor: faces, path: "nethttp", uses: "., http1, http2, server, client, internal/carrier, internal/h1client, internal/h2client, internal/httpclient, internal/netconn, internal/bufpool, internal/dial, internal/coding"},
	{floor: beam, path: "http3/internal/session", uses: "internal/h3frame"},
	{floor: faces, path: "http3", uses: "., http2, hpack, server, nethttp, client, websocket, http3/webtransport, http3/internal/session, internal/carrier, internal/h3frame, internal/qpack, internal/peerbudget, internal/netconn, internal/clock, internal/bufpool, internal/defaults", others: "github.com/quic-go/quic-go/..., github.com/quic-go/qpack, golang.org/x/net/ipv4, golang.org/x/sys/unix"},
	{floor: faces, path: "http3/webtransport", uses: "., http3, nethttp, server, http3/internal/session, internal/carrier, internal/h3frame, internal/pageorigin"},
	{floor: faces, path: "nethttp/nethttptest", uses: "nethttp, internal/wiretest"},
	{floor: faces, path: "websocket", uses: "., http1, internal/httpread, internal/wsframe, internal/mask, internal/utf8x, internal/defaults, internal/linger, internal/netconn, internal/clock, internal/bufpool, internal/deflate, internal/dial, internal/pageorigin"},
	{floor: faces, path: "websocket/wsjson", uses: "websocket"},
	{floor: faces, path: "streamsock", uses: "websocket, internal/lenframe, internal/wsframe, internal/mask, internal/utf8x, internal/netconn, internal/bufpool, internal/defaults, internal/dial"},
	{floor: faces, path: "clients/js"},
	{floor: faces, path: "tcpmux", uses: "., internal/muxframe, internal/muxsession, internal/netconn, internal/clock, internal/bufpool, internal/defaults, internal/dial"},

	{floor: program, path: "cmd/shockwave/internal/load", uses: "., http1, http2, hpack, internal/httpread, internal/wsframe, internal/lenframe, internal/mask, internal/h3frame, internal/qpack, internal/defaults, internal/netconn, internal/bufpool", others: "github.com/HdrHistogram/hdrhistogram-go, github.com/quic-go/quic-go"},
	{floor: program, path: "cmd/shockwave/internal/jsontalk"},
	{floor: program, path: "cmd/shockwave/internal/gateway", uses: "http1, server, websocket, internal/lenframe, internal/clock"},
	{floor: program, path: "cmd/shockwave/internal/instructions", others: "golang.org/x/sys/unix"},
	{floor: program, path: "cmd/shockwave", uses: "., http1, server, nethttp, client, http3, websocket, streamsock, tcpmux, clients/js, cmd/shockwave/internal/load, cmd/shockwave/internal/jsontalk, cmd/shockwave/internal/gateway, cmd/shockwave/internal/instructions", others: "github.com/HdrHistogram/hdrhistogram-go, github.com/guptarohit/asciigraph"},
	{floor: program, path: "examples/...", uses: "., server, nethttp, websocket"},
}

// wireMayUse are the packages of the standard library that the ground and the wire may import. All others are
// forbidden to them: whatever does I/O, locks, waits, reads a clock or starts a goroutine (net, os, sync, time,
// context, bufio, fmt, …). A new name here needs the same reason: it only computes.
const wireMayUse = "bytes, encoding/binary, errors, io, iter, math, math/bits, slices, strconv, strings, unicode/utf8, unsafe"

// coreMayNotUse are the packages of the standard library that speak a protocol above TLS. The beam, which speaks ours,
// may not use them either.
const coreMayNotUse = "net/http/..., net/textproto, net/url, net/mail, net/smtp, net/rpc/..., mime/..."

// testsMayUse are the packages that any test may import besides what its package may: pipes that split at every
// byte, a clock that stands still, what the system says of a socket, frames of HTTP/3, the tools of other people, another HPACK and
// another QPACK to compare ours with, and what codes bodies.
const testsMayUse = "internal/wiretest, internal/wiretest/breaks, internal/h2talk, internal/h3frame, internal/qpack, internal/clock, internal/sys, go.uber.org/goleak, github.com/google/go-cmp/cmp, pgregory.net/rapid, golang.org/x/net/http2, golang.org/x/net/http2/hpack, golang.org/x/net/nettest, github.com/quic-go/quic-go, github.com/quic-go/quic-go/http3, github.com/quic-go/qpack, github.com/klauspost/compress/..., github.com/andybalholm/brotli"

func TestLayers(t *testing.T) {
	built, err := survey(".", "cmd/shockwave", "http3")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range inspect(house, built) {
		t.Error(line)
	}
}
