package h2client_test

import (
	"net"
	"testing"

	"github.com/shockwave-go/shockwave/internal/testsupport/h2talk"
	"golang.org/x/net/http2"
)

// peer is the other end of a connection, a server.
type peer struct{ *h2talk.Talk }

func newPeer(t testing.TB, nc net.Conn) *peer { return &peer{h2talk.New(t, nc)} }

// streams returns a SETTINGS_MAX_CONCURRENT_STREAMS setting.
func streams(n uint32) http2.Setting {
	return http2.Setting{ID: http2.SettingMaxConcurrentStreams, Val: n}
}

// ok responds with 200.
func (p *peer) ok(id uint32, end bool) { p.Headers(id, end, ":status", "200") }

// goAway sends GOAWAY.
func (p *peer) goAway(last uint32, code http2.ErrCode) {
	_ = p.Framer.WriteGoAway(last, code, []byte("bye"))
}

// wantEOF expects the end of the connection, and ends our side.
func (p *peer) wantEOF() {
	p.WantEOF()
	_ = p.Conn.Close()
}
