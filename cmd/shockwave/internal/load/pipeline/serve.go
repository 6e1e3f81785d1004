package pipeline

import (
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/drive"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// Start attaches nc to s and sends the first requests.
func Start(s *drive.Slot, nc *netconn.Conn, script *Script, depth int, r Reader) (netconn.Protocol, error) {
	c := &Conn{slot: s, net: nc, script: script, depth: depth, reader: r}
	c.flight.makeRoom(depth)
	s.Lock()
	if err := s.Attach(c); err != nil {
		s.Unlock()
		return nil, err
	}
	if script.Afresh {
		s.Restart()
	}
	c.next, c.writer.turn = s.Turn(), s.Turn()
	requests := c.pump(s.Now())
	s.Unlock()
	c.write(requests)
	return c, nil
}

// Data implements netconn.Protocol. It reads responses and sends new requests in their place.
func (c *Conn) Data(_ *netconn.Conn, in []byte) (int, error) {
	now := c.slot.Now()
	c.slot.Lock()
	if c.slot.Over() {
		c.slot.Unlock()
		return len(in), netconn.ErrAbort
	}
	taken, err := c.reader.Read(c, in, now)
	if err != nil {
		err = c.finish(err)
		c.slot.Unlock()
		return taken, err
	}
	requests := c.pump(now)
	c.slot.Unlock()
	return taken, c.write(requests)
}

// Nudge implements drive.Conn.
func (c *Conn) Nudge(now int64) {
	c.slot.Lock()
	var requests []byte
	if !c.slot.Over() && !c.ended {
		requests = c.pump(now)
	}
	c.slot.Unlock()
	c.write(requests) // on error the connection ends, and End counts that
}
