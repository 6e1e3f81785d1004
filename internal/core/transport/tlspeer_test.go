package transport

import (
	"bytes"
	"crypto/tls"
	"testing"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// newTLSPeer returns a Conn of the given variant, which must be one with TLS, and its peer.
func newTLSPeer(t testing.TB, v variant) (*Conn, *wiretest.TLSPeer) {
	t.Helper()
	near, wire := connect(t, v)
	log := new(bytes.Buffer)
	c := new(Conn)
	var far *tls.Conn
	if v.tls == server {
		cfg := clientConfig()
		cfg.KeyLogWriter = log
		c.Init(near, v.raw)
		c.Secure(tls.Server, serverConfig())
		far = shakeHands(t, c.Handshake, tls.Client(wire, cfg))
	} else {
		cfg := serverConfig()
		cfg.KeyLogWriter = log
		tc := Client(near, clientConfig())
		far = shakeHands(t, tc.Handshake, tls.Server(wire, cfg))
		c.Init(tc, v.raw)
	}
	t.Cleanup(func() {
		_ = wire.Close()
		c.Close()
	})
	p := wiretest.NewTLSPeer(t, wire, far, v.tls == server, log.String())
	p.Timeout = patience
	return c, p
}
