package wiretest

import (
	"net"
	"sync"
	"sync/atomic"
)

// Counting wraps the connections of a TCP listener in CountedConns, as a program that meters its traffic does.
type Counting struct {
	net.Listener

	mu    sync.Mutex
	conns []*CountedConn
}

// Count returns l with wrapped connections.
func Count(l net.Listener) *Counting { return &Counting{Listener: l} }

// Accept returns the next connection as a *CountedConn.
func (l *Counting) Accept() (net.Conn, error) {
	nc, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &CountedConn{TCPConn: nc.(*net.TCPConn)}
	l.mu.Lock()
	l.conns = append(l.conns, c)
	l.mu.Unlock()
	return c, nil
}

// Conns returns the connections accepted so far.
func (l *Counting) Conns() []*CountedConn {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]*CountedConn(nil), l.conns...)
}

// CountedConn is a TCP connection that counts calls and bytes of Read and Write. Code that uses the descriptor of the
// embedded connection bypasses the counters.
type CountedConn struct {
	*net.TCPConn
	reads, writes, in, out atomic.Int64
}

// Read reads and counts.
func (c *CountedConn) Read(p []byte) (int, error) {
	n, err := c.TCPConn.Read(p)
	c.reads.Add(1)
	c.in.Add(int64(n))
	return n, err
}

// Write writes and counts.
func (c *CountedConn) Write(p []byte) (int, error) {
	n, err := c.TCPConn.Write(p)
	c.writes.Add(1)
	c.out.Add(int64(n))
	return n, err
}

// Reads returns how many times Read was called.
func (c *CountedConn) Reads() int { return int(c.reads.Load()) }

// Writes returns how many times Write was called.
func (c *CountedConn) Writes() int { return int(c.writes.Load()) }

// BytesIn returns how many bytes Read returned.
func (c *CountedConn) BytesIn() int64 { return c.in.Load() }

// BytesOut returns how many bytes Write took.
func (c *CountedConn) BytesOut() int64 { return c.out.Load() }
