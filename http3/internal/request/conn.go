package request

import (
	"sync/atomic"

	"github.com/shockwave-go/shockwave/http3/internal/cost"
	"github.com/shockwave-go/shockwave/http3/internal/quicconn"
	"github.com/shockwave-go/shockwave/http3/internal/session"
	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/carrier"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// Server holds what the requests of a server share.
type Server struct {
	Host     carrier.Host
	Settings *carrier.Settings
	Clock    *clock.Clock
	Slow     atomic.Int64 // requests whose clients were too slow
	Draining atomic.Bool  // the server is shutting down

	// ResetBy returns the error of a stream that the client has ended with a code.
	ResetBy func(code h3frame.Code) error
}

// translate translates err, an error of a QUIC stream, for users.
func (s *Server) translate(err error) error {
	if code, ok := quicconn.ResetBy(err); ok {
		return s.ResetBy(code)
	}
	return err
}

// noteSlow counts a client that was too slow.
func (s *Server) noteSlow(why error) {
	if why == netconn.ErrSlow {
		s.Slow.Add(1)
	}
}

// Conn holds what the requests of a connection share.
type Conn struct {
	*Server
	QC       quicconn.Conn
	TLS      quicconn.TLSState
	Value    any // Request.ConnValue
	Budget   *cost.Budget
	Sessions *session.Sessions // of WebTransport; nil: not offered
	Holder   clock.Holder      // is asked for its deadline when one of a stream comes
	Break    func(err error)   // ends the connection

	MaxSection atomic.Uint64 // the largest field section that the client takes
}

// Charge charges the client for work without progress. If its budget is used up, the connection ends.
func (c *Conn) Charge(units int32) { c.check(c.Budget.Pay(units, c.Clock.Now())) }

// chargeIdle is Charge for frames without content or meaning.
func (c *Conn) chargeIdle(frames int) { c.check(c.Budget.PayIdle(frames, c.Clock.Now())) }

func (c *Conn) check(paid bool) {
	if !paid {
		c.Break(cost.ErrSpent)
	}
}
