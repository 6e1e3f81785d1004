package clientconn

import (
	"context"
	"time"

	"github.com/shockwave-go/shockwave/http3/internal/quicconn"
	"github.com/shockwave-go/shockwave/internal/join/carrier"
)

// Usable reports whether the connection accepts requests.
func (k *Conn) Usable() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.usableLocked()
}

func (k *Conn) usableLocked() bool { return k.requests.state == takes && !k.qc.HasEnded() }

// Reserve counts a request that is about to begin: Begin or Leave comes next. ok is false if no more are accepted. reused reports whether
// there was a request before.
func (k *Conn) Reserve() (reused, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.usableLocked() {
		return false, false
	}
	reused = k.requests.reserve()
	if k.pulse.mayBegin() && k.pulse.begin(k.qc.PacketsReceived()) {
		if k.looks == nil {
			k.looks = time.AfterFunc(k.pulse.pace(), k.look)
		} else {
			k.looks.Reset(k.pulse.pace())
		}
	}
	if k.idle != nil {
		k.idle.Stop()
	}
	return reused, true
}

// Leave gives up a reserved request that does not begin.
func (k *Conn) Leave() { k.leave(nil) }

// leave records that a request has ended. x is nil if it has not begun.
func (k *Conn) leave(x *exchange) {
	k.mu.Lock()
	k.requests.remove(x)
	over := k.requests.isOver()
	if k.requests.open == 0 {
		k.idleSince = time.Now()
		if k.idle != nil && !over {
			k.idle.Reset(k.cfg.IdleTimeout)
		}
	}
	k.mu.Unlock()
	k.endIf(over)
}

// endIf ends a connection that is of no further use.
func (k *Conn) endIf(over bool) {
	if over {
		k.End(errIdleClosed)
	}
}

// Retire makes the connection refuse further requests. It ends when the present ones have ended.
func (k *Conn) Retire() {
	k.mu.Lock()
	k.requests.retire()
	over := k.requests.isOver()
	k.mu.Unlock()
	k.pool.Remove(k)
	k.endIf(over)
}

// idleTooLong is called when the connection may have been idle for IdleTimeout.
func (k *Conn) idleTooLong() { k.closeIfIdle(k.cfg.IdleTimeout) }

// CloseIfIdle ends the connection if it has no requests.
func (k *Conn) CloseIfIdle() { k.closeIfIdle(0) }

// closeIfIdle ends the connection if it has had no requests for the given time.
func (k *Conn) closeIfIdle(long time.Duration) {
	k.mu.Lock()
	idle := k.requests.open == 0 && (long == 0 || k.requests.state != retired && time.Since(k.idleSince) >= long)
	if idle {
		k.requests.retire()
	}
	k.mu.Unlock()
	k.endIf(idle)
}

// goAway handles the server's GOAWAY: requests from stream id on are not processed, and no more are accepted (RFC 9114 §5.2).
func (k *Conn) goAway(id uint64) {
	k.mu.Lock()
	out := k.requests.goAway(id)
	over := k.requests.isOver()
	k.mu.Unlock()
	k.pool.Remove(k)
	k.noteAway()
	for _, x := range out {
		x.leftOut()
	}
	k.endIf(over)
}

// look checks the pulse.
func (k *Conn) look() {
	k.mu.Lock()
	if k.requests.open == 0 || k.err != nil {
		k.pulse.rest()
		k.mu.Unlock()
		return
	}
	state := k.pulse.look(k.qc.PacketsReceived(), func() bool { return k.greeted.Load() && k.ctl.WriteAll(blank) })
	if state != lost {
		k.looks.Reset(k.pulse.pace())
	}
	k.mu.Unlock()
	if state == lost {
		k.End(&brokenError{errSilent})
	}
}

// awaitHandshake waits until the handshake is complete, if r must not be sent before.
func (k *Conn) awaitHandshake(ctx context.Context, r *carrier.ClientRequest) error {
	if k.qc.IsHandshaken() {
		return nil
	}
	ctx, cancel := Bound(ctx, r)
	defer cancel()
	select {
	case <-k.qc.Handshaken():
		return nil
	case <-k.qc.Ended():
		return &unprocessedError{k.noteEnd(k.qc.WhyEnded())}
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Bound returns the context that bounds a wait of r.
func Bound(ctx context.Context, r *carrier.ClientRequest) (context.Context, context.CancelFunc) {
	if r.Waits == nil {
		return ctx, func() {}
	}
	return r.Waits(ctx)
}

// openStream opens the stream of a reserved request. It waits while the server allows no more streams.
func (k *Conn) openStream(ctx context.Context, r *carrier.ClientRequest) (quicconn.Stream, error) {
	s, full, err := k.qc.Open()
	if full {
		ctx, cancel := Bound(ctx, r)
		defer cancel()
		wait, stop := context.WithCancelCause(ctx)
		defer stop(nil)
		defer context.AfterFunc(k.goingAway, func() { stop(errGoAway) })()
		if s, err = k.qc.OpenWhenFree(wait); err != nil && ctx.Err() != nil {
			return s, context.Cause(ctx)
		} else if err != nil && k.isAway() {
			return s, &unprocessedError{errGoAway}
		}
	}
	if err != nil {
		return s, &unprocessedError{k.noteEnd(err)}
	}
	return s, nil
}

func (k *Conn) isAway() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.requests.state == away
}

// add records a request that begins. It returns false if the server is going away.
func (k *Conn) add(x *exchange) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.requests.add(x)
}

// answered records that the head of a response has arrived.
func (k *Conn) answered() {
	k.mu.Lock()
	k.requests.heads++
	k.mu.Unlock()
}

// unanswered reports whether the connection has ended, without GOAWAY and without the head of any response since x began: the server may
// have ended it before the request arrived.
func (k *Conn) unanswered(x *exchange) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.err != nil && k.requests.heads == x.headsBefore && k.requests.state != away
}
