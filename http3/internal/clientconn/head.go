package clientconn

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/http3/internal/cost"
	"github.com/shockwave-go/shockwave/http3/internal/section"
	"github.com/shockwave-go/shockwave/internal/join/carrier"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// The statuses that decide what follows the head (RFC 9110 §15).
const (
	statusContinue    = 100
	statusNoContent   = 204
	statusNotModified = 304
)

// Await implements carrier.ClientStream.
func (x *exchange) Await(ctx context.Context) (carrier.ClientHead, error) {
	if ctx.Done() != nil {
		defer context.AfterFunc(ctx, func() { x.abort(h3frame.RequestCancelled, context.Cause(ctx)) })()
	}
	p, err := x.in.next(x)
	if err == io.EOF { // not possible: the message has no head
		err = &earlyEnd{errNoResponse}
	}
	if err != nil {
		return carrier.ClientHead{}, err
	}
	fields, err := x.in.decode(x, p.Bytes)
	if err != nil {
		return carrier.ClientHead{}, err
	}
	var h http2.Head
	if bad := h.ReadResponse(fields); bad != nil {
		return carrier.ClientHead{}, x.refuse(section.Malformed(bad))
	}
	x.k.answered()
	if h.Status < 200 {
		x.in.msg.Interim()
		x.charge(cost.Idle)
		if h.Status == statusContinue {
			x.progress.noteHead(false)
		}
	} else if err := x.begun(&h); err != nil {
		return carrier.ClientHead{}, err
	}
	return carrier.ClientHead{Status: h.Status, Length: h.ContentLength, Fields: h.Fields}, nil
}

// begun records the head of the final response. It returns an error if the response has no content and ends in a wrong way.
func (x *exchange) begun(h *http2.Head) error {
	x.progress.noteHead(true)
	switch {
	case x.tunnel && h.Status < 300: // what follows is no content (RFC 9114 §4.4)
		x.in.msg.Expect(-1)
	case x.method == "HEAD" || h.Status == statusNoContent || h.Status == statusNotModified: // RFC 9110 §6.4.1
		x.in.msg.Expect(0)
		x.bare = true
		return x.awaitEnd()
	default:
		x.in.msg.Expect(h.ContentLength)
		x.bare = x.in.eof && len(x.in.in.Bytes) == 0 && h.ContentLength <= 0
	}
	return nil
}

// awaitEnd waits for the end of a response without content: on another goroutine if nothing has arrived after the head.
func (x *exchange) awaitEnd() error {
	wait := func() error {
		limit := time.AfterFunc(maxAwaitEnd, func() { x.abort(h3frame.RequestCancelled, errTooLong) })
		defer limit.Stop()
		for {
			p, err := x.in.next(x)
			if err == nil && p.Trailer {
				err = x.readTrailer(p.Bytes)
			}
			if err != nil {
				return err
			}
		}
	}
	if !x.in.isBuffered() {
		x.progress.join()
		x.endAwaited = true
		go func() {
			x.ended(wait())
			x.Leave()
		}()
		return nil
	}
	err := wait()
	if x.ended(err); err != io.EOF && err != errTooLong {
		return err
	}
	return nil
}

// maxAwaitEnd is how long the stream of a response without content may stay open.
const maxAwaitEnd = time.Second

var errTooLong = errors.New("http3: response without content does not end")
