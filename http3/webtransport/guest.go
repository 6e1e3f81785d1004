package webtransport

import "github.com/shockwave-go/shockwave/http3/internal/session"

// guest is the view that the connection has of a Session.
type guest Session

// Begin implements session.Guest.
func (g *guest) Begin(c session.Conn) { g.conn = c }

// AddStream implements session.Guest.
func (g *guest) AddStream(q session.Stream) {
	s := (*Session)(g)
	if t, ok := s.newStream(q); !ok || !s.streams.put(t) {
		t.abort()
	}
}

// AddUniStream implements session.Guest.
func (g *guest) AddUniStream(q session.Receive) {
	s := (*Session)(g)
	t := &ReceiveStream{s: s, q: q}
	if !s.track(t) || !s.uni.put(t) {
		t.abort()
	}
}

// AddDatagram implements session.Guest.
func (g *guest) AddDatagram(p []byte) { g.datagrams.put(p) }

// GoingAway implements session.Guest.
func (g *guest) GoingAway() {
	s := (*Session)(g)
	s.asked.Do(func() { go s.goAway() })
}

// HandlerFailed implements session.Guest.
func (g *guest) HandlerFailed() {
	if s := (*Session)(g); s.end(errPanicked) {
		s.conn.Abort(errPanicked)
	}
}
