package http3

import (
	"crypto/tls"
	"net"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/quic-go/quic-go"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
	"github.com/shockwave-go/shockwave/server"
)

// TestRestAndWake: a control stream that becomes quiet and is read again, many times and at any moment, loses nothing.
func TestRestAndWake(t *testing.T) {
	hs := httptest.NewTLSServer(nil)
	defer hs.Close()
	pc, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer pc.Close()
	host := server.NewServer(server.Config{TLSConfig: &tls.Config{Certificates: hs.TLS.Certificates}, Handler: server.HandlerFunc(func(*server.ResponseWriter, *server.Request) {})})
	s := NewServer(host, Config{Budget: -1})
	served := make(chan error, 1)
	go func() { served <- s.Serve(pc, "", "") }()
	defer func() {
		host.Close()
		<-served
	}()
	c, err := quic.DialAddr(t.Context(), pc.LocalAddr().String(), &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h3"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.CloseWithError(0x100, "")
	u, err := c.OpenUniStream()
	if err != nil {
		t.Fatal(err)
	}
	u.Write(h3frame.AppendSettings([]byte{0}))
	var k *conn
	wiretest.Eventually(t, "the control stream", func() bool {
		for _, k = range s.all() {
			k.uni.quiet.mu.Lock()
			defer k.uni.quiet.mu.Unlock()
			return k.uni.quiet.control != nil
		}
		return false
	})
	q, over := k.uni.quiet, make(chan struct{})
	var all sync.WaitGroup
	for _, f := range []func(){q.rest, q.wake} {
		all.Go(func() {
			for {
				select {
				case <-over:
					return
				default:
					f()
				}
			}
		})
	}
	const updates = 2000
	for i := range updates { // of requests that have not come, with three bytes of text each
		id := uint64(4 * (i % maxEarly))
		frame := append(h3frame.AppendVarint(nil, id), "u=1"...)
		u.Write(append(h3frame.AppendHeader(nil, h3frame.PriorityUpdateRequest, uint64(len(frame))), frame...))
	}
	close(over)
	all.Wait()
	u.Write(h3frame.AppendGoAway(nil, 0))
	u.Write(h3frame.AppendGoAway(nil, 4)) // which must not grow
	q.wake()
	wiretest.Within(t, "the end of the connection", c.Context().Done())
	k.mu.Lock()
	defer k.mu.Unlock()
	if n := len(k.priorities.early); n != maxEarly {
		t.Errorf("%d requests have a priority, want %d", n, maxEarly)
	}
}
