package streamsock

import (
	"math"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/websocket"
)

// Send sends b as a message; see Socket.Send.
func (p *Peer) Send(b []byte) error { return p.send(outMsg{b: b}, untilRoom) }

// TrySend is Send, or SendText if kind is KindText, without waiting: it fails with ErrQueueFull where Send would wait, and
// counts nothing as dropped.
func (p *Peer) TrySend(kind Kind, b []byte) error {
	if kind == KindText && !p.sock.cfg.Text {
		return ErrText
	}
	return p.send(outMsg{b: b, text: kind == KindText}, noWait)
}

// Reply sends b to the peer that has sent m, as text if m is text. It is for use in Config.OnMessage, where Send could wait
// for a connection that cannot end before OnMessage returns. Reply waits only as long as m's connection exists, and then
// fails with ErrGone.
func (m *Message) Reply(b []byte) error {
	return m.Peer.send(outMsg{b: b, text: m.Kind == KindText}, whileConnected)
}

// SendText is Send of a text message, which must be UTF-8 and is not checked; on tcp and tls it is like any other message.
// The error is ErrText without Config.Text.
func (p *Peer) SendText(b []byte) error {
	if !p.sock.cfg.Text {
		return ErrText
	}
	return p.send(outMsg{b: b, text: true}, untilRoom)
}

// SendKey is Send of a message that replaces a queued one with the same key if Config.Slow is LatestPerKey. An empty key
// replaces nothing.
func (p *Peer) SendKey(key string, b []byte) error { return p.send(outMsg{b: b, key: key}, untilRoom) }

// sendWait is how long a Send waits for room if Config.Slow is BlockWhenSlow.
type sendWait uint8

const (
	untilRoom      sendWait = iota
	whileConnected          // while the connection exists
	noWait                  // not at all; a message that does not fit is not counted as dropped
	noWaitDrop              // not at all; a message that does not fit is dropped
)

// send writes m directly to the connection if the queue is empty and the peer has answered what was sent before, so that a
// single message is sent at once. Otherwise m is queued, and a goroutine sends what has been gathered. p.mu is released
// during a write; writer.busy makes others use the queue meanwhile.
func (p *Peer) send(m outMsg, wait sendWait) error {
	if uint64(len(m.b)) > math.MaxUint32 {
		return ErrTooLarge
	}
	p.mu.Lock()
	if p.sock.cfg.Slow == BlockWhenSlow && wait <= whileConnected {
		p.awaitNearRoomLocked(len(m.b))
	}
	c := p.conn
	if p.isEndingLocked() || c != nil && c.ending.closing && !p.mayReturnLocked() {
		p.mu.Unlock()
		return p.sock.goneError()
	}
	if c != nil && !c.ending.closing && p.queue.empty() && c.writer.begin(len(m.b)) {
		p.mu.Unlock()
		return c.sendNow(m)
	}
	if err := p.enqueueLocked(m, wait); err != nil {
		p.mu.Unlock()
		return err
	}
	if c = p.conn; c == nil || c.ending.closing || !c.writer.idle() {
		p.mu.Unlock()
		return nil
	}
	c.writer.busy = true
	drawSoon := c.writer.gather.Soon(c)
	p.mu.Unlock()
	go drawSoon()
	return nil
}

// awaitNearRoomLocked delays a Send of n bytes to a peer on the same host until earlier output has left: a large message waits
// until it can be written from the caller's memory, a small one while the queue is full up to the window. Otherwise data
// would leave the processor's cache before it leaves the queue. See near.
func (p *Peer) awaitNearRoomLocked(n int) {
	c := p.conn
	if c == nil || !p.nearFullLocked(c, n) {
		return
	}
	c.near.begin()
	for p.nearFullLocked(c, n) {
		if p.queue.empty() && c.writer.ask() { // so that room is signalled when a direct write has left
			p.mu.Unlock()
			c.nc.Draw(c)
			p.mu.Lock()
			continue
		}
		p.room.Wait()
	}
	c.near.end()
}

// nearFullLocked reports whether a Send of n bytes is to wait in awaitNearRoomLocked: output is pending and can leave.
func (p *Peer) nearFullLocked(c *conn, n int) bool {
	switch {
	case p.conn != c || !c.near.bounds() || !c.takesLocked():
		return false
	case n >= large:
		return !c.writer.idle() || !p.queue.empty() || c.nc.Unsent()
	}
	return !p.queue.empty() && p.queue.bytes+int64(n) > int64(c.near.window)
}

