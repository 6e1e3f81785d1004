package h2conn_test

import (
	"fmt"
	"net"
	"testing"

	"github.com/shockwave-go/shockwave/internal/testsupport/h2talk"
	"golang.org/x/net/http2"
)

// peer is the other end of a connection, a client.
type peer struct {
	*h2talk.Talk
	t testing.TB
}

// newPeer returns a peer that answers the PINGs that measure the round trip, and hides them from the test.
func newPeer(t testing.TB, nc net.Conn) *peer {
	p := &peer{h2talk.New(t, nc), t}
	p.Text = func(f http2.Frame) string {
		if ping, ok := f.(*http2.PingFrame); ok && !ping.IsAck() && ping.Data[7] == 1 {
			_ = p.Framer.WritePing(true, ping.Data)
			return ""
		}
		return h2talk.Describe(f)
	}
	return p
}

// request opens a stream.
func (p *peer) request(id uint32, end bool, more ...string) {
	head := []string{":method", "POST", ":scheme", "http", ":authority", "x", ":path", fmt.Sprint("/", id)}
	p.Headers(id, end, append(head, more...)...)
}

// data sends DATA.
func (p *peer) data(id uint32, s string, end bool) {
	p.t.Helper()
	if err := p.Framer.WriteData(id, end, []byte(s)); err != nil {
		p.t.Fatal(err)
	}
}
