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

	"github.com/shockwave-go/shockwave/internal/join/carrier"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// tickets is a cache that tells when it has a ticket.
type tickets struct {
	tls.ClientSessionCache
	come chan struct{}
}

// Put implements tls.ClientSessionCache.
func (c tickets) Put(key string, s *tls.ClientSessionState) {
	c.ClientSessionCache.Put(key, s)
	select {
	case c.come <- struct{}{}:
	default:
	}
}

// TestRejectedAtOnce: a server that refuses early data before any was sent is one like others: HTTP/3 begins behind the handshake.
func TestRejectedAtOnce(t *testing.T) {
	hs := httptest.NewTLSServer(nil)
	defer hs.Close()
	server := func() []netip.AddrPort {
		l, err := quic.ListenAddrEarly("127.0.0.1:0", &tls.Config{Certificates: hs.TLS.Certificates, NextProtos: []string{"h3"}}, &quic.Config{Allow0RTT: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		return []netip.AddrPort{l.Addr().(*net.UDPAddr).AddrPort()}
	}
	cache := tickets{tls.NewLRUClientSessionCache(1), make(chan struct{}, 1)}
	c := New(Config{TLS: &tls.Config{InsecureSkipVerify: true, ClientSessionCache: cache}, Listen: new(net.ListenConfig).ListenPacket})
	lim := limits(20*time.Second, time.Minute, time.Minute)
	lim.Early = true
	for _, knows := range []bool{true, false} { // the ticket is of the first one
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		d, err := c.dialFirst(ctx, server(), c.tlsConfig("a.test"), lim)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Release()
		<-d.Handshaken()
		if _, err := c.begin(ctx, d, carrier.Origin{}, opener{c}); err != nil {
			t.Errorf("a server that knows the ticket, %t: %v", knows, err)
		}
		if knows {
			wiretest.Within(t, "a ticket", cache.come)
		}
		d.Close(0x100, "")
	}
}
