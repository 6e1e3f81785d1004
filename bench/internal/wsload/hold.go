package wsload

import "fmt"

// Conns are idle connections and the message that they exchange.
type Conns struct {
	all     list
	message *Message
}

// Open opens n connections one by one and does one exchange on each, of 64 bytes, or of compressed JSON if deflate is set. The
// caller closes them. After an error none are open.
func Open(addr, path string, n int, deflate bool) (*Conns, error) {
	conns := &Conns{message: Text(64)}
	if deflate {
		var err error
		if conns.message, err = Compressed(); err != nil {
			return nil, err
		}
	}
	for i := range n {
		c, err := Dial(addr, path, deflate)
		if err == nil {
			conns.all = append(conns.all, c)
			err = c.Exchange(conns.message)
		}
		if err != nil {
			conns.Close()
			return nil, fmt.Errorf("connection %d: %w", i, err)
		}
	}
	return conns, nil
}

// Again does another exchange on every connection.
func (conns *Conns) Again() error {
	for i, c := range conns.all {
		if err := c.Exchange(conns.message); err != nil {
			return fmt.Errorf("connection %d after it was idle: %w", i, err)
		}
	}
	return nil
}

// Close closes all of them.
func (conns *Conns) Close() { conns.all.close() }
