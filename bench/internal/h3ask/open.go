package h3ask

import (
	"fmt"

	"github.com/shockwave-go/shockwave/bench/internal/frame"
)

// Conns are many connections to one server.
type Conns []*Conn

// Open opens n connections one by one and does the exchange on each. The caller closes them. After an error none are open.
func Open(addr string, n int, x *frame.Exchange) (Conns, error) {
	var all Conns
	for i := range n {
		c, err := Dial(addr)
		if err == nil {
			all = append(all, c)
			err = c.Do(x)
		}
		if err != nil {
			all.Close()
			return nil, fmt.Errorf("connection %d: %w", i, err)
		}
	}
	return all, nil
}

// Close closes all of them.
func (all Conns) Close() {
	for _, c := range all {
		c.Close()
	}
}
