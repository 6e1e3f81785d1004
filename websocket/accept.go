package websocket

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// Accept upgrades the request r to WebSocket (RFC 6455 §4.2). It works on any HTTP/1.1 server with net/http's types, and on
// nethttp's HTTP/2 server, which shows the WebSocket of a stream (RFC 8441) as such an upgrade. The handler must decide beforehand whether the client may
// connect at all. Fields that it has set in w's Header are sent with the answer.
//
// A request that is not such an upgrade, or that comes from a page of a foreign origin, is answered with an error
// status, and the error is a *HandshakeError. The Conn outlives the handler.
func Accept(w http.ResponseWriter, r *http.Request, cfg Config) (*Conn, error) {
	s := cfg.settings()
	return s.open(s.accept(w, r, nil))
}

// accept checks the request and takes over the connection. The answer has not been sent yet. check may be nil.
func (s *settings) accept(w http.ResponseWriter, r *http.Request, check func(r *http.Request) error) (*handshakeResult, error) {
	o := handshakeRequest{
		method: r.Method, major: r.ProtoMajor, minor: r.ProtoMinor, host: r.Host, body: r.ContentLength != 0,
		values: r.Header.Values,
	}
	a, refused := s.answer(&o)
	if refused != nil {
		refuse(w, refused)
		return nil, refused
	}
	if check != nil {
		if err := check(r); err != nil {
			refuse(w, refusal(err))
			return nil, err
		}
	}
	nc, rw, err := http.NewResponseController(w).Hijack()
	if err != nil {
		refuse(w, errHijack)
		return nil, fmt.Errorf("%w: %w", errHijack, err)
	}
	ahead, _ := rw.Reader.Peek(rw.Reader.Buffered())
	nc.SetDeadline(time.Time{})
	return &handshakeResult{wsframe.Server, nc, ahead, a, a.appendAnswer(nil, w.Header())}, nil
}

func refuse(w http.ResponseWriter, why *HandshakeError) {
	h := w.Header()
	h.Set("Sec-WebSocket-Version", "13")
	if why.Status == http.StatusUpgradeRequired {
		h.Set("Upgrade", "websocket")
		h.Set("Connection", "Upgrade")
	}
	if why == errMethod {
		h.Set("Allow", http.MethodGet)
	}
	http.Error(w, why.Msg, why.Status)
}

// NativeRequest has the methods of *server.Request that Upgrade uses.
type NativeRequest interface {
	Method() []byte
	ProtoMajor() int
	ProtoMinor() int
	Host() []byte
	Header() *shockwave.Header
	ContentLength() int64
}

// NativeWriter has the methods of *server.ResponseWriter that Upgrade uses.
type NativeWriter interface {
	Header() *shockwave.Header
	Error(status int, why string) error
	Hijack() (net.Conn, *bufio.ReadWriter, error)
}

// Upgrade is Accept for the native handlers of package server, whose types implement NativeWriter and NativeRequest.
// Slices returned by the request are no longer valid afterwards.
func Upgrade(w NativeWriter, r NativeRequest, cfg Config) (*Conn, error) {
	s := cfg.settings()
	o := handshakeRequest{
		method: string(r.Method()), major: r.ProtoMajor(), minor: r.ProtoMinor(), host: string(r.Host()), body: r.ContentLength() != 0,
		values: func(name string) (values []string) {
			for v, i := r.Header().Next(name, 0); v != nil; v, i = r.Header().Next(name, i) {
				values = append(values, string(v))
			}
			return values
		},
	}
	a, refused := s.answer(&o)
	if refused != nil {
		refuseNative(w, refused)
		return nil, refused
	}
	more := http.Header{}
	for name, value := range w.Header().All() {
		more.Add(string(name), string(value))
	}
	nc, rw, err := w.Hijack()
	if err != nil {
		refuseNative(w, errHijack)
		return nil, fmt.Errorf("%w: %w", errHijack, err)
	}
	ahead, _ := rw.Reader.Peek(rw.Reader.Buffered())
	nc.SetDeadline(time.Time{})
	return s.open(&handshakeResult{wsframe.Server, nc, ahead, a, a.appendAnswer(nil, more)}, nil)
}

