package sharedport

import (
	"errors"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/ipv4"
	"golang.org/x/sys/unix"
)

// conn is the socket of a shared port that QUIC reads. It passes on packets of other processes' connections,
// and returns those that other processes pass on to it.
//
//	socket ─► ReadBatch ─► whose? ─► ours, or of no live process ─► QUIC
//	              ▲           └────► peers ─► another process
//	              └── queue ◄── inbox ◄── another process
//
// One goroutine reads. It waits for the socket; a goroutine that puts a packet into the queue meanwhile interrupts it with a
// deadline.
type conn struct {
	*net.UDPConn
	batch   *ipv4.PacketConn
	keys    *keyring
	process uint16
	peers   *peers

	draining  atomic.Bool // new connections are for others
	fromQueue bool        // the queue goes first, the next time; the reader's

	mu       sync.Mutex
	queue    []*passed
	spare    []*passed // to be used again
	waiting  bool      // the reader waits, or is about to, and the queue is empty
	woken    bool      // the socket's deadline is there only to interrupt the reader
	deadline time.Time // of QUIC's
}

// maxQueued is the most packets from other processes that wait for the reader. Further ones are dropped, as in a socket's buffer.
const maxQueued = 1024

func newConn(pc *net.UDPConn, keys *keyring, process uint16, peers *peers) *conn {
	return &conn{UDPConn: pc, batch: ipv4.NewPacketConn(pc), keys: keys, process: process, peers: peers}
}

// ReadBatch implements the interface by which QUIC reads several packets at once. It returns at least one, or an error.
func (c *conn) ReadBatch(ms []ipv4.Message, flags int) (int, error) {
	for {
		queued := c.beginRead()
		if queued && c.fromQueue {
			c.fromQueue = false
			if n := c.take(ms); n > 0 {
				return n, nil
			}
			continue
		}
		c.fromQueue = true
		if queued {
			flags |= unix.MSG_DONTWAIT
		} else {
			flags &^= unix.MSG_DONTWAIT
		}
		n, err := c.batch.ReadBatch(ms, flags)
		interrupted := c.endRead()
		switch {
		case err == nil:
			if n = c.sort(ms[:n]); n > 0 {
				return n, nil
			}
		case queued && errors.Is(err, unix.EAGAIN):
		case interrupted && errors.Is(err, os.ErrDeadlineExceeded):
		default:
			return 0, err
		}
	}
}

// beginRead reports whether the queue has a packet. If not, the reader is interrupted when one arrives.
func (c *conn) beginRead() (queued bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.woken {
		c.woken = false
		c.UDPConn.SetReadDeadline(c.deadline)
	}
	c.waiting = len(c.queue) == 0
	return !c.waiting
}

// endRead reports whether the reader was interrupted.
func (c *conn) endRead() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting = false
	return c.woken
}

// SetReadDeadline sets the deadline of reads, including those that wait.
func (c *conn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deadline, c.woken = t, false
	return c.UDPConn.SetReadDeadline(t)
}

// put puts a copy of a packet into the queue, if there is room.
func (c *conn) put(p *passed) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.queue) >= maxQueued {
		return
	}
	q := new(passed)
	if n := len(c.spare); n > 0 {
		q, c.spare = c.spare[n-1], c.spare[:n-1]
	}
	q.from, q.control, q.packet = p.from, append(q.control[:0], p.control...), append(q.packet[:0], p.packet...)
	c.queue = append(c.queue, q)
	if c.waiting {
		c.waiting, c.woken = false, true
		c.UDPConn.SetReadDeadline(past)
	}
}

// take takes packets from the queue.
func (c *conn) take(ms []ipv4.Message) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := min(len(ms), len(c.queue))
	for i, p := range c.queue[:n] {
		m := &ms[i]
		m.Addr, m.Flags = p.from, 0
		m.N, m.NN = copy(m.Buffers[0], p.packet), copy(m.OOB, p.control)
		if len(c.spare) < maxSpare {
			c.spare = append(c.spare, p)
		}
	}
	rest := copy(c.queue, c.queue[n:])
	clear(c.queue[rest:])
	c.queue = c.queue[:rest]
	return n
}

// maxSpare is for how many packets memory is kept.
const maxSpare = 64

// sort passes on the packets of other processes, and moves the rest to the front. It returns the number of the rest.
func (c *conn) sort(ms []ipv4.Message) int {
	kept := 0
	for i := range ms {
		m := &ms[i]
		if c.passOn(m) {
			continue
		}
		if to := &ms[kept]; to != m { // the buffers stay where they are: QUIC knows them by their place
			to.N, to.NN = copy(to.Buffers[0], m.Buffers[0][:m.N]), copy(to.OOB, m.OOB[:m.NN])
			to.Addr, to.Flags = m.Addr, m.Flags
		}
		kept++
	}
	return kept
}

// passOn passes a packet on to the process that has its connection. It returns false if that is this process, or none: then the
// client gets a stateless reset.
func (c *conn) passOn(m *ipv4.Message) bool {
	b := m.Buffers[0][:m.N]
	process, ok := processOf(c.keys.id, destination(b))
	from, isUDP := m.Addr.(*net.UDPAddr)
	switch {
	case !isUDP, ok && process == c.process:
		return false
	case ok:
		return c.peers.send(process, &passed{from, m.OOB[:m.NN], b})
	case c.draining.Load():
		first := newConnection(b)
		return first != nil && c.peers.sendNew(c.process, first, &passed{from, m.OOB[:m.NN], b})
	}
	return false
}

// takes reports whether to accept a packet that another process has passed on: it belongs to one of our connections, or begins one.
func (c *conn) takes(packet []byte) bool {
	if process, ok := processOf(c.keys.id, destination(packet)); ok {
		return process == c.process
	}
	return newConnection(packet) != nil && !c.draining.Load()
}

var past = time.Unix(1, 0)
