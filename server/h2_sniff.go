package server

import (
	"bytes"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/netconn"
)

// spoken is what the first bytes of a connection say of what is spoken on it.
type sniffResult uint8

const (
	sniffedHTTP1 sniffResult = iota
	sniffedHTTP2
	sniffedNeither
	sniffedUnknown // until more has come
)

// sniff looks whether the first bytes of a connection are HTTP/2's preface (RFC 9113 §3.4): then the connection is. No
// request of HTTP/1 that is whole begins like it, so nobody waits who need not.
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

// longestWrong is how long a line may be that is taken for a wrong preface.
const maxWrongPreface = 64

// beginning tells a request of HTTP/1, good or bad, from a wrong preface: a line of three words in capitals, none of them
// HTTP, which has neither a version nor a target that a request could have. That is not answered: RFC 9113 §3.4 wants the
// connection ended, and lets the GOAWAY be left out, and a 400 would be no frame. Every request has something else than
// capitals in its first line.
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
