package httpclient

import (
	"slices"
	"sync"
	"sync/atomic"
)

// room counts the connections to all hosts, and makes the pools wait that MaxConns keeps from opening one.
type room struct {
	most   int64        // MaxConns; no limit if it is not positive
	make   func()       // makes room, on a goroutine of its own: it closes an idle connection if there is one
	opened atomic.Int64 // connections, including those being opened

	mu      sync.Mutex
	blocked []blockedPool // the one that has waited longest first
}

// blockedPool is a pool in the queue for room.
type blockedPool interface {
	// roomFree is called when another connection may be opened and the pool has been taken from the head of the queue.
	roomFree()
}

// reserve counts another connection if most allows it. Otherwise it puts p in the queue, unless queued says that it is there
// already. Pools in the queue come first; first is true when p has just been taken from its head.
func (r *room) reserve(p blockedPool, queued *bool, first bool) bool {
	if r.most <= 0 {
		r.opened.Add(1)
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if (first || len(r.blocked) == 0) && r.opened.Load() < r.most {
		r.opened.Add(1)
		return true
	}
	if !*queued {
		*queued = true
		r.blocked = append(r.blocked, p)
		go r.make()
	}
	return false
}

// connEnded is called when a connection has ended.
func (r *room) connEnded() {
	r.opened.Add(-1)
	r.unblock()
}

// unblock lets pools in the queue open connections while most allows it, the pool that has waited longest first. That
// pool's waiters may have been served by other connections meanwhile; then it is the next pool's turn.
func (r *room) unblock() {
	for p := r.pop(); p != nil; p = r.pop() {
		p.roomFree()
	}
}

// pop removes the pool that has waited longest from the queue, if most allows another connection. Otherwise it returns nil.
func (r *room) pop() blockedPool {
	if r.most <= 0 {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.blocked) == 0 || r.opened.Load() >= r.most {
		return nil
	}
	p := r.blocked[0]
	r.blocked = slices.Delete(r.blocked, 0, 1)
	return p
}

// anyBlocked reports whether a pool waits for connections of other pools to end.
func (r *room) anyBlocked() bool {
	if r.most <= 0 {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.blocked) > 0
}
