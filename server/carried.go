package server

import (
	"sync/atomic"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/join/carrier"
	"github.com/shockwave-go/shockwave/server/internal/bodyplan"
)

// carried is an exchange on a stream of another module's carrier.
type carried struct {
	fieldMessage
	count *atomic.Int64 // a share of the server's request counter
}

// Answer implements carrier.Exchange.
func (m *carried) Answer(r *carrier.Request) (outcome carrier.Outcome) {
	m.count.Add(1)
	m.connValue = r.ConnValue
	if r.TooLarge {
		m.refusal = errHeadSize
		m.req.method = bodyplan.MethodOf([]byte(r.Head.Method))
	} else {
		m.fill(r.Head, r.End)
	}
	returned := false
	defer func() {
		if !returned {
			outcome = m.handlerFailed(recover())
		}
	}()
	err := m.answer()
	returned = true
	if err == errTakenOver {
		m.cancelOnGone()
		return carrier.TakenOver
	}
	if err != nil {
		m.on.Abort(carrier.Incomplete)
	}
	m.reset()
	return carrier.Answered
}

// handlerFailed aborts the stream of a handler that panicked with v, or called runtime.Goexit; then v is nil.
func (m *carried) handlerFailed(v any) carrier.Outcome {
	m.handlerPanicked(v)
	m.cancelOnGone()
	if m.res.phase == hijacked {
		if on, ok := m.on.(carrier.Watcher); ok {
			on.HandlerFailed()
		}
		return carrier.TakenOver
	}
	m.on.Abort(carrier.Incomplete)
	return carrier.Failed
}

// Trailer implements carrier.Exchange.
func (m *carried) Trailer(fields []http2.Field) { m.fillTrailer(fields) }
