package nethttp

import (
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/bufpool"
	"github.com/shockwave-go/shockwave/internal/h2client"
)

// responseBody is a Response's Body. One goroutine reads; any may close.
//
//	open ◄──► reading ──► over (the end, or a failure)
//	  │          │
//	  ▼          ▼
//	closed   closing: the reader cleans up
type responseBody struct {
	resp    *http.Response
	conn    *h2client.Conn
	call    *call // while the stream is there; changed under conn's lock
	upload  *upload
	whole   []byte // else all of the body, leased
	at      int    // of whole: what is before it has been read
	trailer []http2.Field
	state   atomic.Int32
	err     error // what Read says when it is over
	stop    func() bool
}

const (
	bodyOpen int32 = iota
	bodyReading
	bodyClosing
	bodyClosed
	bodyOver
)

// errReadOnClosed says what http.Transport says.
var errReadOnClosed = errors.New("http: read on closed response body")

var errConcurrentRead = errors.New("nethttp: two goroutines read a response's body")

// watch has the end of ctx reset the stream.
func (b *responseBody) watch(ctx context.Context) {
	if ctx.Done() != nil {
		b.stop = context.AfterFunc(ctx, func() { b.cancel(context.Cause(ctx)) })
	}
}

// cancel ends the response with err.
func (b *responseBody) cancel(err error) {
	c := b.conn
	c.Lock()
	k := b.call
	if k != nil {
		k.ResetFor(http2.Cancel, err)
		if b.upload != nil {
			b.upload.stop()
		}
	}
	c.Unlock()
}

// Read implements io.Reader.
func (b *responseBody) Read(p []byte) (int, error) {
	if !b.state.CompareAndSwap(bodyOpen, bodyReading) {
		switch b.state.Load() {
		case bodyOver:
			return 0, b.err
		case bodyReading:
			return 0, errConcurrentRead
		}
		return 0, errReadOnClosed
	}
	n, err := b.read(p)
	if err != nil {
		b.err = err
		b.release()
		if !b.state.CompareAndSwap(bodyReading, bodyOver) {
			b.state.Store(bodyClosed)
		}
		return n, err
	}
	if !b.state.CompareAndSwap(bodyReading, bodyOpen) {
		b.release()
		b.state.Store(bodyClosed)
	}
	return n, nil
}

func (b *responseBody) read(p []byte) (int, error) {
	if b.call != nil {
		n, err := b.call.Read(p)
		if err == io.EOF {
			b.endTrailer(b.call)
			b.mergeTrailer()
		} else if err != nil {
			err = b.failed(err)
		}
		return n, err
	}
	n := copy(p, b.whole[b.at:])
	if b.at += n; b.at == len(b.whole) {
		b.mergeTrailer()
		return n, io.EOF
	}
	return n, nil
}

// failed is what a Read says that failed with err.
func (b *responseBody) failed(err error) error {
	if b.state.Load() == bodyClosing {
		return errReadOnClosed
	}
	return b.call.Failed(err)
}

// release gives back what the body holds. Nobody reads.
func (b *responseBody) release() {
	if b.stop != nil {
		b.stop()
	}
	if k := b.call; k != nil {
		t := k.t
		if k.Leave(func() { b.call = nil }) {
			t.giveBack(k)
		}
	}
	bufpool.Put(b.whole)
	b.whole = nil
}

// Close gives the rest of the body up: a stream that has not ended is reset.
func (b *responseBody) Close() error {
	for {
		switch s := b.state.Load(); s {
		case bodyOpen:
			if b.state.CompareAndSwap(s, bodyClosed) {
				if b.upload != nil {
					b.giveUp()
				}
				b.release()
				return nil
			}
		case bodyReading:
			if b.state.CompareAndSwap(s, bodyClosing) {
				b.giveUp()
				return nil
			}
		default:
			return nil
		}
	}
}

// giveUp resets the stream; who reads or sends finds out.
func (b *responseBody) giveUp() { b.cancel(errReadOnClosed) }

// splitComma gives the parts of a list.
func splitComma(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for part := range strings.SplitSeq(s, ",") {
			if !yield(trimSpace(part)) {
				return
			}
		}
	}
}
