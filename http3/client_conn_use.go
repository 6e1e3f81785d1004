package http3

import "time"

// usable reports whether the connection takes requests.
func (k *clientConn) usable() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return !k.retired && !k.gone && !k.qc.hasEnded()
}

// reserve notes a request that is about to begin. ok is false if no more are taken. reused reports whether there was one before.
func (k *clientConn) reserve() (reused, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.retired || k.gone || k.qc.hasEnded() {
		return false, false
	}
	reused, k.used = k.used, true
	k.open++
	k.beat()
	if k.idle != nil {
		k.idle.Stop()
	}
	return reused, true
}

// leave notes that a request has ended. x is nil if it has not begun.
func (k *clientConn) leave(x *clientExchange) {
	k.mu.Lock()
	if x != nil {
		delete(k.streams, x.str.id())
	}
	k.open--
	last := k.open == 0 && (k.retired || k.gone)
	if k.open == 0 {
		k.idleSince = time.Now()
		if k.idle != nil && !last {
			k.idle.Reset(k.cl.idleTimeout)
		}
	}
	k.mu.Unlock()
	if last {
		k.end(errIdleClosed)
	}
}

// retire has the connection take no more requests. It ends when those that there are have ended.
func (k *clientConn) retire() {
	k.mu.Lock()
	k.retired = true
	last := k.open == 0
	k.mu.Unlock()
	k.cl.pool.remove(k)
	if last {
		k.end(errIdleClosed)
	}
}

// idleTooLong is called when the connection may have been idle for too long.
func (k *clientConn) idleTooLong() {
	k.mu.Lock()
	long := k.open == 0 && !k.retired && time.Since(k.idleSince) >= k.cl.idleTimeout
	k.retired = k.retired || long
	k.mu.Unlock()
	if long {
		k.end(errIdleClosed)
	}
}

// closeIfIdle ends the connection if it has no requests.
func (k *clientConn) closeIfIdle() {
	k.mu.Lock()
	idle := k.open == 0
	k.retired = k.retired || idle
	k.mu.Unlock()
	if idle {
		k.end(errIdleClosed)
	}
}
