package client

import (
	"context"
	"crypto/tls"
	"net"
	"net/http/httptest"
	"net/netip"
	"testing"
	"time"

	"github.com/quic-go/quic-go"
)

// The first of several addresses that responds is used, and the other attempts leave no socket.
func TestDialFirst(t *testing.T) {
	hs := httptest.NewTLSServer(nil)
	defer hs.Close()
	pc, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer pc.Close()
	tr := &quic.Transport{Conn: pc}
	defer tr.Close()
	l, err := tr.Listen(&tls.Config{Certificates: hs.TLS.Certificates, NextProtos: []string{"h3"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	deaf, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer deaf.Close()
	addr := func(a net.Addr) netip.AddrPort { return a.(*net.UDPAddr).AddrPort() }
	c := New(Config{TLS: &tls.Config{InsecureSkipVerify: true}, Listen: new(net.ListenConfig).ListenPacket})
	for name, tc := range map[string]struct {
		to   []netip.AddrPort
		fine bool
	}{
		"the first":  {[]netip.AddrPort{addr(l.Addr()), addr(deaf.LocalAddr())}, true},
		"the second": {[]netip.AddrPort{addr(deaf.LocalAddr()), addr(l.Addr())}, true},
		"none":       {[]netip.AddrPort{addr(deaf.LocalAddr()), addr(deaf.LocalAddr())}, false},
	} {
		limit := 20 * time.Second
		if !tc.fine {
			limit = 300 * time.Millisecond
		}
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		d, err := c.dialFirst(ctx, tc.to, c.tlsConfig("a.test"), limits(limit, time.Minute, time.Minute))
		cancel()
		if (err == nil) != tc.fine {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil {
			if got := d.RemoteAddr().String(); got != l.Addr().String() {
				t.Errorf("%s: got %s, want %s", name, got, l.Addr().String())
			}
			d.Close(0x100, "")
			d.Release()
		}
	}
}
