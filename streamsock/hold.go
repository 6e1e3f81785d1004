package streamsock

import (
	"sync"
	"sync/atomic"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
)

// hold counts the messages that share a piece of memory.
type hold struct {
	shared *bufpool.Shared // the read buffer they lie in, or
	lease  []byte
	left   atomic.Int32
}

var holds = sync.Pool{New: func() any { return new(hold) }}

// newHold returns a hold for n messages.
func newHold(shared *bufpool.Shared, lease []byte, n int) *hold {
	h := holds.Get().(*hold)
	h.shared, h.lease = shared, lease
	h.left.Store(int32(n))
	return h
}

func (h *hold) release() {
	if h.left.Add(-1) > 0 {
		return
	}
	if h.shared != nil {
		h.shared.Release()
	}
	bufpool.Put(h.lease)
	h.shared, h.lease = nil, nil
	holds.Put(h)
}
