package http3

import (
	"time"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/join/carrier"
	"github.com/shockwave-go/shockwave/internal/join/expect"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// Send implements carrier.ClientStream.
func (x *clientExchange) Send(p []byte, end bool) error {
	if len(p) > 0 {
		if err := x.write(x.dataFrame(p)); err != nil {
			return err
		}
	}
	if end {
		x.endSending()
	}
	return nil
}

// SendNow implements carrier.ClientStream.
func (x *clientExchange) SendNow(p []byte) (sent bool, err error) {
	if sent, err = x.str.writeAll(x.dataFrame(p)); sent {
		x.endSending()
	}
	return sent, err
}

// dataFrame returns a DATA frame with p. It is valid until the next one.
func (x *clientExchange) dataFrame(p []byte) []byte {
	out := h3frame.AppendHeader(bufpool.Grow(x.out, len(p)+frameRoom)[:0], h3frame.Data, uint64(len(p)))
	x.out = append(out, p...)
	return x.out
}

// frameRoom is the room for the header of a frame.
const frameRoom = 16

// SendTrailer implements carrier.ClientStream.
func (x *clientExchange) SendTrailer(s carrier.Section) error {
	var f sectionFields
	section := appendSection(nil, &f, s)
	if err := x.k.checkSize("trailer fields", f.size); err != nil {
		x.abort(h3frame.RequestCancelled, err)
		return err
	}
	if err := x.write(section); err != nil {
		return err
	}
	x.endSending()
	return nil
}

// write gives p to QUIC. It waits while the server takes too little.
func (x *clientExchange) write(p []byte) error {
	if err := x.stop(); err != nil {
		return err
	}
	done, err := false, error(nil)
	if x.quick += len(p); x.quick <= atOnce {
		done, err = x.str.writeAll(p)
	}
	if !done && err == nil {
		x.quick = atOnce
		_, err = x.str.write(p)
	}
	if err != nil {
		if why := x.stop(); why != nil {
			return why
		}
	}
	return err
}

// stop returns why nothing more is sent, if that is known.
func (x *clientExchange) stop() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.stopped != nil {
		return x.stopped
	}
	return x.why
}

// endSending ends the request.
func (x *clientExchange) endSending() {
	x.str.end()
	x.mu.Lock()
	x.sent = true
	x.mu.Unlock()
}

// Proceed implements carrier.ClientStream: not after a final head without 100 Continue is the content wanted.
func (x *clientExchange) Proceed(d time.Duration, done <-chan struct{}) (wanted bool) {
	x.mu.Lock()
	over := x.proceed.Over()
	x.mu.Unlock()
	expect.For(over, d, done)
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.why == nil && x.stopped == nil && (x.bodyWanted || !x.final)
}

// StopSending implements carrier.ClientStream.
func (x *clientExchange) StopSending(err error) {
	x.mu.Lock()
	if x.stopped == nil {
		x.stopped = err
	}
	x.proceed.EndLocked()
	gone := x.users == 0
	x.mu.Unlock()
	if !gone {
		x.str.interruptWrite()
	}
}
