package h2client

import (
	"time"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/join/expect"
)

// Expect makes Proceed wait for 100 Continue. It must be called before Start.
func (x *Exchange) Expect() { x.proceed.Begin() }

// Proceed waits, on the sending goroutine, until the server has sent 100 Continue or a final head, sending was stopped,
// wait has passed, or done is closed. It reports whether the body is to be sent: not after a final head without 100
// Continue, and not if the stream can no longer be written to.
func (x *Exchange) Proceed(wait time.Duration, done <-chan struct{}) (wanted bool) {
	x.conn.Lock()
	over := x.proceed.Over()
	x.conn.Unlock()
	expect.For(over, wait, done)
	x.conn.Lock()
	defer x.conn.Unlock()
	return (x.bodyWanted || !x.final) && !x.OverLocked()
}

// StopSendingLocked makes writes fail with err, and Proceed return.
func (x *Exchange) StopSendingLocked(err error) {
	x.FailWritesLocked(err)
	x.proceed.EndLocked()
}

// SendPart is SendLocked. Only the sending goroutine may call it.
func (x *Exchange) SendPart(p []byte, end bool) error {
	x.conn.Lock()
	defer x.conn.Unlock()
	return x.SendLocked(p, end)
}

// SendNow sends what can be sent of p without waiting, as Stream.SendNow does, and returns the rest.
func (x *Exchange) SendNow(p []byte, end bool) (rest []byte, err error) {
	x.conn.Lock()
	defer x.conn.Unlock()
	return x.Stream.SendNowLocked(p, end)
}

// SendTrailers ends the request with a trailer section. If it is larger than the server accepts, the request is cancelled (RFC 9113
// §10.5.1).
func (x *Exchange) SendTrailers(fields []http2.Field) error {
	c := x.conn
	c.Lock()
	wire, out, err := x.OutLocked()
	if err == nil {
		out = wire.BeginHeaders(out, x.WireLocked())
		for i := range fields {
			out = wire.AppendField(out, fields[i].Name, fields[i].Value)
		}
		out, err = wire.CheckHeaders(out)
		c.callerDraws = true
		if err != nil {
			x.SetOutLocked(out, false)
			x.CancelLocked(http2.ErrCodeCancel, err)
		} else {
			x.SetOutLocked(wire.EndHeaders(out, true), true)
		}
		c.callerDraws = false
	}
	c.Unlock()
	c.requestDraw()
	return err
}
