package streamsock

import (
	"github.com/shockwave-go/shockwave/internal/core/bufpool"
)

// read finds messages in the input. A callback may block in it.
func (c *conn) read(in []byte) (n int, err error) {
	if c.peer.sock.cfg.OnMessage != nil {
		defer c.pauseForUser()()
	}
	return c.wire.read(in, c)
}

// got implements receiver: it delivers a message.
func (c *conn) got(p, lease []byte, text bool) {
	if c.discarding {
		bufpool.Put(lease)
		return
	}
	peer, s := c.peer, c.peer.sock
	peer.received.Add(1)
	peer.receivedBytes.Add(int64(len(p)))
	m := Message{Peer: peer, Kind: KindBinary, Data: p}
	if text {
		m.Kind = KindText
	}
	if f := s.cfg.OnMessage; f != nil {
		f(m)
		bufpool.Put(lease)
		c.discarding = c.discarding || c.isClosing()
		return
	}
	if c.batch == nil {
		c.batch = batches.Get().(*batch)
	}
	if lease != nil {
		m.hold = newHold(nil, lease, 1)
	}
	c.batch.msgs = append(c.batch.msgs, m)
	c.batch.bytes += m.cost()
}

// maxCopied is the most bytes of messages that are copied out of the read buffer, which is many times as large, instead of
// keeping it.
const maxCopied = 2 << 10

// handOver puts the messages found into the inbox.
func (c *conn) handOver() {
	b := c.batch
	if b == nil {
		return
	}
	c.batch = nil
	lie, bytes := 0, 0
	for i := range b.msgs {
		if m := &b.msgs[i]; m.hold == nil {
			lie++
			bytes += len(m.Data)
		}
	}
	if lie > 0 {
		c.holdData(b, lie, bytes)
	}
	in, from := c.peer.sock.inbox, &c.peer.in
	wanted := in.add(from, b, c.pauseForUser)
	c.discarding = !wanted || c.discarding
}

// pauseForUser is called before the goroutine waits for the user. The function it returns is called afterwards.
func (c *conn) pauseForUser() (goOn func()) {
	c.nc.Release()  // lets other goroutines send meanwhile,
	_ = c.nc.Push() // and sends what they have queued since Data began: otherwise nothing may trigger that
	began := c.nc.Moment()
	c.waitsForUser.Store(true)
	return func() {
		c.heartbeat.signOfLife(c.nc.Moment()) // no sign of life could be read meanwhile
		c.rate.pause(c.nc.Moment() - began)
		c.waitsForUser.Store(false) // after the two lines before, which account for the wait
		c.nc.Hold()
	}
}

// accountPartial tells the inbox how many bytes of an incomplete message are held, and waits if there is no room for more.
func (c *conn) accountPartial() {
	held := c.wire.held()
	if held == 0 && c.partial == 0 {
		return
	}
	c.partial = held
	in, from := c.peer.sock.inbox, &c.peer.in
	if !in.setPartial(from, int64(held)) {
		defer c.pauseForUser()()
		in.awaitPartialRoom(from)
	}
}

// holdData gives the messages of b that lie in the read buffer a hold. A few bytes are copied; otherwise the read buffer is
// kept.
func (c *conn) holdData(b *batch, lie, bytes int) {
	var h *hold
	var to []byte
	if bytes <= maxCopied {
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
