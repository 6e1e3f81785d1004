package netconn_test

import (
	"crypto/tls"
	"errors"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// interrupted is a net.Conn that calls a function at the end of each write.
type interrupted struct {
	net.Conn
	wrote func()
}

func (c interrupted) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.wrote()
	return n, err
}

// On a foreign tls.Conn, a write that is woken just as it ends is not cut. The peer is looked at during the next write.
func TestBrittleWokenTooLate(t *testing.T) {
	clk := clock.NewManual()
	e := netconn.New(netconn.Config{Clock: clk, WriteTimeout: time.Second, MinWriteRate: -1, MinReadRate: -1, IdleTimeout: -1})
	t.Cleanup(func() { _ = e.Close() })
	near, far := net.Pipe()
	t.Cleanup(func() { _ = far.Close() })
	var ready atomic.Bool
	records := 0
	cfg := serverTLS().Clone()
	cfg.DynamicRecordSizingDisabled = true
	nc := tls.Server(interrupted{near, func() {
		if !ready.Load() {
			return
		}
		if records++; records == 4 { // the end of the first piece
			clk.Advance(2 * time.Second)
		}
	}}, cfg)
	client := tls.Client(far, &tls.Config{InsecureSkipVerify: true})
	shaken := make(chan error, 1)
	go func() { shaken <- client.Handshake() }()
	if err := errors.Join(nc.Handshake(), wiretest.Within(t, "the handshake", shaken)); err != nil {
		t.Fatal(err)
	}
	ready.Store(true)
	conns := make(chan *netconn.Conn, 1)
	r := newRig(t, kinds[0])
	if err := e.Run(nc, nil, func(c *netconn.Conn) (netconn.Protocol, error) {
		conns <- c
		return &protocol{r: r, data: lines(echo)}, nil
	}); err != nil {
		t.Fatal(err)
	}
	c := wiretest.Within(t, "the connection", conns)
	wrote := make(chan error, 1)
	go func() {
		_, err := c.Write(make([]byte, 1<<20))
		wrote <- err
	}()
	got := make([]byte, 64<<10)
	for n := 0; n < len(got); { // and no more
		k, err := client.Read(got[n:])
		if n += k; err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "the write to fail", func() bool { clk.Advance(clock.Tick); return len(wrote) > 0 })
	if err := <-wrote; !errors.Is(err, netconn.ErrSlow) {
		t.Errorf("got %v, want ErrSlow", err)
	}
}
