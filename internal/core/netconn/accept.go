package netconn

import (
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"syscall"
	"time"
)

// Limits of the pause after an accept that failed for lack of descriptors or memory.
const (
	minAcceptPause = 5 * time.Millisecond
	maxAcceptPause = time.Second
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
	if e.cfg.Loop == Auto && isOwn(l) {
		e.ensureLot() // now, while descriptors are available: a hijack inside the latch needs it
	}
	pause := time.Duration(0)
	for {
		if !e.waitRoom() {
			return ErrShutdown
		}
		nc, err := l.Accept()
		switch {
		case err == nil:
			pause = 0
			e.stats.accepted.Add(1)
			e.accept(nc, l, tlsCfg)
		case e.draining.Load():
			return ErrShutdown
		case !isTemporary(err):
			return err
		default:
			e.stats.acceptErrors.Add(1)
			pause = min(max(2*pause, minAcceptPause), maxAcceptPause)
			e.cfg.Logger.Warn("accept failed", slog.Any("error", err), slog.Duration("pause", pause))
			e.waitPause(pause)
		}
	}
}

// isTemporary reports whether an accept error may go away: descriptors or memory ran out, or the peer left the listen
// queue.
func isTemporary(err error) bool {
	for _, errno := range []syscall.Errno{
		syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.ECONNABORTED, syscall.EINTR,
	} {
		if errors.Is(err, errno) {
			return true
		}
	}
	var ne net.Error
	//lint:ignore SA1019 Temporary means just this, for listeners that are not sockets.
	return errors.As(err, &ne) && ne.Temporary()
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
		e.handshakers.stopIdle()
	}
	e.otherUsers--
	e.stopIfUnused()
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
