package wsload

import "fmt"

// Conns are connections that are held, and what each of them says.
type Conns struct {
	all     list
	message *Message
}

// Open opens n connections one after the other and has each do one exchange: of 64 bytes, or compressed if deflate says
// so. The caller closes them; with an error there are none.
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

// Again has every connection do its exchange again.
func (conns *Conns) Again() error {
	for i, c := range conns.all {
		if err := c.Exchange(conns.message); err != nil {
			return fmt.Errorf("connection %d after it was idle: %w", i, err)
		}
	}
	return nil
}

// Close ends all of them.
func (conns *Conns) Close() { conns.all.close() }
