package streamsock

import (
	"github.com/shockwave-go/shockwave/internal/bufpool"
)

// read finds messages in what has come. A callback may wait in it for as long as it likes.
func (c *conn) read(in []byte) (n int, err error) {
	if c.peer.sock.cfg.OnMessage != nil {
		defer c.pauses()()
	}
	return c.wire.read(c, in)
}

// got takes a message in. p lies in what is being read, or is lease, which is the taker's from now on.
func (c *conn) got(p, lease []byte, text bool) {
	if c.deaf {
		bufpool.Put(lease)
		return
	}
	peer, s := c.peer, c.peer.sock
	peer.received.Add(1)
	peer.receivedBytes.Add(uint64(len(p)))
	m := Message{Peer: peer, Kind: Binary, Data: p}
	if text {
		m.Kind = Text
	}
	if f := s.cfg.OnMessage; f != nil {
		f(m)
		bufpool.Put(lease)
		c.deaf = c.deaf || c.ends()
		return
	}
	if c.arrived == nil {
		c.arrived = batches.Get().(*batch)
	}
	if lease != nil {
		m.hold = newHold(nil, lease, 1)
	}
	c.arrived.msgs = append(c.arrived.msgs, m)
	c.arrived.bytes += m.cost()
}

// few is up to how many bytes are copied rather than kept where they lie, which is in a buffer many times as large.
const few = 2 << 10

// handOver gives the socket what has been found.
func (c *conn) handOver() {
	b := c.arrived
	if b == nil {
		return
	}
	c.arrived = nil
	lie, bytes := 0, 0
	for i := range b.msgs {
		if m := &b.msgs[i]; m.hold == nil {
			lie++
			bytes += len(m.Data)
		}
	}
	if lie > 0 {
		c.keep(b, lie, bytes)
	}
	in, from := c.peer.sock.inbox, &c.peer.in
	wanted := in.bring(from, b, c.pauses)
	c.deaf = !wanted || c.deaf
}

// pauses is called before this goroutine waits for the user, and what it returns afterwards.
func (c *conn) pauses() (goOn func()) {
	c.nc.Release()  // what others send leaves meanwhile,
	_ = c.nc.Push() // and what they have sent since Data began: nobody else may come to send that
	began := c.nc.Moment()
	c.waits.Store(true)
	return func() {
		c.pulse.note(c.nc.Moment()) // what has come meanwhile has not been read
		c.pace.pause(c.nc.Moment() - began)
		c.waits.Store(false) // behind what it accounts for
		c.nc.Hold()
	}
}

// account tells the inbox what is held of a message that is not whole, and waits if that is too much.
func (c *conn) account() {
	held := c.wire.held()
	if held == 0 && c.partial == 0 {
		return
	}
	c.partial = held
	in, from := c.peer.sock.inbox, &c.peer.in
	if !in.grow(from, int64(held)) {
		defer c.pauses()()
		in.settle(from)
	}
}

// keep makes the messages of b that lie in what was read the holder's: a few bytes are copied, of more the whole is kept.
func (c *conn) keep(b *batch, lie, bytes int) {
	var h *hold
	var to []byte
	if bytes <= few {
		to = bufpool.Get(max(bytes, 1))[:0]
		h = newHold(nil, to, lie)
	} else {
		h = newHold(c.nc.Retain(), nil, lie)
	}
	for i := range b.msgs {
		m := &b.msgs[i]
		if m.hold != nil {
			continue
		}
		m.hold = h
		if to != nil {
			n := len(to)
			to = append(to, m.Data...)
			m.Data = to[n:len(to):len(to)]
		}
	}
}
