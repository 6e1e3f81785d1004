package server

import (
	"bytes"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/netconn"
)

// sniff looks whether the first bytes of a connection are HTTP/2's preface (RFC 9113 §3.4): then the connection is. more:
// they may become it. No request of HTTP/1 that is whole begins like it, so nobody waits who need not.
func (k *h1Conn) sniff(c *netconn.Conn, in []byte) (is, more bool) {
	n, ok := http2.MatchPreface(in)
	if ok && n < len(http2.Preface) {
		return false, true
	}
	k.sniffs = false
	if !ok {
		return false, false
	}
	c.Become(k.srv.newH2Conn(c, k.srv.newH2Wire(c), k.count, k.value))
	return true, false
}

// speaksNeither tells whether the first bytes of a connection on which either version may be spoken are a line of three
// words in capitals, none of them HTTP: with neither a version nor a target that a request could have. That is a wrong
// preface rather than a bad request. It is not answered: RFC 9113 §3.4 wants the connection ended, and lets the GOAWAY be
// left out, and a 400 would be no frame.
func speaksNeither(in []byte) bool {
	line, _, whole := bytes.Cut(in, []byte("\r\n"))
	capital := func(r rune) bool { return r == ' ' || 'A' <= r && r <= 'Z' }
	return whole && bytes.Count(line, []byte(" ")) == 2 && !bytes.Contains(line, []byte("HTTP")) &&
		len(bytes.TrimFunc(line, capital)) == 0
}
