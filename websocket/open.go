package websocket

import (
	"net"
	"strings"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
	"github.com/shockwave-go/shockwave/websocket/internal/handshake"
)

// opened is a connection after a successful handshake.
type opened struct {
	role     wsframe.Role
	nc       net.Conn
	ahead    []byte // bytes read from nc after the handshake
	agreed   handshake.Agreement
	response []byte // the response to the handshake, which is still to be sent
}

// open makes a Conn of o. It returns err if that is not nil.
func (s *settings) open(o *opened, err error) (*Conn, error) {
	if err != nil {
		return nil, err
	}
	engine, err := s.Group.start()
	if err != nil {
		o.nc.Close()
		return nil, err
	}
	c := &Conn{}
	c.recv.out = &c.send
	c.send.role, c.send.cfg = o.role, s.connConfig(strings.Clone(o.agreed.Subprotocol))
	if s.PingInterval > 0 {
		c.recv.heartbeat = &heartbeat{interval: s.PingInterval}
	}
	extensions := wsframe.RSV(0)
	if p := o.agreed.Deflate; p != nil {
		extensions = wsframe.RSV1
		if o.role == wsframe.Server {
			c.send.compress = p.Server(s.shake.Memory)
		} else {
			c.send.compress = p.Client(s.shake.Memory)
		}
	}
	c.recv.in.Init(o.role, extensions, s.readLimit)
	if s.OnMessage != nil {
		p := &served{c: c, onMessage: s.OnMessage, onClose: s.OnClose}
		if s.OnPeerClose != nil {
			p.half = &halfClosed{onPeerClose: s.OnPeerClose}
		}
		err = p.run(engine, o, s.OnOpen)
	} else {
		err = (*pulled)(c).run(engine, o)
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

// run opens the connection and waits until the response has been sent.
func (p *served) run(engine *netconn.Engine, o *opened, onOpen func(c *Conn)) error {
	begun := make(chan error, 1)
	err := engine.Run(o.nc, o.ahead, func(t *netconn.Conn) (netconn.Protocol, error) {
		p.c.send.link = &t.Link
		t.Become(p)
		return p, p.open(o.response, onOpen, begun)
	})
	if err != nil {
		p.c.send.dropContexts()
		return ErrGroupClosed
	}
	return <-begun
}

// pulled is a Conn without Config.OnMessage, as the owner of its netconn.Pulled.
type pulled Conn

// run opens the connection and sends the response.
func (p *pulled) run(engine *netconn.Engine, o *opened) (err error) {
	p.recv.mu.Lock() // nothing may read before the response has been sent, not even for the group
	p.recv.pull, err = engine.Pull(o.nc, o.ahead, p)
	if err != nil {
		p.send.dropContexts()
		return ErrGroupClosed
	}
	p.send.link = &p.recv.pull.Link
	err = (*Conn)(p).announce(o.response)
	p.recv.unlock()
	if err != nil {
		p.recv.abandon(err)
	}
	return err
}

// Drain implements netconn.Owner.
func (p *pulled) Drain() { p.recv.goAway() }

// Alarm implements netconn.Alarmer.
func (p *pulled) Alarm() { (*Conn)(p).checkPeer(p.recv.isRead()) }

// Broke implements netconn.Breaker.
func (p *pulled) Broke() {
	p.send.end.CompareAndSwap(endNone, endWriteFailed)
	p.recv.endIfUnread()
}

// conclude implements owner.
func (p *pulled) conclude() {
	p.recv.expireLater()
	p.recv.readToTheEnd()
}

// cutNow implements owner.
func (p *pulled) cutNow() error { return p.recv.cutNow() }

// closeSent implements owner.
func (p *pulled) closeSent() {}

// leave implements owner.
func (p *pulled) leave() { (*Conn)(p).leaveRooms() }

// announce sends the response to the handshake. The connection already belongs to its group, so a peer that has received
// the response does not miss a broadcast.
func (c *Conn) announce(response []byte) error {
	out := &c.send
	out.cfg.open.Add(1)
	c.recv.heartbeat.start(out)
	out.link.Hold()
	if len(response) > 0 {
		if _, err := out.link.Write(response); err != nil {
			return writeError(err)
		}
	}
	out.announced.Store(true)
	out.link.Release()
	if out.link.Draining() {
		return ErrGroupClosed
	}
	return writeError(out.link.Flush())
}

// checkPeer looks for signs of life of the peer, and ends the connection if there are none. isRead says that what the peer
// sends is being read.
func (c *Conn) checkPeer(isRead bool) {
	if c.recv.heartbeat.check(&c.send, isRead) {
		c.send.fail(ErrSilent)
		c.send.link.Abort()
		c.recv.cut()
	}
}
