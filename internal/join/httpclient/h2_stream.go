package httpclient

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/h2client"
	"github.com/shockwave-go/shockwave/internal/join/httpread"
)

// stream is an exchange on a connection of HTTP/2.
type stream struct {
	h2client.Exchange
	pool            *sync.Pool
	c               atomic.Pointer[h2client.Conn] // of the current turn
	turnNo          atomic.Uint32                 // the current turn; it changes while c is locked
	reused          bool
	mayBeStale      bool             // the connection was idle before this turn, or may have been
	maxInterimBytes int              // how many bytes informational responses may have
	interimHeads    int              // how many informational responses have come
	interimBytes    int              // how many bytes they had
	readerSends     bool             // the reading goroutine is also the sending one, as on a tunnel
	readTimeout     time.Duration    // bounds each read; 0 means no bound
	rest            []byte           // of a body in memory, which could not be sent with the head
	trailerFields   shockwave.Header // the trailer section
	trailerText     []byte           // the memory of trailerFields
}

// newStream returns a stream for a new request. Each client has a sync.Pool of its own: a stream holds channels, which
// must not leave the testing/synctest bubble that they were made in.
func (cl *Client) newStream() *stream {
	if s, ok := cl.streams.Get().(*stream); ok {
		return s
	}
	return &stream{pool: &cl.streams}
}

// await implements exchange.
func (s *stream) await(ctx context.Context, m *message, _ contextWatcher) error {
	in, more, err := s.Await(ctx.Done())
	switch {
	case err == h2client.ErrDone:
		return context.Cause(ctx)
	case err == netconn.ErrSlow:
		return timeoutOn(&s.c.Load().Link().Link, ErrHeadTimeout)
	case err != nil:
		return err
	case more:
		m.fill(2, in.Status, in.Fields)
		return s.countInterim(m)
	}
	m.fill(2, s.Status, s.Fields)
	m.Length = s.Length
	return nil
}

// countInterim counts an informational response and fails if there are too many.
func (s *stream) countInterim(m *message) error {
	s.interimHeads++
	s.interimBytes += len(m.text) + 32*m.Header().Len() // counted as MAX_HEADER_LIST_SIZE does (RFC 9113 §6.5.2)
	if s.interimHeads > maxInterim || s.interimBytes > s.maxInterimBytes {
		return httpread.ErrInterim
	}
	return nil
}

// maxInterim is how many informational responses may precede the final one.
const maxInterim = 16

// resetInterim implements exchange.
func (s *stream) resetInterim() { s.interimHeads, s.interimBytes = 0, 0 }

// whole implements exchange.
func (s *stream) whole(m *message) bool {
	m.headOnly = s.Bare
	p, ok := s.Whole()
	if !ok {
		return false
	}
	m.takeBody(p)
	m.keepTrailer(s.trailer())
	return true
}

// read implements exchange.
func (s *stream) read(p []byte) (int, error) {
	if s.readTimeout > 0 {
		c := s.c.Load()
		c.Lock()
		s.SetReadTimeoutLocked(s.readTimeout)
		c.Unlock()
	}
	n, err := s.Read(p)
	if err == nil || err == io.EOF {
		return n, err
	}
	err = s.Failed(err)
	switch {
	case errors.Is(err, netconn.ErrSlow):
		err = timeoutOn(&s.c.Load().Link().Link, ErrIdleTimeout)
	case errors.Is(err, http2.ErrShort):
		err = io.ErrUnexpectedEOF // as with HTTP/1.1
	}
	return n, err
}

// trailer implements exchange.
func (s *stream) trailer() *shockwave.Header {
	s.trailerText = fill(&s.trailerFields, s.trailerText, s.Trailer)
	return &s.trailerFields
}

// boundRead implements exchange.
func (s *stream) boundRead(idle time.Duration) { s.readTimeout = idle }

// canRetry implements exchange.
func (s *stream) canRetry(err error, replayable bool) (retry, error) {
	why := retryUnprocessed(err)
	if why == never && s.mayBeStale && replayable && (errors.Is(err, io.ErrUnexpectedEOF) || h2client.BrokeRules(err)) && s.NoResponse() {
		why = stale // also if the server has broken a rule: that may belong to the response before
	}
	if gone := s.c.Load().GoAway(); why != never && !s.mayBeStale && gone != nil && gone.Code != http2.ErrCodeNo {
		// A server that ends the connection at its first request would do so again.
		if _, says := errors.AsType[*h2client.GoAwayError](err); !says {
			err = gone
		}
		return never, err
	}
	return why, err
}

// discard implements exchange. It does nothing: other streams do not have to wait for this one.
func (s *stream) discard() {}

// tunnel implements exchange.
func (s *stream) tunnel() (io.ReadWriteCloser, error) {
	return &streamTunnel{ex: s, turn: s.turn()}, nil
}

// send implements exchange.
func (s *stream) send(p []byte, end bool) error { return s.SendPart(p, end) }

// unsent implements exchange.
func (s *stream) unsent() []byte {
	rest := s.rest
	s.rest = nil
	return rest
}

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

// boundHead implements exchange.
func (s *stream) boundHead(d time.Duration) { s.Expire(d) }

// tls implements exchange.
func (s *stream) tls() *tls.ConnectionState { return s.c.Load().TLS }

// info implements exchange.
func (s *stream) info() connInfo { return connInfo{nc: s.c.Load().Link().NetConn(), reused: s.reused} }

// turn implements exchange.
func (s *stream) turn() turn { return turn(s.turnNo.Load()) }

// leave implements exchange.
func (s *stream) leave() {
	if s.readerSends {
		s.readerSends = false
		s.Leave(s.endTurn)
	}
	if s.Leave(s.endTurn) {
		clear(s.Fields)
		clear(s.Trailer)
		s.pool.Put(s)
	}
}

// cancel implements exchange.
func (s *stream) cancel(t turn, err error) {
	s.ifTurn(t, func() { s.CancelLocked(http2.ErrCodeCancel, err) })
}

// stopSending implements exchange.
func (s *stream) stopSending(t turn, err error) {
	s.ifTurn(t, func() { s.StopSendingLocked(err) })
}

// ifTurn calls f with the connection locked, unless turn t is over.
func (s *stream) ifTurn(t turn, f func()) {
	c := s.c.Load()
	c.Lock()
	if s.turn() == t { // so c is the connection of that turn
		f()
	}
	c.Unlock()
}

// endTurn is called with the connection locked when a goroutine leaves. last reports whether it was the last one.
func (s *stream) endTurn(last bool) {
	if last {
		s.turnNo.Add(1)
	}
}
