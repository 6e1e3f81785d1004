package server

import (
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
