// Package h3 drives a run over HTTP/3.
package h3

import (
	"context"
	"crypto/tls"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/account"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/drive"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/pace"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/request"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// window is the window of a stream and of a connection, which never delays a server.
const window = 1 << 30

// driver implements drive.Driver.
type driver struct {
	address  string
	tls      *tls.Config
	requests requests
	depth    int // streams of a connection at the same time

	mu      sync.Mutex
	conns   map[*conn]struct{} // that have not ended
	in, out int64              // bytes of those that have ended
}

// New returns a Driver that sends req to address, on up to depth streams of a connection at the same time.
func New(req *request.Request, depth int, address string, tlsCfg *tls.Config) (drive.Driver, error) {
	encoded, err := encode(req)
	if err != nil {
		return nil, err
	}
	return &driver{
		address: address, tls: tlsCfg, requests: requests{encoded, req.Method}, depth: depth, conns: map[*conn]struct{}{},
	}, nil
}

// Turns implements drive.Driver.
func (d *driver) Turns() pace.Turns { return pace.Turns{All: len(d.requests.encoded)} }

// Open implements drive.Driver. Each connection has a socket of its own.
func (d *driver) Open(ctx context.Context, s *drive.Slot) error {
	ctx, cancel := context.WithTimeout(ctx, s.Timeout())
	defer cancel()
	start := time.Now()
	qc, err := quic.DialAddr(ctx, d.address, d.tls, &quic.Config{
		HandshakeIdleTimeout: s.Timeout(), MaxIdleTimeout: math.MaxInt64, MaxIncomingStreams: -1, MaxIncomingUniStreams: 10,
		InitialStreamReceiveWindow: window, MaxStreamReceiveWindow: window,
		InitialConnectionReceiveWindow: window, MaxConnectionReceiveWindow: window,
	})
	if err != nil {
		return err
	}
	s.Note(account.Handshake, time.Since(start))
	if err := d.start(s, qc); err != nil {
		qc.CloseWithError(quic.ApplicationErrorCode(h3frame.NoError), "")
		return err
	}
	return nil
}

// start attaches qc to s and starts its workers.
func (d *driver) start(s *drive.Slot, qc *quic.Conn) error {
	c := &conn{slot: s, quic: qc, requests: &d.requests, workers: d.depth, told: make(chan struct{})}
	c.may.L = s
	c.forget = func() { d.remove(c) }
	c.lastInput.Store(s.Now())
	s.Lock()
	defer s.Unlock()
	if err := s.Attach(c); err != nil {
		return err
	}
	d.add(c)
	s.Go(c.readControl)
	for range d.depth {
		s.Go(c.work)
	}
	return nil
}

func (d *driver) add(c *conn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.conns[c] = struct{}{}
}

// remove forgets a connection that has ended, but not its bytes.
func (d *driver) remove(c *conn) {
	in, out := c.bytes()
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.conns, c)
	d.in, d.out = d.in+in, d.out+out
}

// Bytes implements drive.Driver.
func (d *driver) Bytes() (in, out int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	in, out = d.in, d.out
	for c := range d.conns {
		i, o := c.bytes()
		in, out = in+i, out+o
	}
	return in, out
}

// Close implements drive.Driver. The run waits for the workers.
func (d *driver) Close(context.Context) {
	d.mu.Lock()
	all := slices.Collect(maps.Keys(d.conns))
	d.mu.Unlock()
	for _, c := range all {
		c.end(h3frame.NoError)
	}
}
