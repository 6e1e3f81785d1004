package netconn

import (
	"context"
	"net"
	"sync"
	"sync/atomic"

	"github.com/shockwave-go/shockwave/internal/bufpool"
)

// gatherFrom is the size from which a write is sent from the caller's memory together with what is pending, instead of
// being copied to the queue.
const gatherFrom = 16 << 10

// output is the queue of what is to be sent. It takes whole units from any goroutine. At any time at most one flusher
// sends; it holds the bytes it took, and what is appended meanwhile goes to a fresh buffer.
type output struct {
	mu      sync.Mutex
	out     []byte      // pending; leased, nil when there is none
	sending bool        // somebody is the flusher
	corked  bool        // Data runs: what is appended leaves when it ends
	closed  bool        // the transport is closed or somebody else's
	end     endPhase    // how far our half of the stream is from its end
	late    atomic.Bool // the clock has been asked to flush
	room    *sync.Cond  // made by the first who must wait for the flusher, or for the turn
	err     error       // what every write fails with from now on
	sender  *sender     // of who waits for the socket, or is alone; made when needed
}

// endPhase says how far the end of our half of the stream is.
type endPhase uint8

const (
	endNone      endPhase = iota
	endSealed             // the last unit has been appended
	endSending            // the last is being sent or could not be sent
	endSent               // the last has been sent, over TLS with its closing alert; the end of the stream follows at once
	endLingering          // the owner reads what the peer still sends; no kick is to disturb it
)

// Unit says what a unit of the output is.
type Unit uint8

const (
	// Whole is a message in one unit. It waits while another one is being written in parts.
	Whole Unit = iota
	// Part is a part of the message whose turn it is, or what may stand between such parts.
	Part
	// Final is what may stand between parts, and the last unit of all: later ones fail with net.ErrClosed.
	Final
)

// Write appends p to the output as one unit. Any goroutine may call it. While Data runs, the output leaves when Data
// ends, waits or calls Flush; else at once. When the queue is full or p is large Write waits for the socket. p is not
// referenced afterwards. After a failed write every write fails with the same error.
func (c *Conn) Write(p []byte) (int, error) {
	if err := c.WriteTwo(nil, p); err != nil {
		return 0, err
	}
	return len(p), nil
}

// WriteTwo appends a and b as one unit, as Write does. a is always copied; a large b is sent from where it is.
func (c *Conn) WriteTwo(a, b []byte) error { return c.WriteUnit(context.Background(), Whole, a, b) }

// WriteUnit is WriteTwo for any unit. While it waits for others it gives up when ctx ends, with ctx's error, and nothing
// has been written. What has begun to leave leaves whole.
func (c *Conn) WriteUnit(ctx context.Context, u Unit, a, b []byte) error {
	held, err := c.writeUnit(ctx, u, a, b)
	if held && c.eng.cfg.FlushLate {
		c.FlushSoon()
	}
	return err
}

// writeUnit is WriteUnit; held says that the unit waits for the end of Data.
func (c *Conn) writeUnit(ctx context.Context, u Unit, a, b []byte) (held bool, err error) {
	c.lock()
	defer c.unlock()
	for c.err == nil {
		if c.end != endNone {
			return false, net.ErrClosed
		}
		full := c.full(len(a) + len(b))
		switch {
		case c.parted && u == Whole, c.sending && (full || len(b) >= gatherFrom):
			if err := c.await(ctx); err != nil {
				return false, err
			}
		case len(b) >= gatherFrom:
			c.append(u, a, nil)
			return false, c.flushLocked(b, false)
		case full:
			c.flushLocked(nil, false)
		default:
			c.append(u, a, b)
			if !c.corked && !c.sending {
				return false, c.flushLocked(nil, false)
			}
			return c.corked, nil
		}
	}
	return false, c.err
}

// full tells whether the queue has no room for a unit of size bytes; c.mu is held.
func (c *Conn) full(size int) bool { return len(c.out) > 0 && len(c.out)+size > c.eng.cfg.WriteBuffer }

