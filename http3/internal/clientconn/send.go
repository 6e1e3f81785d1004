package clientconn

import (
	"context"
	"time"

	"github.com/shockwave-go/shockwave/http3/internal/section"
	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/join/carrier"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// atOnce is how many bytes of a request are passed to QUIC without waiting until they are sent: QUIC copies them.
const atOnce = 16 << 10

// sendHead sends the head. It waits while flow control does not allow that.
func (x *exchange) sendHead(ctx context.Context, head []byte) error {
	if done, err := x.str.WriteAll(head); done || err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { x.abort(h3frame.RequestCancelled, context.Cause(ctx)) })()
	_, err := x.str.Write(head)
	return err
}

// Send implements carrier.ClientStream.
func (x *exchange) Send(p []byte, end bool) error {
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
func (x *exchange) SendNow(p []byte) (sent bool, err error) {
	if sent, err = x.str.WriteAll(x.dataFrame(p)); sent {
		x.endSending()
	}
	return sent, err
}

// dataFrame returns a DATA frame with p. It is valid until the next one.
func (x *exchange) dataFrame(p []byte) []byte {
	out := h3frame.AppendHeader(bufpool.Grow(x.out, len(p)+frameRoom)[:0], h3frame.Data, uint64(len(p)))
	x.out = append(out, p...)
	return x.out
}

// frameRoom is the room for the header of a frame.
const frameRoom = 16

// SendTrailer implements carrier.ClientStream.
func (x *exchange) SendTrailer(s carrier.Section) error {
	var f section.Encoder
	trailer := f.Append(nil, s)
	if err := x.k.checkSize("trailer fields", f.Size); err != nil {
		x.abort(h3frame.RequestCancelled, err)
		return err
	}
	if err := x.write(trailer); err != nil {
		return err
	}
	x.endSending()
	return nil
}

// write passes p to QUIC. It waits while flow control does not allow more.
func (x *exchange) write(p []byte) error {
	if err := x.progress.stop(); err != nil {
		return err
	}
	done, err := false, error(nil)
	if x.quick += len(p); x.quick <= atOnce {
		done, err = x.str.WriteAll(p)
	}
	if !done && err == nil {
		x.quick = atOnce
		_, err = x.str.Write(p)
	}
	if err != nil {
		if why := x.progress.stop(); why != nil {
			return why
		}
	}
	return err
}

// endSending ends the request.
func (x *exchange) endSending() {
	x.str.End()
	x.progress.noteSent()
}

// Proceed implements carrier.ClientStream.
func (x *exchange) Proceed(d time.Duration, done <-chan struct{}) (wanted bool) {
	return x.progress.await(d, done)
}

// StopSending implements carrier.ClientStream.
func (x *exchange) StopSending(err error) {
	if x.progress.stopSending(err) {
		x.str.InterruptWrite()
	}
}
