// Package h2 drives a run over HTTP/2.
package h2

import (
	"context"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/drive"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/pace"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/request"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/tcp"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// driver implements drive.Driver.
type driver struct {
	*tcp.Transport
	requests requests
	depth    int // streams of a connection at the same time
}

// New returns a Driver that sends req, on up to depth streams of a connection at the same time.
func New(req *request.Request, depth int, transport tcp.Config) (drive.Driver, error) {
	sections, err := req.Sections()
	if err != nil {
		return nil, err
	}
	if err := req.Check(); err != nil {
		return nil, err
	}
	transport.ALPN = "h2" // RFC 9113 §3.2
	return &driver{tcp.New(transport), requests{sections, req.Body}, depth}, nil
}

// Turns implements drive.Driver.
func (d *driver) Turns() pace.Turns { return pace.Turns{All: len(d.requests.sections)} }

// Open implements drive.Driver.
func (d *driver) Open(ctx context.Context, s *drive.Slot) error {
	return d.Transport.Open(ctx, s, func(nc *netconn.Conn) (netconn.Protocol, error) {
		c := newConn(s, nc, &d.requests, d.depth)
		s.Lock()
		err := s.Attach(c)
		s.Unlock()
		if err != nil {
			return nil, err
		}
		nc.Draw(c)
		return c, nil
	})
}
