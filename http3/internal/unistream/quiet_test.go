package unistream

import (
	"context"
	"crypto/tls"
	"net"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/shockwave-go/shockwave/http3/internal/quicconn"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// recorder is an owner that counts its calls.
type recorder struct {
	qc      quicconn.Conn
	updates atomic.Int64
}

func (r *recorder) Fail(err error) {
	code := h3frame.InternalError
	if e, ok := err.(*h3frame.Error); ok {
		code = e.Code
	}
	r.qc.Close(code, err.Error())
}

func (r *recorder) Charge(int32) {}

func (r *recorder) ControlEvent(ev *h3frame.Event) {
	if ev.Type == h3frame.PriorityUpdateRequest {
		r.updates.Add(1)
	}
}

// connect returns both ends of a connection.
func connect(t *testing.T) (client *quic.Conn, server quicconn.Conn) {
	hs := httptest.NewTLSServer(nil)
	t.Cleanup(hs.Close)
	pc, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pc.Close() })
	cfg := &tls.Config{Certificates: hs.TLS.Certificates, NextProtos: []string{"h3"}}
	hooks := quicconn.Hooks{Retry: func() bool { return false }, Begin: func(context.Context) func() { return func() {} }}
	l, err := quicconn.Listen(pc, cfg, quicconn.Limits{Handshake: time.Minute, Idle: time.Minute, Streams: 1, UniStreams: quicconn.MaxUniStreams, StreamWindow: 1 << 20, ConnWindow: 1 << 20}, hooks, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	client, err = quic.DialAddr(t.Context(), pc.LocalAddr().String(), &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h3"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.CloseWithError(0x100, "") })
	if server, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	return client, server
}

// A control stream that becomes quiet and is read again, many times and at any moment, loses nothing.
func TestRestAndWake(t *testing.T) {
	c, qc := connect(t)
	r := &recorder{qc: qc}
	streams, q := OfClient(qc, r)
	var all sync.WaitGroup
	defer all.Wait()
	all.Go(func() { streams.Accept(q.Settled()) })
	u, err := c.OpenUniStream()
	if err != nil {
		t.Fatal(err)
	}
	u.Write(h3frame.AppendSettings([]byte{0}))
	wiretest.Within(t, "the control stream", q.Settled().Done())
	over := make(chan struct{})
	var pokers sync.WaitGroup
	for _, f := range []func(){q.Rest, q.Wake, q.Look} {
		pokers.Go(func() {
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
	for i := range updates { // three bytes of text each
		frame := append(h3frame.AppendVarint(nil, uint64(4*(i%100))), "u=1"...)
		u.Write(append(h3frame.AppendHeader(nil, h3frame.PriorityUpdateRequest, uint64(len(frame))), frame...))
	}
	wiretest.Eventually(t, "all updates", func() bool { return r.updates.Load() == updates })
	close(over)
	pokers.Wait()
	q.Wake()
	u.Write(h3frame.AppendGoAway(nil, 0))
	u.Write(h3frame.AppendGoAway(nil, 4)) // which must not grow
	wiretest.Within(t, "the end of the connection", c.Context().Done())
}
