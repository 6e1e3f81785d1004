package load

import (
	"net"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/account"
	"github.com/shockwave-go/shockwave/http2"
)

// h2Peer is the server's end of a connection in a conversation over HTTP/2.
type h2Peer struct {
	*peer
	wire *http2.Conn
	in   []byte // in room
	out  []byte
	room [8 << 10]byte
}

// talkH2 makes a conversation over HTTP/2 of one with a peer.
func talkH2(cfg http2.Config, talk func(p *h2Peer)) func(*peer) {
	return func(p *peer) {
		talk(&h2Peer{peer: p, wire: http2.NewServer(&cfg, 1)})
	}
}

// event returns the next event of one of the kinds; ok is false when there is none.
func (p *h2Peer) event(kinds ...http2.EventKind) (ev http2.Event, ok bool) {
	for {
		ev, n, err := p.wire.Next(p.in, 1)
		p.in = p.in[n:]
		if err != nil {
			return ev, false
		}
		for _, k := range kinds {
			if ev.Kind == k {
				return ev, true
			}
		}
		if ev.Kind != http2.EventNone {
			continue
		}
		p.flush()
		rest := copy(p.room[:], p.in)
		if n, err = p.Read(p.room[rest:]); err != nil {
			return ev, false
		}
		p.in = p.room[:rest+n]
	}
}

// ask returns the stream of the next request, whose body is over; nil when there is none.
func (p *h2Peer) ask() *http2.Stream {
	for {
		ev, ok := p.event(http2.EventHeaders, http2.EventData, http2.EventTrailers)
		if !ok {
			return nil
		}
		p.wire.Consumed(ev.Stream, len(ev.Data), 1)
		if ev.EndStream {
			p.site.note()
			return ev.Stream
		}
	}
}

// flush sends what was said.
func (p *h2Peer) flush() {
	p.out = p.wire.AppendPending(p.out)
	p.Write(p.out)
	p.out = p.out[:0]
}

// head says the head of an answer.
func (p *h2Peer) head(s *http2.Stream, end bool, fields ...string) {
	p.out = p.wire.BeginHeaders(p.out, s)
	for i := 0; i < len(fields); i += 2 {
		p.out = p.wire.AppendField(p.out, fields[i], fields[i+1])
	}
	p.out = p.wire.EndHeaders(p.out, end)
}

var fineBody = []byte("fine")

// fine answers as nobody has anything against.
func (p *h2Peer) fine(s *http2.Stream) {
	p.head(s, false, ":status", "200", "content-length", "4")
	p.out, _ = p.wire.AppendData(p.out, s, fineBody, true, 1)
	p.wire.Release(s)
}

// answer answers all requests well until the connection ends.
func (p *h2Peer) answer() {
	for s := p.ask(); s != nil; s = p.ask() {
		p.fine(s)
	}
}

// runH2 drives cfg at a site over HTTP/2.
func runH2(t *testing.T, s *site, cfg Config) *account.Result {
	t.Helper()
	cfg.HTTP2 = true
	res := s.run(t, cfg)
	if res.Streams == nil {
		t.Fatal("nothing is told of HTTP/2")
	}
	return res
}

// playH2 serves each connection as talk says, with a server's end of HTTP/2, on loopback.
func playH2(t *testing.T, cfg http2.Config, talk func(p *h2Peer)) *site {
	t.Helper()
	return play(t, talkH2(cfg, talk))
}

// lastWords ends our half and leaves what was said time to arrive: closing at once would reset the connection.
func (p *h2Peer) lastWords() {
	p.flush()
	p.Conn.(*net.TCPConn).CloseWrite()
	p.SetReadDeadline(time.Now().Add(5 * time.Second))
	for _, err := p.Read(make([]byte, 4<<10)); err == nil; _, err = p.Read(make([]byte, 4<<10)) {
	}
}
