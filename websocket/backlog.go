package websocket

import (
	"sync/atomic"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
)

// backlogMemory counts the bytes of the messages in all backlogs.
var backlogMemory struct{ used, limit atomic.Int64 }

func init() { backlogMemory.limit.Store(64 << 20) }

// SetBacklogMemory bounds the total size of the backlogs of all connections in the program, in bytes; the default is 64
// MiB. A prepared message counts once, however many backlogs it waits in. When there is no room for a message,
// Config.Slow decides what its connection does with it. Each connection may always keep one message, and a connection
// that drops old messages for new ones may keep as many bytes as it has. So a thousand peers that read nothing cost 64
// MiB and one message each, besides what was moved to their output queues: for each 64 KiB or one message being sent,
// and as much behind it. SetBacklogMemory may be called at any time.
func SetBacklogMemory(bytes int64) { backlogMemory.limit.Store(bytes) }

// BacklogMemory returns the current total size of all backlogs in bytes. It may be called at any time.
func BacklogMemory() int64 { return backlogMemory.used.Load() }

// size returns the length of p's frame.
func (p *outboxItem) size() int {
	if p.shared != nil {
		return len(p.shared.Bytes())
	}
	return len(p.frame)
}

// charge adds p to backlogMemory when it starts to wait, and takes it off when it stops.
func (p *outboxItem) charge(waits bool) {
	switch {
	case p.prepared != nil:
		p.prepared.charge(waits)
	case waits:
		backlogMemory.used.Add(int64(p.size()))
	default:
		backlogMemory.used.Add(-int64(p.size()))
	}
}

// charge counts m once, however many backlogs it waits in.
func (m *PreparedMessage) charge(waits bool) {
	size := int64(len(m.plain.Bytes()))
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case waits:
		if m.waiting++; m.waiting == 1 {
			backlogMemory.used.Add(size)
		}
	default:
		if m.waiting--; m.waiting == 0 {
			backlogMemory.used.Add(-size)
		}
	}
}

// fits reports whether backlogMemory has room for p.
func (p *outboxItem) fits() bool {
	if m := p.prepared; m != nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.waiting > 0 {
			return true
		}
	}
	return backlogMemory.used.Load()+int64(p.size()) <= backlogMemory.limit.Load()
}

// full reports whether c's backlog has no room for p. There is always room for one message. freed is the size of the
// messages dropped for p: if only backlogMemory is short, p may take their place. c.mu must be held.
func (c *Conn) full(p *outboxItem, freed int) bool {
	o, size := c.outbox, p.size()
	return o.messages > 0 && (o.messages >= int(c.cfg.backlog) || o.bytes+int64(size) > c.cfg.backlogBytes ||
		freed < size && !p.fits())
}

// shrink moves p's frame to a slice of its size if its buffer from the pool is much larger: p may wait for a long time.
func (p *outboxItem) shrink() {
	if cap(p.frame) > 1<<10 && cap(p.frame) > 2*len(p.frame) {
		exact := append(make([]byte, 0, len(p.frame)), p.frame...)
		pooled := p.frame
		p.frame = exact
		bufpool.Put(pooled)
	}
}
