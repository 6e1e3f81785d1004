package gateway

import (
	"errors"
	"os"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/wire/lenframe"
	"github.com/shockwave-go/shockwave/websocket"
)

const copyLimit = 16 << 10 // messages up to this size are copied, so that length and payload leave in one write

// onMessage writes a message to the service. It returns when the service's connection has accepted it; until then
// nothing is read from the peer.
func (p *peer) onMessage(_ *websocket.Conn, t websocket.MessageType, b []byte) {
	if t == websocket.TextMessage && !p.g.cfg.Text {
		p.finish(textEnd)
		return
	}
	p.in.Add(int64(len(b)))
	p.touch()
	if p.serviceFailed.Load() {
		return
	}
	err := p.send(b)
	if err == nil {
		return
	}
	p.serviceFailed.Store(true) // pump learns how the service ended, when it reads from it
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.broken = true; errors.Is(err, os.ErrDeadlineExceeded) {
		p.finishLocked(slowEnd)
	}
}

// send writes b as a message.
func (p *peer) send(b []byte) error {
	if p.g.cfg.Raw {
		_, err := p.service.Write(b)
		return err
	}
	first := min(len(b), copyLimit-lenframe.HeaderSize)
	buf := websocket.DefaultBufferPool.Get(copyLimit)
	defer websocket.DefaultBufferPool.Put(buf)
	head := append(lenframe.AppendHeader(buf[:0], len(b)), b[:first]...)
	if _, err := p.service.Write(head); err != nil || first == len(b) {
		return err
	}
	_, err := p.service.Write(b[first:])
	return err
}

// onPeerClose handles a close frame of the peer: it ends our direction to the service. The close frame is answered when
// the service has ended its direction, or after Config.HalfClose.
func (p *peer) onPeerClose(_ *websocket.Conn, e *websocket.CloseError) {
	p.mu.Lock()
	p.peerClose = e
	p.setEnd(peerEnd(e))
	p.mu.Unlock()
	p.finishService()
	p.mu.Lock()
	defer p.mu.Unlock()
	if d := p.g.cfg.HalfClose; d > 0 && !p.serviceDone && p.service != nil {
		p.answerTimer = clock.AfterFunc(d, func() { _ = p.ws.Close(e.Code, "") })
		return
	}
	_ = p.ws.Close(e.Code, "")
}

// finishService ends our direction to the service, unless the service has missed something: then pump will reset the
// connection. It must be called on the peer's goroutine, the only one that writes to the service.
func (p *peer) finishService() {
	p.mu.Lock()
	service, done := p.service, p.sentFIN || p.cut || p.broken
	p.sentFIN = true
	p.mu.Unlock()
	if service == nil || done {
		return
	}
	if half, ok := service.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
}
