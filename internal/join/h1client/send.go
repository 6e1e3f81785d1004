package h1client

import (
	"context"
	"time"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/expect"
)

// Sender is the half of a Conn for the goroutine that sends the body, if Begin was called with sends.
type Sender struct{ turn *turn }

const (
	partSize  = 32 << 10                             // how much is passed to the connection at once
	chunkRoom = len("8000\r\n\r\n") + len(lastChunk) // the framing of a part
)

// SendPart sends p: as one or more chunks if the request is chunked, otherwise as it is. end says that the request ends
// with p. SendPart returns when the connection has accepted p, which may be before p has been sent; it does not refer to p
// afterwards. It fails with the error of StopSending or Cancel, also when it is waiting, or with an error of the
// connection. The reading goroutine is not affected by that: the response may still arrive.
func (s *Sender) SendPart(p []byte, end bool) error {
	for {
		part := p[:min(len(p), partSize)]
		p = p[len(part):]
		last := end && len(p) == 0
		var err error
		if s.turn.chunked {
			err = s.sendChunk(part, last)
		} else {
			err = s.send(part, last)
		}
		if err != nil || len(p) == 0 {
			return err
		}
	}
}

// sendChunk sends part as one chunk (RFC 9112 §7.1), and the last chunk if last is true.
func (s *Sender) sendChunk(part []byte, last bool) error {
	b := bufpool.Get(len(part) + chunkRoom)[:0]
	defer bufpool.Put(b)
	if len(part) > 0 {
		b = http1.AppendChunkSize(b, len(part))
		b = append(append(b, part...), '\r', '\n')
	}
	if last {
		b = append(b, lastChunk...)
	}
	return s.send(b, last)
}

// SendTrailers ends a chunked request with a trailer section. Fields that are forbidden there or malformed are left out;
// see http1.AppendLastChunk. h may be nil; it is not referred to afterwards. A request that is not chunked is ended
// without a trailer section.
func (s *Sender) SendTrailers(h *shockwave.Header) error {
	if !s.turn.chunked {
		return s.send(nil, true)
	}
	b := http1.AppendLastChunk(bufpool.Get(0), h)
	defer bufpool.Put(b)
	return s.send(b, true)
}

// send sends b without framing. It waits for room if necessary.
func (s *Sender) send(b []byte, last bool) error {
	s.turn.mu.Lock()
	err := s.turn.stoppedLocked()
	s.turn.mu.Unlock()
	if err != nil {
		return err
	}
	if len(b) > 0 {
		ok, err := s.turn.p.Post(netconn.Whole, b)
		if !ok && err == nil {
			err = s.sendBlocking(b)
		}
		if err != nil {
			return s.sendErr(err)
		}
	}
	s.turn.mu.Lock()
	s.turn.sentAll = s.turn.sentAll || last
	s.turn.mu.Unlock()
	return nil
}

// sendBlocking sends b when there was no room for it. It waits until there is.
func (s *Sender) sendBlocking(b []byte) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s.turn.mu.Lock()
	s.turn.unblock = cancel
	if s.turn.stoppedLocked() != nil {
		cancel()
	}
	s.turn.mu.Unlock()
	return s.turn.p.PostContext(ctx, netconn.Whole, b)
}

// sendErr returns the error to report when sending has failed with err.
func (s *Sender) sendErr(err error) error {
	s.turn.mu.Lock()
	defer s.turn.mu.Unlock()
	if why := s.turn.stoppedLocked(); why != nil {
		return why
	}
	return err
}

// StopSending makes sending in the given exchange, by its number, fail with err, also when it is waiting. It does nothing if
// that exchange is over. If the request has not been sent whole this is the last exchange of the connection; its response
// can still be read. Any goroutine may call it.
func (s *Sender) StopSending(exchange int, err error) { s.turn.stopSending(exchange, err) }

// Expect tells Proceed to wait because the request says "Expect: 100-continue" (RFC 9110 §10.1.1). It must be called
// before Begin.
func (s *Sender) Expect() {
	s.turn.mu.Lock()
	s.turn.proceed.Begin()
	s.turn.mu.Unlock()
}

// Proceed waits until the server has asked for the body with 100 Continue, has sent its final response, sending has been
// stopped, wait has passed, or done is closed. Another goroutine must call Await meanwhile. wanted reports whether to send
// the body: false if a final response has arrived that ends the connection.
func (s *Sender) Proceed(wait time.Duration, done <-chan struct{}) (wanted bool) {
	t := s.turn
	t.mu.Lock()
	over := t.proceed.Over()
	t.mu.Unlock()
	expect.For(over, wait, done)
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.bodyWanted || !t.gotFinal || !t.last
}
