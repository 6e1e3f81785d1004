// Package sockload is many connections to one peer of package sockpeer: some that are held, and some on which a message
// comes now and then.
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
	size     = 64 // of a message
	patience = 30 * time.Second
)

// Conns are connections that are held, and whose messages come back.
type Conns struct {
	all    []*wsload.Conn
	number uint64 // of the next message
}

// Open opens n connections one after the other and has each do an exchange. The caller closes them; with an error there are
// none.
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

// Again has every connection do another exchange.
func (conns *Conns) Again() error {
	for i, c := range conns.all {
		if err := exchange(c, conns.number); err != nil {
			return fmt.Errorf("connection %d after it was idle: %w", i, err)
		}
	}
	conns.number++
	return nil
}

// Close ends all of them.
func (conns *Conns) Close() {
	for _, c := range conns.all {
		c.Close()
	}
}

// exchange sends a message and compares what comes back.
func exchange(c *wsload.Conn, number uint64) error {
	c.SetDeadline(time.Now().Add(patience))
	var p [size]byte
	sockpeer.Fill(p[:], number)
	if err := c.Say(p[:]); err != nil {
		return err
	}
	back, err := c.Hear()
	if err == nil && !bytes.Equal(back, p[:]) {
		err = errors.New("the message that came back is another")
	}
	return err
}
