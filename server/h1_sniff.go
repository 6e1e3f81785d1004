package server

import (
	"bytes"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
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
		c.Become(k.srv.http2.newConn(c, k.srv.http2.newWire(c), k.count, k.connValue))
	}
	k.sniffs = is == sniffedUnknown
	return is
}

// sniffFirst handles the first bytes of a connection that may speak HTTP/2. done reports that Data is to return taken and
// err; otherwise they are those of HTTP/1.
func (k *h1Conn) sniffFirst(c *netconn.Conn, in []byte) (taken int, done bool, err error) {
	switch k.sniff(c, in) {
	case sniffedUnknown, sniffedHTTP2:
		return 0, true, nil
	case sniffedNeither:
		k.srv.refused.Add(1)
		k.srv.log.Debug("server: neither HTTP/1 nor HTTP/2", "remote", c.RemoteAddr())
		return len(in), true, netconn.ErrDone
	}
	return 0, false, nil
}

// maxWrongPreface is the length from which a line is no longer considered a wrong preface.
const maxWrongPreface = 64

// sniffLine distinguishes an HTTP/1 request, good or bad, from a wrong HTTP/2 preface. A wrong preface is a line of
// three words in capitals, none of which contains HTTP; every request has other bytes than capitals in its first line.
// A wrong preface gets no response: RFC 9113 §3.4 requires that the connection ends, permits to omit the GOAWAY, and a
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
