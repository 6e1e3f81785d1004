package gateway

import (
	"io"
	"unicode/utf8"

	"github.com/shockwave-go/shockwave/websocket"
)

// pump passes on what the service says, until either side has ended, and closes the service's connection when both have.
func (p *peer) pump() {
	defer p.part()
	reads := p.serviceEnds(p.relay())
	<-p.over
	p.mu.Lock()
	lost := p.cut || p.broken
	p.mu.Unlock()
	if lost {
		reset(p.service)
		return
	}
	if reads { // what it still says would have its connection reset, and with that what it has not taken
		_, _ = io.Copy(io.Discard, p.service)
	}
	p.service.Close()
}

// serviceEnds ends what the peer is sent: nothing more is relayed, because of err. It reports whether there may be more to
// read from the service.
func (p *peer) serviceEnds(err error) (reads bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.spoken = true
	e := serviceEnd(err)
	if e != nil && e.Code != websocket.CloseNormal {
		p.finishLocked(*e)
		return false
	}
	switch {
	case p.said != nil:
		_ = p.ws.Close(p.said.Code, "")
	case e != nil:
		p.note(*e)
		_ = p.ws.CloseWrite(e.Code, e.Text)
	case p.leaving:
		p.note(goingAway)
		_ = p.ws.CloseWrite(goingAway.Code, "")
	}
	return e == nil
}

// relay passes on what the service says until it has ended or the peer takes no more, and returns why: io.EOF if that is the
// end of the stream between two messages.
func (p *peer) relay() error {
	var in intake
	defer in.free()
	f := frames{p: p}
	f.r.MaxMessage = p.g.cfg.MaxMessage
	take, ended := f.take, f.ended
	if p.g.cfg.Raw {
		take, ended = p.deliver, func(err error) error { return err }
	}
	for {
		n, err := p.service.Read(in.room())
		if n > 0 {
			if refused := take(in.read(n)); refused != nil {
				return refused
			}
		}
		if err != nil {
			return ended(err)
		}
	}
}

// deliver writes b to the peer as a message, and waits until its connection has taken it: so long nothing is read from the
// service.
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
