// Package memconn has connections in memory: pairs of net.Conn that buffer what is written and keep deadlines.
package memconn

import (
	"net"
	"time"
)

// Buffer is how many unread bytes each direction of a connection holds. A Write waits while there is no room.
const Buffer = 1 << 20

// Conn is one end of a connection in memory. It implements net.Conn.
type Conn struct {
	in, out *flow
	name    addr
}

// Pair returns the two ends of a connection. Their addresses are "client" and "server".
func Pair() (client, server *Conn) {
	there, back := newFlow(), newFlow()
	return &Conn{in: back, out: there, name: "client"}, &Conn{in: there, out: back, name: "server"}
}

type addr string

// Network and String implement net.Addr.
func (addr) Network() string  { return "memory" }
func (a addr) String() string { return string(a) }

// LocalAddr returns the name of this end.
func (c *Conn) LocalAddr() net.Addr { return c.name }

// RemoteAddr returns the name of the other end.
func (c *Conn) RemoteAddr() net.Addr {
	if c.name == "client" {
		return addr("server")
	}
	return addr("client")
}

// Read returns bytes that the other end has written, and waits for some. After the last one it returns io.EOF.
func (c *Conn) Read(p []byte) (int, error) { return c.in.read(p) }

// Write writes p and waits for room if the other end does not read.
func (c *Conn) Write(p []byte) (int, error) { return c.out.write(p) }

// CloseWrite ends this end's output: the other end reads io.EOF after it.
func (c *Conn) CloseWrite() error {
	c.out.closeWrite()
	return nil
}

// Close ends both directions. The other end can still read what was written before.
func (c *Conn) Close() error {
	c.out.closeWrite()
	c.in.closeRead()
	return nil
}

// SetDeadline sets the read deadline and the write deadline.
func (c *Conn) SetDeadline(t time.Time) error {
	c.in.setDeadline(&c.in.readBy, t)
	c.out.setDeadline(&c.out.writeBy, t)
	return nil
}

// SetReadDeadline sets the deadline of reads, including one that waits already.
func (c *Conn) SetReadDeadline(t time.Time) error {
	c.in.setDeadline(&c.in.readBy, t)
	return nil
}

// SetWriteDeadline sets the deadline of writes, including one that waits already.
func (c *Conn) SetWriteDeadline(t time.Time) error {
	c.out.setDeadline(&c.out.writeBy, t)
	return nil
}
