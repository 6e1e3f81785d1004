package h2client

import (
	"time"

	"github.com/shockwave-go/shockwave/http2"
)

// pings says how much silence a connection takes before it sends a PING. Servers of gRPC end connections of clients that
// send too many: the first is allowed, the third that comes within five minutes of the one before is not, and what counts
// begins anew when the server sends HEADERS or DATA. The connection's lock guards it.
type pings struct {
	asked    bool   // a PING was answered
	messages uint32 // h2conn.Conn.Messages at the answer
	slower   uint8  // the silence is doubled so many times, because the server has found fault with it
}

// maxSlower bounds pings.slower.
const maxSlower = 8

// answered is called when the server has answered a PING, with h2conn.Conn's count of messages.
func (p *pings) answered(messages uint32) { p.asked, p.messages = true, messages }

// silence returns how long the server may be silent: after, or gap if it has sent no part of a message since its last
// answer. 0 is for ever.
func (p *pings) silence(after, gap time.Duration, messages uint32) time.Duration {
	if after <= 0 {
		return 0
	}
	if p.asked && p.messages == messages {
		after = max(after, gap)
	}
	return after << p.slower
}

// tooManyPings reports whether e is what servers of gRPC say to a client that sends too many PINGs.
func (e *GoAwayError) tooManyPings() bool {
	return e != nil && e.Code == http2.ErrCodeEnhanceYourCalm && e.Debug == "too_many_pings"
}
