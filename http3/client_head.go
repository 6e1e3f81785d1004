package http3

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/join/carrier"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// Await implements carrier.ClientStream.
func (x *clientExchange) Await(ctx context.Context) (carrier.ClientHead, error) {
	if ctx.Done() != nil {
		defer context.AfterFunc(ctx, func() { x.abort(h3frame.RequestCancelled, context.Cause(ctx)) })()
	}
	p, err := x.next()
	if err == io.EOF { // not possible: the message has no head
		err = &earlyEnd{errNoResponse}
	}
	if err != nil {
		return carrier.ClientHead{}, err
	}
	fields, err := x.decode(p.Bytes)
	if err != nil {
		return carrier.ClientHead{}, err
	}
	var h http2.Head
	if bad := h.ReadResponse(fields); bad != nil {
		return carrier.ClientHead{}, x.refuse(malformed(bad))
	}
	x.k.answered()
	if h.Status < 200 {
		x.in.msg.Interim()
		x.k.charge(costIdle)
		if h.Status == http.StatusContinue {
			x.noteHead(false)
		}
	} else if err := x.begun(&h); err != nil {
		return carrier.ClientHead{}, err
	}
	return carrier.ClientHead{Status: h.Status, Length: h.ContentLength, Fields: h.Fields}, nil
}

// begun notes the head of the final response. The error is that of a response without content whose end has come and is wrong.
func (x *clientExchange) begun(h *http2.Head) error {
	x.noteHead(true)
	switch {
	case x.tunnel && h.Status < 300: // what follows is no content (RFC 9114 §4.4)
		x.in.msg.Expect(-1)
	case x.method == http.MethodHead || h.Status == http.StatusNoContent || h.Status == http.StatusNotModified: // RFC 9110 §6.4.1
		x.in.msg.Expect(0)
		x.bare = true
		return x.awaitEnd()
	default:
		x.in.msg.Expect(h.ContentLength)
		x.bare = x.in.eof && len(x.in.in) == 0 && h.ContentLength <= 0
	}
	return nil
}

// awaitEnd waits for the end of a response without content: on another goroutine if nothing that follows the head has come.
func (x *clientExchange) awaitEnd() error {
	wait := func() error {
		limit := time.AfterFunc(maxAwaitEnd, func() { x.abort(h3frame.RequestCancelled, errTooLong) })
		defer limit.Stop()
		for {
			p, err := x.next()
			if err == nil && p.Trailer {
				err = x.readTrailer(p.Bytes)
			}
			if err != nil {
				return err
			}
		}
	}
	if !x.in.eof && len(x.in.in) == 0 {
		x.join()
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

// maxAwaitEnd is how long the stream of a response without content may go on.
const maxAwaitEnd = time.Second

var errTooLong = errors.New("http3: the stream of a response without content does not end")