func (c *Conn) append(u Unit, a, b []byte) {
	if u == Final {
		c.end = endSealed
		c.wakeWriters()
	}
	if c.out == nil && len(a)+len(b) > 0 {
		c.out = bufpool.Get(max(len(a)+len(b), gatherFrom/4))[:0]
	}
	if need := len(c.out) + len(a) + len(b); need > cap(c.out) {
		used := len(c.out)
		c.out = bufpool.Grow(c.out, need)[:used]
	}
	c.out = append(append(c.out, a...), b...)
}

// Flush sends what is pending and returns when it has left. Any goroutine may call it.
func (c *Conn) Flush() error {
	c.lock()
	defer c.unlock()
	for c.err == nil && c.sending {
		c.waitRoom()
	}
	if c.err == nil && len(c.out) > 0 {
		c.flushLocked(nil, false)
	}
	return c.err
}

// drain waits until nothing is pending and nobody sends; c.mu is held.
func (c *Conn) drain() error {
	for c.err == nil && (c.sending || len(c.out) > 0) {
		if c.sending {
			c.waitRoom()
		} else {
			c.flushLocked(nil, false)
		}
	}
	return c.err
}

// FlushSoon says that Data goes on for an unknown time: what is pending now leaves within a tick even if Data still
// runs.
func (c *Conn) FlushSoon() {
	if !c.late.Load() && c.Pending() > 0 {
		c.late.Store(true)
		c.eng.clock.flushAtTick(c)
	}
}

// flushLate is the clock's call.
func (c *Conn) flushLate() {
	c.late.Store(false)
	c.Flush()
}

// Pending tells how many bytes of output the queue holds. Any goroutine may call it.
func (c *Conn) Pending() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.out)
}

// cork keeps what is appended until uncork.
func (c *Conn) cork() {
	c.lock()
	c.corked = true
	c.unlock()
}

// uncork ends a run of Data: what is pending leaves, in one write. last says that it was the last run.
func (c *Conn) uncork(last bool) error {
	c.lock()
	defer c.unlock()
	c.corked = false
	if c.err == nil && !c.sending && len(c.out) > 0 {
		if last {
			c.flushLast()
		} else {
			c.flushLocked(nil, true)
		}
	}
	return c.err
}

// phase tells how far our half of the stream is from its end. Any goroutine may call it.
func (c *Conn) phase() endPhase {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.end
}

// flushLast sends what is pending so that the end of the stream, which follows at once, can travel with it. Whoever
// still wants to append is told that the connection is closed. It is the owner's; as flushLocked's, its caller holds c.mu.
func (c *Conn) flushLast() {
	batch := c.out
	c.out, c.sending, c.end, c.err = nil, true, endSending, net.ErrClosed
	c.final = true
	c.mu.Unlock()
	err := c.send(&leaving{p: batch}, c.latched)
	c.mu.Lock()
	bufpool.Put(batch)
	c.sending = false
	if err == nil {
		c.end = endSent
	} else {
		c.err = err
	}
	c.wakeWriters()
}

// flushLocked makes the caller the flusher: it sends what is pending, then rest, then what was appended meanwhile
// unless Data holds it back. There must be no flusher. c.mu is held, but not while the socket works. onLoop says that
// the caller is the connection's goroutine, between runs of Data.
func (c *Conn) flushLocked(rest []byte, onLoop bool) error {
	c.sending = true
	for {
		batch := c.out
		c.out = nil
		c.mu.Unlock()
		err := c.send(&leaving{batch, rest}, onLoop && c.latched)
		c.mu.Lock()
		if batch != nil {
			bufpool.Put(batch)
		}
		if err != nil && c.err == nil {
			c.err = err
			go c.kick() // the owner may be waiting for input that will never come
		}
		if c.err != nil || len(c.out) == 0 || c.corked {
			break
		}
		rest = nil
	}
	c.endFlush(nil)
	return c.err
}

// waitRoom waits until the flusher has finished.
func (c *Conn) waitRoom() {
	if c.room == nil {
		c.room = sync.NewCond(&c.mu)
	}
	c.room.Wait()
	if c.alone {
		c.bar() // it has perhaps been opened meanwhile
	}
}

// WriteError returns what every write fails with, nil while writing works. Any goroutine may call it.
func (c *Conn) WriteError() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}