func refuseNative(w NativeWriter, why *HandshakeError) {
	h := w.Header()
	h.Set("Sec-WebSocket-Version", "13")
	if why.Status == http.StatusUpgradeRequired {
		h.Set("Upgrade", "websocket")
		h.Set("Connection", "Upgrade")
	}
	if why == errMethod {
		h.Set("Allow", http.MethodGet)
	}
	w.Error(why.Status, why.Msg)
}

// handshakeResult is a connection after a successful handshake.
type handshakeResult struct {
	role   wsframe.Role
	nc     net.Conn
	ahead  []byte // bytes read from nc after the handshake
	agreed handshakeAnswer
	answer []byte // the answer to the handshake, which is still to be sent
}

// open makes a Conn of o. It returns err if that is not nil.
func (s *settings) open(o *handshakeResult, err error) (*Conn, error) {
	if err != nil {
		return nil, err
	}
	engine, err := s.Group.start()
	if err != nil {
		o.nc.Close()
		return nil, err
	}
	a := &o.agreed
	c := &Conn{cfg: s.connConfig(), onMessage: s.OnMessage, onClose: s.OnClose, role: o.role}
	if a.subprotocol != "" || s.OnPeerClose != nil {
		c.rare = &rareState{sub: strings.Clone(a.subprotocol), half: halfClosed{onPeerClose: s.OnPeerClose}}
	}
	if s.PingInterval > 0 {
		c.heartbeat = &heartbeat{interval: s.PingInterval}
	}
	c.in.seq = wsframe.Incoming(o.role, 0)
	c.in.limit.Store(s.readLimit)
	if a.deflate != nil {
		c.in.seq = wsframe.Incoming(o.role, wsframe.RSV1)
		c.compress, c.in.inflate = a.deflate.start(o.role)
	}
	if s.OnMessage != nil {
		err = c.openServed(engine, o, s.OnOpen)
	} else {
		err = c.openPulled(engine, o)
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

// openPulled opens c as a connection that is read by calls of its methods.
func (c *Conn) openPulled(engine *netconn.Engine, o *handshakeResult) (err error) {
	c.reading.Lock() // nothing may read before the answer has been sent, not even for the group
	c.pull, err = engine.Pull(o.nc, o.ahead, (*pulled)(c))
	if err != nil {
		c.dropContexts()
		return ErrGroupClosed
	}
	c.t = &c.pull.Link
	err = c.announce(o.answer)
	c.unlockReading()
	if err != nil {
		c.abandon(err)
	}
	return err
}

// openServed opens c as a connection that is read by the engine, and waits until the answer has been sent.
func (c *Conn) openServed(engine *netconn.Engine, o *handshakeResult, onOpen func(c *Conn)) error {
	begun := make(chan error, 1)
	err := engine.Run(o.nc, o.ahead, func(t *netconn.Conn) (netconn.Protocol, error) {
		p := (*callbacks)(c)
		c.t = &t.Link
		t.Become(p)
		return p, p.open(o.answer, onOpen, begun)
	})
	if err != nil {
		c.dropContexts()
		return ErrGroupClosed
	}
	return <-begun
}

// announce sends the answer to the handshake. The connection already belongs to its group, so a peer that has received
// the answer does not miss a broadcast.
func (c *Conn) announce(answer []byte) error {
	c.cfg.group.open.Add(1)
	c.startHeartbeat()
	c.t.Hold()
	if len(answer) > 0 {
		if _, err := c.t.Write(answer); err != nil {
			return writeError(err)
		}
	}
	c.announced.Store(true)
	c.t.Release()
	if c.t.Draining() {
		return ErrGroupClosed
	}
	return writeError(c.t.Flush())
}

// pulled is a Conn without Config.OnMessage, as the owner of its netconn.Pulled.
type pulled Conn

// Drain implements netconn.Owner.
func (p *pulled) Drain() { (*Conn)(p).goAway() }

// Alarm implements netconn.Alarmer.
func (p *pulled) Alarm() { (*Conn)(p).checkHeartbeat() }
