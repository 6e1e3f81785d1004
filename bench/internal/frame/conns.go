package frame

import "fmt"

// Conns are many connections to one server.
type Conns []*Conn

// Open opens n connections one after the other and asks each once. It returns those that are open, which the caller
// closes, with an error too.
func Open(addr string, withTLS bool, n int, x *Exchange) (all Conns, err error) {
	for i := range n {
		c, err := Dial(addr, withTLS)
		if err != nil {
			return all, fmt.Errorf("connection %d: %w", i, err)
		}
		all = append(all, c)
		if err := c.Do(x); err != nil {
			return all, fmt.Errorf("connection %d: %w", i, err)
		}
	}
	return all, nil
}

// Close ends all of them.
func (all Conns) Close() {
	for _, c := range all {
		c.Close()
	}
}
