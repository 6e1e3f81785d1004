package httpclient

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"time"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/carrier"
	"github.com/shockwave-go/shockwave/internal/join/httpread"
	"github.com/shockwave-go/shockwave/internal/wire/ascii"
)

// h3Stream is an exchange on a connection of HTTP/3. It is not reused.
type h3Stream struct {
	carrier.ClientStream
	origin, addr    string // of the server, and where it has offered HTTP/3; empty by prior knowledge
	unprocessed     func(error) bool
	rest            []byte // of a body in memory, which could not be sent with the head
	readerSends     bool   // the reading goroutine is also the sending one, as on a tunnel
	maxInterimBytes int    // how many bytes informational responses may have
	interimHeads    int    // how many informational responses have come
	interimBytes    int    // how many bytes they had
	trailerFields   shockwave.Header
	trailerText     []byte // the memory of trailerFields
}

// await implements exchange.
func (s *h3Stream) await(ctx context.Context, m *message, _ contextWatcher) error {
	h, err := s.Await(ctx)
	if err != nil {
		if errors.Is(err, netconn.ErrSlow) {
			err = ErrHeadTimeout
		}
		return err
	}
	m.fill(3, h.Status, h.Fields)
	if h.Status >= 200 {
		m.Length = h.Length
		return nil
	}
	s.interimHeads++
	s.interimBytes += len(m.text) + 32*m.Header().Len() // counted as in RFC 9114 §4.2.2
	if s.interimHeads > maxInterim || s.interimBytes > s.maxInterimBytes {
		return httpread.ErrInterim
	}
	return nil
}

// resetInterim implements exchange.
func (s *h3Stream) resetInterim() { s.interimHeads, s.interimBytes = 0, 0 }

// whole implements exchange.
func (s *h3Stream) whole(m *message) bool {
	m.headOnly = s.Bare()
	if m.tunneled {
		return false
	}
	p, ok := s.Whole()
	if !ok {
		return false
	}
	m.takeBody(p)
	m.keepTrailer(s.trailer())
	return true
}

// read implements exchange.
func (s *h3Stream) read(p []byte) (int, error) {
	n, err := s.Read(p)
	if err != nil && errors.Is(err, netconn.ErrSlow) {
		err = ErrIdleTimeout
	}
	return n, err
}

// trailer implements exchange.
func (s *h3Stream) trailer() *shockwave.Header {
	s.trailerText = fill(&s.trailerFields, s.trailerText, s.Trailer())
	return &s.trailerFields
}

// boundRead implements exchange.
func (s *h3Stream) boundRead(idle time.Duration) { s.SetReadTimeout(idle) }

// canRetry implements exchange.
func (s *h3Stream) canRetry(err error, replayable bool) (retry, error) {
	switch {
	case s.unprocessed(err):
		return refused, err
	case replayable && s.Reused() && s.Unanswered(err):
		return stale, err
	}
	return never, err
}

// discard implements exchange. It does nothing: other streams do not have to wait for this one.
func (s *h3Stream) discard() {}

// tunnel implements exchange.
func (s *h3Stream) tunnel() (io.ReadWriteCloser, error) { return &streamTunnel{ex: s}, nil }

// unsent implements exchange.
func (s *h3Stream) unsent() []byte {
	rest := s.rest
	s.rest = nil
	return rest
}

// send implements exchange.
func (s *h3Stream) send(p []byte, end bool) error { return s.Send(p, end) }

// sendTrailer implements exchange.
func (s *h3Stream) sendTrailer(h *shockwave.Header) error {
	if h.Len() == 0 {
		return s.Send(nil, true)
	}
	return s.SendTrailer(trailerSection{h})
}

// trailerSection is a trailer section to send.
type trailerSection struct{ h *shockwave.Header }

// AppendTo implements carrier.Section.
func (t trailerSection) AppendTo(f carrier.Fields, dst []byte) []byte {
	var name []byte
	for i := range t.h.Len() {
		n, value := t.h.At(i)
		name = name[:0]
		for _, c := range n {
			name = append(name, ascii.Lower(c))
		}
		dst = f.AppendFieldBytes(dst, name, value)
	}
	return dst
}

// proceed implements exchange.
func (s *h3Stream) proceed(d time.Duration, done <-chan struct{}) bool { return s.Proceed(d, done) }

// boundHead implements exchange.
func (s *h3Stream) boundHead(d time.Duration) { s.Expire(d) }

// tls implements exchange.
func (s *h3Stream) tls() *tls.ConnectionState { return s.TLS() }

// info implements exchange.
func (s *h3Stream) info() connInfo { return connInfo{nc: s.NetConn(), reused: s.Reused()} }

// turn implements exchange.
func (s *h3Stream) turn() turn { return 0 }

// leave implements exchange.
func (s *h3Stream) leave() {
	if s.readerSends {
		s.readerSends = false
		s.Leave()
	}
	s.Leave()
}

// cancel implements exchange.
func (s *h3Stream) cancel(_ turn, err error) { s.Cancel(err) }

// stopSending implements exchange.
func (s *h3Stream) stopSending(_ turn, err error) { s.StopSending(err) }
