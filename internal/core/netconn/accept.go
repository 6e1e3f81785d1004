package netconn

import (
	"crypto/tls"
	"log/slog"
	"net"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/netlisten"
)

// Serve accepts connections from l until l fails or the engine ends, and then closes l. With a tlsCfg, every connection
// begins with a TLS handshake. Without it, a handshake is done for TLS connections of the listener that have not done
// theirs. Serve returns ErrShutdown after Shutdown or Close, otherwise the error of l. The error is never nil.
func (e *Engine) Serve(l net.Listener, tlsCfg *tls.Config) error {
	if !e.listen(&l) {
		l.Close()
		return ErrShutdown
	}
	defer e.unlisten(&l)
	if e.cfg.Loop == Auto && netlisten.IsOwn(l) {
		e.ensureLot() // now, while descriptors are available: a hijack inside the latch needs it
	}
	var pause netlisten.Pause
	for {
		if !e.waitRoom() {
			return ErrShutdown
		}
		nc, err := l.Accept()
		switch {
		case err == nil:
			pause.Succeeded()
			e.stats.accepted.Add(1)
			e.start(nc, l, tlsCfg)
		case e.draining.Load():
			return ErrShutdown
		case !netlisten.IsTemporary(err):
			return err
		default:
			e.stats.acceptErrors.Add(1)
			d := pause.Failed()
			e.log.Warn("accept failed", slog.Any("error", err), slog.Duration("pause", d))
			e.waitPause(d)
		}
	}
}

func (e *Engine) listen(l *net.Listener) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.draining.Load() {
		return false
	}
	e.listeners[l] = false
	e.otherUsers++
	return true
}

// unlisten removes l and closes it, unless StopAccepting has closed it.
func (e *Engine) unlisten(l *net.Listener) {
	e.mu.Lock()
	closed := e.listeners[l]
	delete(e.listeners, l)
	if len(e.listeners) == 0 {
		e.handshakers.StopIdle()
	}
	e.otherUsers--
	e.stopIfUnusedLocked()
	e.mu.Unlock()
	if !closed {
		(*l).Close()
	}
}

// waitPause waits for d, or until the engine is ending.
func (e *Engine) waitPause(d time.Duration) {
	over := false
	defer time.AfterFunc(d, func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		over = true
		e.changed.Broadcast()
	}).Stop()
	e.mu.Lock()
	defer e.mu.Unlock()
	for !over && !e.draining.Load() {
		e.changed.Wait()
	}
}

// waitRoom waits until MaxConns allows another connection. It returns false if the engine is ending.
func (e *Engine) waitRoom() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	for e.cfg.MaxConns > 0 && e.count >= e.cfg.MaxConns && !e.draining.Load() {
		e.changed.Wait()
	}
	return !e.draining.Load()
}
