package httpclient

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/bufpool"
	"github.com/shockwave-go/shockwave/internal/h2client"
	"github.com/shockwave-go/shockwave/internal/httpread"
	"github.com/shockwave-go/shockwave/internal/netconn"
)

// stream is an exchange on a connection of HTTP/2.
type stream struct {
	h2client.Exchange
	home   *sync.Pool
	c      atomic.Pointer[h2client.Conn] // of this turn
	now    atomic.Uint32                 // the turn; it ends with c's lock held
	reused bool
	most   int              // bytes that informational responses may have
	heads  int              // that have come
	bytes  int              // of them
	both   bool             // who reads sends, too: a tunnel, perhaps
	wait   time.Duration    // how long each read may wait; 0 is for ever
	ended  shockwave.Header // the trailer section
	text   []byte           // of ended
}

// newStream returns a stream that can be begun. A client has its own: they hold channels, which must not leave the bubble of
// testing/synctest that they were made in.
func (cl *Client) newStream() *stream {
	if s, ok := cl.streams.Get().(*stream); ok {
		return s
	}
	return &stream{home: &cl.streams}
}

// await implements exchange.
func (s *stream) await(ctx context.Context, r *Response) error {
	in, more, err := s.Await(ctx.Done())
	switch {
	case err == h2client.ErrDone:
		return context.Cause(ctx)
	case err == netconn.ErrSlow:
		return ErrHeadTimeout
	case err != nil:
		return err
	case more:
		r.fill(in.Status, in.Fields)
		return s.interim(r)
	}
	r.fill(s.Status, s.Fields)
	r.Length = s.Length
	return nil
}

// interim counts an informational response.
func (s *stream) interim(r *Response) error {
	s.heads++
	s.bytes += len(r.text) + 32*r.Header().Len() // as the bound counts them (RFC 9113 §6.5.2)
	if s.heads > maxInterim || s.bytes > s.most {
		return httpread.ErrInterim
	}
	return nil
}

// maxInterim is how many informational responses may come before the one that counts.
const maxInterim = 16

// told implements exchange.
func (s *stream) told() { s.heads, s.bytes = 0, 0 }

// whole implements exchange.
func (s *stream) whole(r *Response) bool {
	r.alone = s.Bare
	p, ok := s.Whole()
	if !ok {
		return false
	}
	// One piece of memory for the head and the body behind it.
	n := len(r.text)
	r.text = append(bufpool.Grow(r.text, n+len(p))[:n], p...)
	bufpool.Put(p)
	r.head.Header.Rebase(r.text[:n])
	r.body = r.text[n:]
	r.keepTrailer(s.trailer())
	return true
}

// read implements exchange.
func (s *stream) read(p []byte) (int, error) {
	if s.wait > 0 {
		c := s.c.Load()
		c.Lock()
		s.BoundRead(s.wait)
		c.Unlock()
	}
	n, err := s.Read(p)
	if err != nil && err != io.EOF {
		if err = s.Failed(err); errors.Is(err, netconn.ErrSlow) {
			err = ErrIdleTimeout
		}
	}
	return n, err
}

// trailer implements exchange.
func (s *stream) trailer() *shockwave.Header {
	s.text = fill(&s.ended, s.text, s.Trailer)
	return &s.ended
}

// bound implements exchange.
func (s *stream) bound(idle time.Duration) { s.wait = idle }

// again implements exchange.
func (s *stream) again(err error, replayable bool) (retry, error) {
	why := again(err)
	if why == never && s.reused && replayable && errors.Is(err, io.ErrUnexpectedEOF) && s.Unheard() {
		why = stale
	}
	if gone := s.c.Load().GoAway(); why != never && !s.reused && gone != nil && gone.Code != http2.NoError {
		return never, gone // a server that does so with the first request will do so again
	}
	return why, err
}

// discard implements exchange: others are not in a stream's way.
func (s *stream) discard() {}

// tunnel implements exchange.
func (s *stream) tunnel() (io.ReadWriteCloser, error) { return &h2Tunnel{s: s, t: s.turn()}, nil }

// send implements exchange.
func (s *stream) send(p []byte, end bool) error { return s.SendPart(p, end) }

// sendTrailer implements exchange.
func (s *stream) sendTrailer(h *shockwave.Header) error {
	if h.Len() == 0 {
		return s.SendPart(nil, true)
	}
	fields := make([]http2.Field, 0, h.Len())
	for i := range h.Len() {
		name, value := h.At(i)
		fields = append(fields, http2.Field{Name: strings.ToLower(string(name)), Value: string(value)})
	}
	return s.SendTrailers(fields)
}

// proceed implements exchange.
func (s *stream) proceed(d time.Duration, done <-chan struct{}) bool { return s.Proceed(d, done) }

// expire implements exchange.
func (s *stream) expire(d time.Duration) { s.Expire(d) }

// info implements exchange.
func (s *stream) info() connInfo {
	c := s.c.Load()
	return connInfo{nc: c.Link().NetConn(), tls: c.TLS, reused: s.reused}
}

// turn implements exchange.
func (s *stream) turn() turn { return turn(s.now.Load()) }

// leave implements exchange.
func (s *stream) leave() {
	if s.both {
		s.both = false
		s.Leave(s.endTurn)
	}
	if s.Leave(s.endTurn) {
		clear(s.Fields)
		clear(s.Trailer)
		s.home.Put(s)
	}
}

// cancel implements exchange.
func (s *stream) cancel(t turn, err error) {
	s.during(t, func() { s.Cancel(http2.Cancel, err) })
}

// hush implements exchange.
func (s *stream) hush(t turn, err error) {
	s.during(t, func() { s.StopSending(err) })
}

// during calls f with the connection's lock held if the turn is not over.
func (s *stream) during(t turn, f func()) {
	c := s.c.Load()
	c.Lock()
	if s.turn() == t { // and so c is that turn's
		f()
	}
	c.Unlock()
}

// endTurn is called, with the connection's lock held, by each who leaves.
func (s *stream) endTurn(last bool) {
	if last {
		s.now.Add(1)
	}
}
