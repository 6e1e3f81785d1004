package gateway

import (
	"io"
	"unicode/utf8"

	"github.com/shockwave-go/shockwave/websocket"
)

// pump passes on what the service sends, until either side has ended. It closes the service's connection when both
// have.
func (p *peer) pump() {
	defer p.connEnded()
	reads := p.serviceEnds(p.relay())
	<-p.peerGone
	p.mu.Lock()
	lost := p.cut || p.broken
	p.mu.Unlock()
	if lost {
		reset(p.service)
		return
	}
	if reads { // closing with unread input would reset the connection and destroy data that the service has not read
		_, _ = io.Copy(io.Discard, p.service)
	}
	p.service.Close()
}

// serviceEnds ends our direction to the peer; err is why nothing more is relayed. It reports whether there may be more
// to read from the service.
func (p *peer) serviceEnds(err error) (reads bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.serviceDone = true
	e := serviceEnd(err)
	if e != nil && e.Code != websocket.CloseNormal {
		p.finishLocked(*e)
		return false
	}
	switch {
	case p.peerClose != nil:
		_ = p.ws.Close(p.peerClose.Code, "")
	case e != nil:
		p.setEnd(*e)
		_ = p.ws.CloseWrite(e.Code, e.Text)
	case p.stopping:
		p.setEnd(goingAway)
		_ = p.ws.CloseWrite(goingAway.Code, "")
	}
	return e == nil
}

// relay passes on what the service sends until an error, which it returns. The error is io.EOF if the stream ended
// between two messages.
func (p *peer) relay() error {
	var in readBuffer
	defer in.free()
	f := messageReader{p: p}
	f.r.MaxMessage = p.g.cfg.MaxMessage
	take, ended := f.take, f.ended
	if p.g.cfg.Raw {
		take, ended = p.deliver, func(err error) error { return err }
	}
	for {
		n, err := p.service.Read(in.space())
		if n > 0 {
			if refused := take(in.filled(n)); refused != nil {
				return refused
			}
		}
		if err != nil {
			return ended(err)
		}
	}
}

// deliver writes b to the peer as a message. It returns when the peer's connection has accepted it; until then nothing
// is read from the service.
func (p *peer) deliver(b []byte) error {
	t := websocket.BinaryMessage
	if p.g.cfg.Text {
		if t = websocket.TextMessage; !utf8.Valid(b) {
			return errNotText
		}
	}
	if err := p.ws.WriteMessage(t, b); err != nil {
		return errPeerOver
	}
	p.out.Add(int64(len(b)))
	p.touch()
	return nil
}
