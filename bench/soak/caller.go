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

// patience bounds every wait for a peer.
const patience = 30 * time.Second

// caller is a client in one episode: a connection at a time, and what it has sent there.
type caller struct {
	load   *load
	ctx    context.Context
	dice   *rand.Rand
	target target

	nc    net.Conn
	in    *bufio.Reader
	spoke time.Time     // when this client last began to send or was answered
	idle  time.Duration // how long nothing had been said before it last began to send
}

// dial opens a connection, in place of the one there was.
func (c *caller) dial() error {
	c.hangUp()
	nc, err := net.DialTimeout("tcp", c.target.Addr, patience)
	if err != nil {
		return unanswered{err}
	}
	nc.SetDeadline(time.Now().Add(patience))
	if c.target.TLS {
		secure := tls.Client(nc, &tls.Config{InsecureSkipVerify: true})
		if err := secure.Handshake(); err != nil { // at once: a server does not wait for it as long as for a request
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

// touch gives the next step its time.
func (c *caller) touch() {
	c.spoke = time.Now()
	c.nc.SetDeadline(c.spoke.Add(patience))
}

func (c *caller) hangUp() {
	if c.nc != nil {
		c.nc.Close()
	}
	c.nc = nil
}

// reset ends the connection the hard way.
func (c *caller) reset() {
	tcp := transport(c.nc)
	tcp.SetLinger(0)
	tcp.Close()
	c.nc = nil
}

// transport returns what nc is below TLS.
func transport(nc net.Conn) *net.TCPConn {
	if t, ok := nc.(*tls.Conn); ok {
		nc = t.NetConn()
	}
	return nc.(*net.TCPConn)
}

// closeWrite ends the client's half of the connection.
func (c *caller) closeWrite() error { return c.nc.(interface{ CloseWrite() error }).CloseWrite() }
