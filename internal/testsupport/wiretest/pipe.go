package wiretest

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Config configures one end of a pipe. The zero Config holds 64 KiB and does not split.
type Config struct {
	// Buffer is how many unread bytes the end holds before writes to it wait. Default 64 KiB.
	Buffer int
	// Split splits what this end reads. By default a read returns what is there.
	Split Split
	// Addr is the end's address. By default it is a name.
	Addr net.Addr
}

// Pipe returns the two ends of a connection in memory. It behaves as TCP does: each end buffers, half close works,
// deadlines work, and an end that is closed with unread bytes, or written to after it was closed, resets the
// connection. A reset always discards what the other end has not read, which real systems may or may not do.
func Pipe(near, far Config) (*Conn, *Conn) {
	p := &pipe{}
	p.changed.L = &p.mu
	a, b := newConn(p, near), newConn(p, far)
	a.peer, b.peer = b, a
	a.local, b.local = near.address("near"), far.address("far")
	a.remote, b.remote = b.local, a.local
	return a, b
}

// address returns Addr, or name if that is nil.
func (cfg *Config) address(name addr) net.Addr {
	if cfg.Addr != nil {
		return cfg.Addr
	}
	return name
}

// pipe is the state shared by two ends.
type pipe struct {
	mu      sync.Mutex
	changed sync.Cond
}

// Conn is one end of a pipe. All methods may be called concurrently.
type Conn struct {
	reads, writes atomic.Int64
	writing       sync.Mutex // held during a Write, so that writes do not mix

	pipe          *pipe
	peer          *Conn
	local, remote net.Addr
	split         Split
	limit         int

	// Guarded by pipe.mu.
	in       []byte // arrived and not read
	offset   int64  // offset of in[0] in the stream
	ended    bool   // nothing follows in
	finished bool   // CloseWrite was called on this end
	closed   bool
	reset    bool
	linger0  bool
	readBy   deadline
	writeBy  deadline
}

func newConn(p *pipe, cfg Config) *Conn {
	c := &Conn{pipe: p, split: cfg.Split, limit: cfg.Buffer}
	if c.limit <= 0 {
		c.limit = 64 << 10
	}
	c.readBy.pipe, c.writeBy.pipe = p, p
	return c
}

// Read returns what has arrived, split as Config.Split says.
func (c *Conn) Read(p []byte) (int, error) {
	c.reads.Add(1)
	c.pipe.mu.Lock()
	defer c.pipe.mu.Unlock()
	for {
		switch {
		case c.closed:
			return 0, opError("read", net.ErrClosed)
		case c.readBy.passed:
			return 0, opError("read", errTimeout)
		case c.reset:
			return 0, opError("read", syscall.ECONNRESET)
		case len(p) == 0:
			return 0, nil
		case len(c.in) > 0:
			return c.take(p), nil
		case c.ended:
			return 0, io.EOF
		}
		c.pipe.changed.Wait()
	}
}

// take moves arrived bytes into p.
func (c *Conn) take(p []byte) int {
	n := len(c.in)
	if c.split != nil {
		if cut := c.split(c.offset, n); cut > 0 && cut < n {
			n = cut
		}
	}
	n = copy(p, c.in[:n])
	c.in = c.in[n:]
	c.offset += int64(n)
	c.pipe.changed.Broadcast()
	return n
}

// Write passes p to the other end and returns when all of it is in that end's buffer.
func (c *Conn) Write(p []byte) (int, error) {
	c.writes.Add(1)
	c.writing.Lock()
	defer c.writing.Unlock()
	c.pipe.mu.Lock()
	defer c.pipe.mu.Unlock()
	for done := 0; ; {
		if err := c.mayWrite(); err != nil {
			return done, opError("write", err)
		}
		n := min(len(p)-done, c.peer.limit-len(c.peer.in))
		c.peer.in = append(c.peer.in, p[done:done+n]...)
		done += n
		if n > 0 {
			c.pipe.changed.Broadcast()
		}
		if done == len(p) {
			return done, nil
		}
		c.pipe.changed.Wait()
	}
}

// mayWrite returns the error with which a write fails, nil if it may proceed.
func (c *Conn) mayWrite() error {
	switch {
	case c.closed:
		return net.ErrClosed
	case c.writeBy.passed:
		return errTimeout
	case c.reset:
		return syscall.ECONNRESET
	case c.finished:
		return syscall.EPIPE
	case c.peer.closed:
		c.resetByPeer()
		return syscall.EPIPE
	}
	return nil
}

// CloseWrite ends this direction: the other end reads what was written, then io.EOF.
func (c *Conn) CloseWrite() error {
	c.pipe.mu.Lock()
	defer c.pipe.mu.Unlock()
	if c.closed {
		return opError("close", net.ErrClosed)
	}
	c.finished = true
	c.peer.ended = true
	c.pipe.changed.Broadcast()
	return nil
}

// SetLinger(0) makes Close reset the connection, as for a net.TCPConn.
func (c *Conn) SetLinger(sec int) error {
	c.pipe.mu.Lock()
	defer c.pipe.mu.Unlock()
	c.linger0 = sec == 0
	return nil
}

// Close ends both directions. The other end reads what was written and then io.EOF, unless this end has left bytes
// unread: then it sees a reset.
func (c *Conn) Close() error {
	c.pipe.mu.Lock()
	defer c.pipe.mu.Unlock()
	if c.closed {
		return opError("close", net.ErrClosed)
	}
	c.closed = true
	c.peer.ended = true
	if len(c.in) > 0 || c.linger0 {
		c.peer.resetByPeer()
	}
	c.in = nil
	c.readBy.stop()
	c.writeBy.stop()
	c.pipe.changed.Broadcast()
	return nil
}

// resetByPeer makes all operations on c fail.
func (c *Conn) resetByPeer() {
	c.reset = true
	c.in = nil
}

// Reads returns how many times Read was called.
func (c *Conn) Reads() int { return int(c.reads.Load()) }

// Writes returns how many times Write was called.
func (c *Conn) Writes() int { return int(c.writes.Load()) }

// Unread returns how many bytes have arrived at this end and have not been read.
func (c *Conn) Unread() int {
	c.pipe.mu.Lock()
	defer c.pipe.mu.Unlock()
	return len(c.in)
}

// SetDeadline sets both deadlines; the zero time means none.
func (c *Conn) SetDeadline(t time.Time) error {
	if err := c.SetReadDeadline(t); err != nil {
		return err
	}
	return c.SetWriteDeadline(t)
}

// SetReadDeadline sets the deadline of Read, including one that is waiting.
func (c *Conn) SetReadDeadline(t time.Time) error { return c.setDeadline(&c.readBy, t) }

// SetWriteDeadline sets the deadline of Write, including one that is waiting.
func (c *Conn) SetWriteDeadline(t time.Time) error { return c.setDeadline(&c.writeBy, t) }

func (c *Conn) setDeadline(d *deadline, t time.Time) error {
	c.pipe.mu.Lock()
	defer c.pipe.mu.Unlock()
	if c.closed {
		return opError("set", net.ErrClosed)
	}
	d.set(t)
	return nil
}

// LocalAddr returns the address of this end.
func (c *Conn) LocalAddr() net.Addr { return c.local }

// RemoteAddr returns the address of the other end.
func (c *Conn) RemoteAddr() net.Addr { return c.remote }
