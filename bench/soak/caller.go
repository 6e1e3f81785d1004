package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"math/rand/v2"
	"net"
	"time"
)

// ioTimeout is the deadline of every read and write.
const ioTimeout = 30 * time.Second

// caller is a client in one episode. It has at most one connection at a time.
type caller struct {
	load   *load
	kind   string
	ctx    context.Context
	rng    *rand.Rand
	target target

	nc    net.Conn
	in    *bufio.Reader
	spoke time.Time     // when this client last began to send or received a response
	idle  time.Duration // how long the connection was idle before this client last began to send
}

// dial closes the current connection, if any, and opens a new one.
func (c *caller) dial() error {
	c.hangUp()
	nc, err := net.DialTimeout("tcp", c.target.Addr, ioTimeout)
	if err != nil {
		return unanswered{err}
	}
	nc.SetDeadline(time.Now().Add(ioTimeout))
	if c.target.TLS {
		secure := tls.Client(nc, &tls.Config{InsecureSkipVerify: true})
		if err := secure.Handshake(); err != nil { // now: the server's handshake timeout is short
			nc.Close()
			return unanswered{fmt.Errorf("handshake: %w", err)}
		}
		nc = secure
	}
	c.use(nc)
	return nil
}

func (c *caller) use(nc net.Conn) {
	c.nc, c.in = nc, bufio.NewReader(nc)
	c.touch()
}

// touch extends the connection's deadline for the next step.
func (c *caller) touch() {
	c.spoke = time.Now()
	c.nc.SetDeadline(c.spoke.Add(ioTimeout))
}

func (c *caller) hangUp() {
	if c.nc != nil {
		c.nc.Close()
	}
	c.nc = nil
}

// reset closes the connection with a TCP reset.
func (c *caller) reset() {
	tcp := transport(c.nc)
	tcp.SetLinger(0)
	tcp.Close()
	c.nc = nil
}

// transport returns the TCP connection of nc, which may be a TLS connection.
func transport(nc net.Conn) *net.TCPConn {
	if t, ok := nc.(*tls.Conn); ok {
		nc = t.NetConn()
	}
	return nc.(*net.TCPConn)
}

// closeWrite closes the client's half of the connection.
func (c *caller) closeWrite() error { return c.nc.(interface{ CloseWrite() error }).CloseWrite() }
