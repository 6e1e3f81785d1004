package streamsock

import (
	"math"
	"runtime"

	"github.com/shockwave-go/shockwave/internal/netconn"
	"github.com/shockwave-go/shockwave/websocket"
)

// Send sends p as a message to the peer with an id. It returns when the message is on its way or in the queue; p is neither
// changed nor used afterwards. Messages of one goroutine for one peer arrive in the order of its calls.
//
// The error is ErrNoPeer or ErrGone, ErrQueueFull if Config.Slow is Fail, ErrTooLarge for what no length can say, ErrClosed
// after Close. With Block, Send waits for room, and for nothing else but what Config.QueueBytes says.
func (s *Socket) Send(id ID, p []byte) error {
	peer, err := s.peers.get(id)
	if err != nil {
		return err
	}
	return peer.Send(p)
}

// Send sends p as a message; see Socket.Send.
func (p *Peer) Send(b []byte) error { return p.send(note{b: b}, untilRoom) }

// TrySend is Send, or SendText where kind is Text, that never waits: where Send would it fails with ErrQueueFull, and nothing
// is counted as dropped.
func (p *Peer) TrySend(kind Kind, b []byte) error {
	if kind == Text && !p.sock.cfg.Text {
		return ErrText
	}
	return p.send(note{b: b, text: kind == Text}, tries)
}

// Reply sends b, as text if m is text, to the peer that m is of. It is for Config.OnMessage, where Send could wait for a
// connection that cannot end before OnMessage returns: Reply waits no longer than m's connection is there, and fails with
// ErrGone then.
func (m *Message) Reply(b []byte) error {
	return m.Peer.send(note{b: b, text: m.Kind == Text}, whileConnected)
}

// SendText is Send of text, which must be UTF-8 and is not checked; on tcp and tls it is a message like others. The error is
// ErrText without Config.Text.
func (p *Peer) SendText(b []byte) error {
	if !p.sock.cfg.Text {
		return ErrText
	}
	return p.send(note{b: b, text: true}, untilRoom)
}

// SendKey is Send of a message that takes the place of one with the same key that still waits, if Config.Slow is
// LatestPerKey. The empty key is nobody's.
func (p *Peer) SendKey(key string, b []byte) error { return p.send(note{b: b, key: key}, untilRoom) }

// patience is how long who sends waits for room, if Config.Slow is Block.
type patience uint8

const (
	untilRoom      patience = iota
	whileConnected          // no longer than the connection is there
	tries                   // not at all, and what finds no room is not dropped
	drops                   // not at all
)

// send sends m past the line when nothing is in it: a lone message leaves at once. What is sent behind it, before anything
// has come back, is gathered there. p.mu is not held while the connection is written to: conn.busy says meanwhile that
// what is sent stands in line.
func (p *Peer) send(m note, wait patience) error {
	if uint64(len(m.b)) > math.MaxUint32 {
		return ErrTooLarge
	}
	p.mu.Lock()
	if p.sock.cfg.Slow == Block && wait <= whileConnected {
		p.keepNear(len(m.b))
	}
	c := p.conn
	if p.ends() || c != nil && c.closing && !p.returns() {
		p.mu.Unlock()
		return p.sock.goneError()
	}
	if c != nil && !c.busy && !c.asked && !c.closing && p.line.empty() && (len(m.b) >= large && !c.broken || !c.warm.Load()) {
		c.busy = true
		c.warm.Store(true)
		p.mu.Unlock()
		return c.sendNow(m)
	}
	if err := p.enqueue(m, wait); err != nil {
		p.mu.Unlock()
		return err
	}
	if c = p.conn; c == nil || c.busy || c.asked || c.closing {
		p.mu.Unlock()
		return nil
	}
	c.busy = true
	p.mu.Unlock()
	go c.drains()
	return nil
}

// enqueue puts m into the line as the policy says; p.mu is held.
func (p *Peer) enqueue(m note, wait patience) error {
	s := p.sock.cfg
	if s.Slow != LatestPerKey {
		m.key = ""
	}
	if m.key != "" && p.line.replace(&m) {
		return nil
	}
	for !p.line.fits(len(m.b), s) {
		if err := p.makeRoom(wait); err != nil {
			return err
		}
	}
	p.line.add(&m)
	return nil
}

