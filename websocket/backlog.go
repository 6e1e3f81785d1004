package websocket

import (
	"sync/atomic"

	"github.com/shockwave-go/shockwave/internal/bufpool"
)

// backlogMemory is what messages hold that wait for peers, of all connections together.
var backlogMemory struct{ used, limit atomic.Int64 }

func init() { backlogMemory.limit.Store(64 << 20) }

// SetBacklogMemory bounds what the backlogs of all connections of the program hold together, in bytes; the default is
// 64 MiB. A prepared message counts once, in however many backlogs it waits. When there is no room for another message, a
// connection whose backlog holds some already does with it what Config.Slow says; one message each connection may always
// keep, and those that drop old ones keep as much as they have. So a thousand peers that read nothing hold 64 MiB and one message each, besides what has been given to their
// connections: 64 KiB or one message that is under way, and as much behind it. It may be called at any time.
func SetBacklogMemory(bytes int64) { backlogMemory.limit.Store(bytes) }

// BacklogMemory returns how much of that is taken. It may be called at any time.
func BacklogMemory() int64 { return backlogMemory.used.Load() }

// size returns how many bytes p sends.
func (p *parcel) size() int {
	if p.shared != nil {
		return len(p.shared.Bytes())
	}
	return len(p.frame)
}

// charge counts p as one that waits, or does no longer.
func (p *parcel) charge(waits bool) {
	switch {
	case p.prepared != nil:
		p.prepared.charge(waits)
	case waits:
		backlogMemory.used.Add(int64(p.size()))
	default:
		backlogMemory.used.Add(-int64(p.size()))
	}
}

// charge counts m once for all backlogs in which it waits.
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

// fits reports whether the program's backlogs have room for p.
func (p *parcel) fits() bool {
	if m := p.prepared; m != nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.waiting > 0 {
			return true
		}
	}
	return backlogMemory.used.Load()+int64(p.size()) <= backlogMemory.limit.Load()
}

// full reports whether c's backlog has no room for p. One message it always has room for, and, where the program's memory is
// what is short, one that takes the place of as many bytes freed. c.mu is held.
func (c *Conn) full(p *parcel, freed int) bool {
	o, size := c.outbox, p.size()
	return o.messages > 0 && (o.messages >= int(c.set.backlog) || o.bytes+int64(size) > c.set.backlogBytes ||
		freed < size && !p.fits())
}

// settle has p, which will wait, hold no more memory than it needs: a lease may be four times as large as what is in it.
func (p *parcel) settle() {
	if cap(p.frame) > 1<<10 && cap(p.frame) > 2*len(p.frame) {
		exact := append(make([]byte, 0, len(p.frame)), p.frame...)
		lease := p.frame
		p.frame = exact
		bufpool.Put(lease)
	}
}
