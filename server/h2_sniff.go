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
// words as requests have it, but with nothing in it that a request could have: no version of HTTP, and no target of any
// form. That is a wrong preface rather than a bad request. It is not answered: RFC 9113 §3.4 wants the connection ended, and
// lets the GOAWAY be left out, and a 400 would be no frame.
func speaksNeither(in []byte) bool {
	line, _, whole := bytes.Cut(in, []byte("\r\n"))
	words := bytes.Split(line, []byte(" "))
	if !whole || len(words) != 3 {
		return false
	}
	return !bytes.Contains(bytes.ToUpper(line), []byte("HTTP")) && !bytes.ContainsAny(words[1], "/*:.")
}
