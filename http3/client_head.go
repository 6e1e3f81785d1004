package http3

import (
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/carrier"
	"github.com/shockwave-go/shockwave/internal/h3frame"
)

// responseHead is the head of a response.
type responseHead struct {
	status int
	length int64 // -1 if there is no content-length
	fields []http2.Field
}

// malformed is a rule of RFC 9114 that a response head breaks.
func malformed(rule, msg string) *h3frame.Error {
	return &h3frame.Error{Code: h3frame.MessageError, Scope: h3frame.Stream, Rule: rule, Msg: msg}
}

var (
	errStatus    = malformed("RFC 9114 §4.3.2", "response without exactly one :status of three digits in front")
	errSwitching = malformed("RFC 9114 §4.5", "status 101")
	errField     = malformed("RFC 9114 §4.2", "malformed or forbidden field in a response")
	errLength    = malformed("RFC 9114 §4.1.2", "malformed or repeated content-length")
)

// readFields checks the fields of a response and fills h.
func (h *responseHead) readFields(fields []http2.Field) *h3frame.Error {
	*h = responseHead{length: -1}
	if len(fields) == 0 || fields[0].Name != ":status" {
		return errStatus
	}
	v := fields[0].Value
	n, ok := parseLength(v)
	if !ok || len(v) != 3 || n < 100 {
		return errStatus
	}
	if h.status = int(n); h.status == http.StatusSwitchingProtocols {
		return errSwitching
	}
	h.fields = fields[1:]
	for _, f := range h.fields {
		switch {
		case strings.HasPrefix(f.Name, ":"):
			return errStatus
		case !http2.ValidField(f.Name, f.Value): // the rules are those of HTTP/2
			return errField
		case f.Name == "content-length":
			if n, ok := parseLength(f.Value); ok && h.length < 0 {
				h.length = n
			} else {
				return errLength
			}
		}
	}
	return nil
}

// parseLength parses a decimal number.
func parseLength(s string) (n int64, ok bool) {
	for i := range len(s) {
		d := int64(s[i]) - '0'
		if d < 0 || d > 9 || n > (math.MaxInt64-d)/10 {
			return 0, false
		}
		n = n*10 + d
	}
	return n, s != ""
}

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
	var h responseHead
	if e := h.readFields(fields); e != nil {
		return carrier.ClientHead{}, x.refuse(e)
	}
	x.k.answered()
	if h.status < 200 {
		x.in.msg.Interim()
		x.k.charge(costIdle)
		if h.status == http.StatusContinue {
			x.noteHead(false)
		}
	} else if err := x.begun(&h); err != nil {
		return carrier.ClientHead{}, err
	}
	return carrier.ClientHead{Status: h.status, Length: h.length, Fields: h.fields}, nil
}

// begun notes the head of the final response. The error is that of a response without content whose end has come and is wrong.
func (x *clientExchange) begun(h *responseHead) error {
	x.noteHead(true)
	switch {
	case x.tunnel && h.status < 300: // what follows is no content (RFC 9114 §4.4)
		x.in.msg.Expect(-1)
	case x.method == http.MethodHead || h.status == http.StatusNoContent || h.status == http.StatusNotModified: // RFC 9110 §6.4.1
		x.in.msg.Expect(0)
		x.bare = true
		return x.awaitEnd()
	default:
		x.in.msg.Expect(h.length)
		x.bare = x.in.eof && len(x.in.in) == 0 && h.length <= 0
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
