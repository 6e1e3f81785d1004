package webtransport

import (
	"context"
	"sync"
)

// queue holds items that have arrived and were not taken yet.
type queue[T any] struct {
	mu      sync.Mutex
	items   []T
	most    int // beyond it the oldest are dropped; 0: no limit
	dropped int64
	closed  bool
	some    chan struct{} // holds a token when there are items
}

func newQueue[T any](most int) *queue[T] { return &queue[T]{most: most, some: make(chan struct{}, 1)} }

// put adds an item. It returns false if the queue is closed.
func (q *queue[T]) put(item T) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	if q.most > 0 && len(q.items) >= q.most {
		q.items = append(q.items[:0], q.items[1:]...)
		q.dropped++
	}
	q.items = append(q.items, item)
	q.signalLocked()
	return true
}

// signalLocked wakes one waiting goroutine.
func (q *queue[T]) signalLocked() {
	select {
	case q.some <- struct{}{}:
	default:
	}
}

// take waits for the next item, until ctx or the session, whose context is over, ends.
func (q *queue[T]) take(ctx, over context.Context) (item T, err error) {
	for {
		q.mu.Lock()
		if len(q.items) > 0 {
			item, q.items[0] = q.items[0], item
			if q.items = q.items[1:]; len(q.items) > 0 {
				q.signalLocked()
			}
			q.mu.Unlock()
			return item, nil
		}
		q.mu.Unlock()
		select {
		case <-q.some:
		case <-over.Done():
			return item, context.Cause(over)
		case <-ctx.Done():
			return item, context.Cause(ctx)
		}
	}
}

// close empties the queue and refuses further items.
func (q *queue[T]) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.items, q.closed = nil, true
}

// count returns how many items were dropped.
func (q *queue[T]) count() int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.dropped
}
