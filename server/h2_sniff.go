package server

import (
	"bytes"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/netconn"
)

// sniffResult is the protocol that the first bytes of a connection indicate.
type sniffResult uint8

const (
	sniffedHTTP1 sniffResult = iota
	sniffedHTTP2
	sniffedNeither
	sniffedUnknown // more bytes are needed
)

// sniff checks whether the first bytes of a connection are the HTTP/2 preface (RFC 9113 §3.4), and makes the connection
// an HTTP/2 one if they are. No complete HTTP/1 request is a prefix of the preface, so a complete request never waits.
func (k *h1Conn) sniff(c *netconn.Conn, in []byte) (is sniffResult) {
	switch n, ok := http2.MatchPreface(in); {
	case !ok:
		is = sniffLine(in)
	case n < len(http2.Preface):
		is = sniffedUnknown
	default:
		is = sniffedHTTP2
		c.Become(k.srv.newH2Conn(c, k.srv.newH2Wire(c), k.count, k.connValue))
	}
	k.sniffs = is == sniffedUnknown
	return is
}

// maxWrongPreface is the length from which a line is no longer considered a wrong preface.
const maxWrongPreface = 64

// sniffLine distinguishes an HTTP/1 request, good or bad, from a wrong HTTP/2 preface. A wrong preface is a line of
// three words in capitals, none of which contains HTTP; every request has other bytes than capitals in its first line.
// A wrong preface is not answered: RFC 9113 §3.4 requires that the connection ends, permits to omit the GOAWAY, and a
// 400 response would not be a frame.
func sniffLine(in []byte) sniffResult {
	n := 0
	for n < len(in) && (in[n] == ' ' || 'A' <= in[n] && in[n] <= 'Z') {
		n++
	}
	line, rest := in[:n], in[n:]
	switch {
	case n >= maxWrongPreface:
		return sniffedHTTP1
	case len(rest) < 2 && bytes.HasPrefix([]byte("\r\n"), rest):
		return sniffedUnknown
	case bytes.HasPrefix(rest, []byte("\r\n")) && bytes.Count(line, []byte(" ")) == 2 && !bytes.Contains(line, []byte("HTTP")):
		return sniffedNeither
	}
	return sniffedHTTP1
}
