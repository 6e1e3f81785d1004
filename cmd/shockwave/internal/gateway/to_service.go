package gateway

import (
	"errors"
	"os"
	"time"

	"github.com/shockwave-go/shockwave/internal/lenframe"
	"github.com/shockwave-go/shockwave/websocket"
)

const (
	joined = 16 << 10 // a length and payload of so many bytes leave in one write
	piece  = 64 << 10 // more leaves in pieces, each of which has Config.Stall
)

// message passes on what the peer has sent, and waits until the service's connection has taken it: so long nothing is read
// from the peer.
func (p *peer) message(_ *websocket.Conn, t websocket.MessageType, b []byte) {
	if t == websocket.TextMessage && !p.g.cfg.Text {
		p.finish(textEnd)
		return
	}
	p.in.Add(int64(len(b)))
	p.touch()
	if p.deaf.Load() {
		return
	}
	err := p.send(b)
	if err == nil {
		return
	}
	p.deaf.Store(true) // how the service has ended is told by reading from it
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.broken = true; errors.Is(err, os.ErrDeadlineExceeded) {
		p.finishLocked(slowEnd)
	}
}

// send writes b as a message.
func (p *peer) send(b []byte) error {
	if p.g.cfg.Raw {
		return p.write(b)
	}
	first := min(len(b), joined-lenframe.HeaderSize)
	buf := websocket.DefaultBufferPool.Get(joined)
	defer websocket.DefaultBufferPool.Put(buf)
	head := append(lenframe.AppendHeader(buf[:0], len(b)), b[:first]...)
	if err := p.write(head); err != nil {
		return err
	}
	return p.write(b[first:])
}

// write writes b piece by piece. A service that takes nothing for Config.Stall has ended.
func (p *peer) write(b []byte) error {
	for len(b) > 0 {
		if d := p.g.cfg.Stall; d > 0 {
			_ = p.service.SetWriteDeadline(time.Now().Add(d))
		}
		n, err := p.service.Write(b[:min(len(b), piece)])
		if b = b[n:]; err != nil && (n == 0 || !errors.Is(err, os.ErrDeadlineExceeded)) {
			return err
		}
	}
	return nil
}

// peerCloses passes a close frame on as the end of what the service is sent. The answer waits for the service's own end.
func (p *peer) peerCloses(_ *websocket.Conn, e *websocket.CloseError) {
	p.mu.Lock()
	p.said = e
	p.note(peerEnd(e))
	p.mu.Unlock()
	p.finishService()
	p.mu.Lock()
	defer p.mu.Unlock()
	if d := p.g.cfg.HalfClose; d > 0 && !p.spoken && p.service != nil {
		p.answer = time.AfterFunc(d, func() { _ = p.ws.Close(e.Code, "") })
		return
	}
	_ = p.ws.Close(e.Code, "")
}

// finishService ends what the service is sent, behind all that was written; if that is not all that it was to have its
// connection will be reset instead. It is called by the peer's goroutine, which is the one that writes.
func (p *peer) finishService() {
	p.mu.Lock()
	service, done := p.service, p.finished || p.cut || p.broken
	p.finished = true
	p.mu.Unlock()
	if service == nil || done {
		return
	}
	if half, ok := service.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
}
