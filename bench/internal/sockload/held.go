// Package sockload makes load with many connections to a peer of package sockpeer: idle connections, and connections with a
// message now and then.
package sockload

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/sockpeer"
	"github.com/shockwave-go/shockwave/bench/internal/wsload"
)

const (
	size    = 64 // bytes of a message
	timeout = 30 * time.Second
)

// Conns are idle connections whose messages are echoed.
type Conns struct {
	all    []*wsload.Conn
	number uint64 // of the next message
}

// Open opens n connections one by one and does an exchange on each. The caller closes them. After an error none are open.
func Open(addr string, bare bool, n int) (*Conns, error) {
	conns := new(Conns)
	for i := range n {
		c, err := wsload.Greet(addr, sockpeer.OrderEcho, bare)
		if err == nil {
			conns.all = append(conns.all, c)
			err = exchange(c, 0)
		}
		if err != nil {
			conns.Close()
			return nil, fmt.Errorf("connection %d: %w", i, err)
		}
	}
	conns.number = 1
	return conns, nil
}

// Again does another exchange on every connection.
func (conns *Conns) Again() error {
	for i, c := range conns.all {
		if err := exchange(c, conns.number); err != nil {
			return fmt.Errorf("connection %d after it was idle: %w", i, err)
		}
	}
	conns.number++
	return nil
}

// Close closes all of them.
func (conns *Conns) Close() {
	for _, c := range conns.all {
		c.Close()
	}
}

// exchange sends a message and compares its echo.
func exchange(c *wsload.Conn, number uint64) error {
	c.SetDeadline(time.Now().Add(timeout))
	var p [size]byte
	sockpeer.Fill(p[:], number)
	if err := c.Say(p[:]); err != nil {
		return err
	}
	back, err := c.Hear()
	if err == nil && !bytes.Equal(back, p[:]) {
		err = errors.New("the echo differs from the message")
	}
	return err
}
