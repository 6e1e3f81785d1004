package frame

import "fmt"

// Conns are many connections to one server.
type Conns []*Conn

// Open opens n connections one after the other and asks each once. The caller closes them; with an error there are
// none.
func Open(addr string, withTLS bool, n int, x *Exchange) (Conns, error) {
	var all Conns
	for i := range n {
		c, err := Dial(addr, withTLS)
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

// Close ends all of them.
func (all Conns) Close() {
	for _, c := range all {
		c.Close()
	}
}