// makeRoom does what the policy has for a line that is full; p.mu is held.
func (p *Peer) makeRoom(wait patience) error {
	switch slow := p.sock.cfg.Slow; {
	case slow == Block && wait <= whileConnected:
		return p.awaitRoom(wait)
	case slow == Block && wait == tries:
		return ErrQueueFull
	case slow == Block, slow == Fail:
		p.line.dropped++
		return ErrQueueFull
	case slow == Disconnect:
		p.line.dropped++
		if p.conn != nil {
			p.conn.endWith(End{Reason: SlowPeer, Code: codeOf(websocket.CloseTryAgainLater, p.conn.framed), Text: "too slow"})
		}
		return ErrQueueFull
	default:
		p.line.drop()
	}
	return nil
}

// awaitRoom waits until something is taken from the line; p.mu is held.
func (p *Peer) awaitRoom(wait patience) error {
	c := p.conn
	if wait == untilRoom || c != nil && !c.closing && !c.broken {
		p.room.Wait()
	}
	if p.ends() || wait == whileConnected && (c == nil || c != p.conn || c.closing || c.broken) {
		return p.sock.goneError()
	}
	return nil
}

// Broke implements netconn.Breaker: who waits in Reply for a connection that takes nothing any more returns.
func (c *conn) Broke() {
	c.peer.mu.Lock()
	c.broken = true
	c.peer.room.Broadcast()
	c.peer.mu.Unlock()
}

// sendNow sends a message past the line. It is called with c.busy set, and ends that.
func (c *conn) sendNow(m note) error {
	ok, err := c.wire.post(c, m)
	p := c.peer
	p.mu.Lock()
	if ok {
		p.sent.Add(1)
		p.sentBytes.Add(uint64(len(m.b)))
	} else if err == nil || p.returns() {
		p.line.addFirst(&m)
	}
	c.sendLine(false)
	return nil
}

// mayEnd reports whether an end in order has waited for nothing but who was about to write. c.peer.mu is held.
func (c *conn) mayEnd() bool { return c.closing && c.drained() && c.peer.conn == c }

// asks notes that the connection is to be asked to take what is in line, and reports whether the caller does. c.peer.mu is held.
func (c *conn) asks() bool {
	if c.drained() || c.asked || c.busy || c.peer.conn != c {
		return false
	}
	c.asked = true
	return true
}

// drain sends what is in line, after those who are about to send have done so. It is called with c.busy set, and ends that.
func (c *conn) drain() {
	runtime.Gosched()
	c.peer.mu.Lock()
	c.sendLine(true)
}

// sendLine sends what is in line. It is called with c.busy set and c.peer.mu held, and ends both. gathered says that nobody
// is ahead of what comes next, if nothing is in line then.
func (c *conn) sendLine(gathered bool) {
	p := c.peer
	for c.busy = false; c.asks(); c.busy = false {
		c.busy, gathered = true, true
		p.mu.Unlock()
		c.nc.Draw(c)
		p.mu.Lock()
	}
	if gathered && p.line.empty() {
		c.warm.Store(false)
	}
	p.room.Broadcast()
	last := c.mayEnd()
	p.mu.Unlock()
	if last {
		c.nc.Nudge()
	}
}

// AppendOutput implements output.Source: it takes from the line.
func (c *conn) AppendOutput(dst []byte, most int) (_ []byte, more bool) {
	p := c.peer
	for len(dst) < most {
		p.mu.Lock()
		if p.conn != c || c.drained() {
			c.asked, c.stuck = false, false
			p.room.Broadcast()
			drained := c.closing && p.conn == c
			p.mu.Unlock()
			if drained {
				c.nc.Nudge()
			}
			return dst, false
		}
		s := p.line.take()
		c.left -= s.n
		c.stuck = false
		p.room.Broadcast()
		p.mu.Unlock()
		p.sent.Add(uint64(s.n))
		p.sentBytes.Add(uint64(s.payload()))
		dst = c.wire.appendSegment(dst, s)
	}
	return dst, true
}

var _ netconn.Source = (*conn)(nil)
