package http3

import (
	"context"
	"time"

	"github.com/shockwave-go/shockwave/internal/join/carrier"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// controlEvent implements streamOwner.
func (k *clientConn) controlEvent(ev *h3frame.Event) {
	switch ev.Type {
	case h3frame.Settings:
		k.mu.Lock()
		k.settings, k.settled = ev.Settings, true
		k.mu.Unlock()
		return
	case h3frame.GoAway:
		k.goAway(ev.ID)
	}
	k.charge(costControl)
}

// goAway handles the server's GOAWAY: requests from stream id on are not processed, and no more are taken (RFC 9114 §5.2).
func (k *clientConn) goAway(id uint64) {
	var left []*clientExchange
	k.mu.Lock()
	k.gone, k.goneAt = true, id
	for at, x := range k.streams {
		if at >= id {
			left = append(left, x)
		}
	}
	last := k.open == 0
	k.mu.Unlock()
	k.cl.pool.remove(k)
	k.noteAway()
	for _, x := range left {
		x.leftOut()
	}
	if last {
		k.end(errIdleClosed)
	}
}

// charge implements streamOwner.
func (k *clientConn) charge(cost int32) {
	if k.cl.budget < 0 {
		return
	}
	k.mu.Lock()
	ok := k.budget.Pay(cost, int64(time.Since(k.began)))
	k.mu.Unlock()
	if !ok {
		k.fail(errCalm)
	}
}

// earn notes progress: units, and bytes of content that were delivered.
func (k *clientConn) earn(units int32, bytes int) {
	k.mu.Lock()
	k.budget.Earn(units)
	k.budget.Deliver(bytes)
	k.mu.Unlock()
}

// openStream opens the stream of a request that was reserved. It waits while the server allows no more.
func (k *clientConn) openStream(ctx context.Context, r *carrier.ClientRequest) (quicStream, error) {
	s, full, err := k.qc.open()
	if full {
		ctx, cancel := bound(ctx, r)
		defer cancel()
		wait, stop := context.WithCancelCause(ctx)
		defer stop(nil)
		defer context.AfterFunc(k.goingAway, func() { stop(errGoAway) })()
		if s, err = k.qc.openWhenFree(wait); err != nil && ctx.Err() != nil {
			return s, context.Cause(ctx)
		} else if err != nil && k.isGone() {
			return s, &unprocessedError{errGoAway}
		}
	}
	if err != nil {
		return s, &unprocessedError{k.noteEnd(err)}
	}
	return s, nil
}

func (k *clientConn) isGone() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.gone
}

// add notes a request that begins. It fails if the server is going away.
func (k *clientConn) add(x *clientExchange) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.gone {
		return &unprocessedError{errGoAway}
	}
	k.streams[x.str.id()] = x
	x.headsBefore = k.heads
	return nil
}

// answered notes that the head of a response has come.
func (k *clientConn) answered() {
	k.mu.Lock()
	k.heads++
	k.mu.Unlock()
}

// unanswered reports whether the connection has ended, without GOAWAY and without the head of any response since x began: the server may
// have ended it before the request came.
func (k *clientConn) unanswered(x *clientExchange) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.err != nil && k.heads == x.headsBefore && !k.gone
}
