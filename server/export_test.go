package server

import (
	"fmt"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/server/internal/servercert"
)

// NewServerOn is NewServer with a clock of the test's.
func NewServerOn(clk *clock.Clock, cfg Config) *Server {
	s := NewServer(cfg)
	engine := s.shared.cfg.engine()
	engine.Clock, engine.New, engine.OnHandshakeError = clk, s.newConn, s.shared.handshakeFailed
	s.engine = netconn.New(engine)
	return s
}

// Manners returns cfg, with the behaviour of net/http's server if like is true.
func Manners(like bool, cfg Config) Config {
	cfg.likeNetHTTP = like
	return cfg
}

// Prohibited reports whether HTTP/2 is refused over TLS 1.2 with a cipher suite.
func Prohibited(suite uint16) bool { return servercert.Prohibited(suite) }

// ReadByHand reads parts as a response that a handler has written by hand, and returns it as text.
func ReadByHand(parts ...[]byte) string {
	s := NewServer(Config{Handler: HandlerFunc(func(*ResponseWriter, *Request) {})})
	var to textSink
	x := &exchange{}
	x.init(s.shared, nil, &to, nil)
	a, open := newHandAnswer(x), false
	for _, p := range parts {
		rest := p
		if !open {
			var err error
			if rest, open, err = a.write(p); err != nil {
				return "malformed"
			}
		}
		to.text = append(to.text, rest...)
	}
	return fmt.Sprintf("%q open %v, complete %v", to.text, open, open || a.end())
}

// textSink writes a response as text.
type textSink struct {
	sink
	text  []byte
	begun bool
}

func (s *textSink) begin(*ResponseWriter, string, bool) phase { return buffering }

func (s *textSink) flush() error { return nil }
func (s *textSink) push() error  { return nil }

func (s *textSink) inform(code int, h *shockwave.Header) error {
	s.text = fmt.Appendf(s.text, "%d %q;", code, h.Bytes())
	return nil
}

func (s *textSink) send(w *ResponseWriter, p []byte) error {
	if !s.begun {
		s.begun = true
		s.text = fmt.Appendf(s.text, "%d %q;", w.status, w.header.Bytes())
	}
	s.text = append(append(s.text, w.buf...), p...)
	return nil
}

func (s *textSink) end(w *ResponseWriter, broken bool) error {
	s.send(w, nil)
	s.text = fmt.Appendf(s.text, ";%q broken %v", w.trailer.Bytes(), broken)
	return nil
}