// enqueueLocked puts m into the queue, subject to Config.Slow.
func (p *Peer) enqueueLocked(m outMsg, wait sendWait) error {
	s := p.sock.cfg
	if s.Slow != LatestPerKey {
		m.key = ""
	}
	if m.key != "" && p.queue.replace(&m, s.QueueBytes) {
		return nil
	}
	for !p.queue.fits(len(m.b), s.QueueMessages, s.QueueBytes) {
		if err := p.makeRoomLocked(wait); err != nil {
			return err
		}
	}
	p.queue.add(&m)
	return nil
}

// makeRoomLocked applies Config.Slow to a full queue.
func (p *Peer) makeRoomLocked(wait sendWait) error {
	switch slow := p.sock.cfg.Slow; {
	case slow == BlockWhenSlow && wait <= whileConnected:
		return p.awaitRoomLocked(wait)
	case slow == BlockWhenSlow && wait == noWait:
		return ErrQueueFull
	case slow == BlockWhenSlow, slow == FailWhenSlow:
		p.queue.dropped++
		return ErrQueueFull
	case slow == CloseWhenSlow:
		p.queue.dropped++
		if p.conn != nil {
			p.conn.endWithLocked(End{Reason: ReasonSlow, Code: codeOf(websocket.CloseTryAgainLater, p.conn.framed()), Text: "too slow"})
		}
		return ErrQueueFull
	default:
		p.queue.drop()
	}
	return nil
}

// awaitRoomLocked waits until something is taken from the queue.
func (p *Peer) awaitRoomLocked(wait sendWait) error {
	c := p.conn
	if wait == untilRoom || c != nil && c.takesLocked() {
		p.room.Wait()
	}
	if p.isEndingLocked() || wait == whileConnected && (c == nil || c != p.conn || !c.takesLocked()) {
		return p.sock.goneError()
	}
	return nil
}

// takesLocked reports whether what is queued now will be sent on the connection.
func (c *conn) takesLocked() bool { return !c.ending.closing && !c.writer.broken }

// Broke implements netconn.Breaker: Reply must not wait for a connection that sends nothing any more.
func (c *conn) Broke() {
	c.peer.mu.Lock()
	c.writer.broken = true
	c.peer.room.Broadcast()
	c.peer.mu.Unlock()
}

// sendNow writes a message without the queue. It is called with writer.busy set, and clears it.
func (c *conn) sendNow(m outMsg) error {
	ok, err := c.wire.post(m)
	p := c.peer
	p.mu.Lock()
	if ok {
		p.sent.Add(1)
		p.sentBytes.Add(int64(len(m.b)))
	} else if err == nil || p.mayReturnLocked() {
		p.queue.addFirst(&m)
	}
	c.sendQueued(false)
	return nil
}

// readyToEndLocked reports whether an orderly end was only waiting for a write that was in progress.
func (c *conn) readyToEndLocked() bool {
	return c.ending.closing && c.drainedLocked() && c.peer.conn == c
}

// requestDrawLocked asks for a draw if the queue has something for the output, and reports whether the caller must call Draw.
func (c *conn) requestDrawLocked() bool {
	return !c.drainedLocked() && c.peer.conn == c && c.writer.ask()
}

// DrawNow implements output.Drawer: it sends the queue, to which other senders have added. It is called with writer.busy
// set, and clears it.
func (c *conn) DrawNow() {
	c.peer.mu.Lock()
	c.sendQueued(true)
}

// sendQueued sends the queue. It is called with writer.busy set and c.peer.mu held, and clears and releases them. gathered
// means that if the queue is empty then, the next message need not be gathered.
func (c *conn) sendQueued(gathered bool) {
	p := c.peer
	for c.writer.busy = false; c.requestDrawLocked(); c.writer.busy = false {
		c.writer.busy, gathered = true, true
		p.mu.Unlock()
		c.nc.Draw(c)
		p.mu.Lock()
	}
	if gathered && p.queue.empty() {
		c.writer.gather.Received()
	}
	p.room.Broadcast()
	last := c.readyToEndLocked()
	p.mu.Unlock()
	if last {
		c.nc.Nudge()
	}
}

// AppendOutput implements output.Source: it takes messages from the queue.
func (c *conn) AppendOutput(dst []byte, most int) (_ []byte, more bool) {
	p := c.peer
	for len(dst) < most {
		p.mu.Lock()
		if p.conn != c || c.drainedLocked() {
			c.writer.gather.Drawn(false)
			c.near.stuck = false
			p.room.Broadcast()
			drained := c.ending.closing && p.conn == c
			p.mu.Unlock()
			if drained {
				c.nc.Nudge()
			}
			return dst, false
		}
		s := p.queue.take()
		c.ending.left -= s.n
		c.near.stuck = false
		p.room.Broadcast()
		p.mu.Unlock()
		p.sent.Add(int64(s.n))
		p.sentBytes.Add(s.payload())
		dst = c.wire.appendSegment(dst, s)
	}
	return dst, true
}

var _ netconn.Source = (*conn)(nil)
