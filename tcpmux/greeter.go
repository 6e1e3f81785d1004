package tcpmux

import (
	"crypto/rand"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/shockwave-go/shockwave/internal/muxframe"
	"github.com/shockwave-go/shockwave/internal/netconn"
)

// greeter is an accepted connection until it is a session's.
//
//	magic ──► HELLO ──► WELCOME: a new session
//	      └─► RESUME ──► CHALLENGE ──► PROOF ──► RESUMED: a session goes on
type greeter struct {
	l     *Listener
	nc    *netconn.Conn
	magic bool
	s     *Session // that is to go on
	proof proof
	known bool        // that it is refused
	over  atomic.Bool // the greeting is: the alarm is the session's
}

var (
	_ netconn.Protocol = (*greeter)(nil)
	_ netconn.Alarmer  = (*greeter)(nil)
)

// Data implements netconn.Protocol.
func (g *greeter) Data(nc *netconn.Conn, in []byte) (n int, err error) {
	if !g.magic {
		if n, err = muxframe.ParseMagic(in); err != nil {
			return g.refuse(len(in), muxframe.Greeting{Code: muxframe.RefusedMalformed}, err)
		}
		if n == 0 {
			return 0, nil
		}
		if g.proof.bound, err = binding(nc.TLS()); err != nil {
			return n, err
		}
		g.magic = true
		in = in[n:]
	}
	x, k, err := muxframe.ParseGreeting(in)
	raw := in[:k]
	n += k
	switch {
	case errors.Is(err, muxframe.ErrVersion):
		return g.refuse(n, muxframe.Greeting{Code: muxframe.RefusedVersion}, err)
	case err != nil:
		return g.refuse(n, muxframe.Greeting{Code: muxframe.RefusedMalformed}, err)
	case k == 0:
		return n, nil
	case x.Kind == muxframe.Hello && g.s == nil:
		err = g.hello(&x, raw)
	case x.Kind == muxframe.Resume && g.s == nil:
		err = g.resume(&x)
	case x.Kind == muxframe.Proof && g.s != nil:
		err = g.proven(&x)
	default:
		return g.refuse(n, muxframe.Greeting{Code: muxframe.RefusedMalformed}, muxframe.Broken(x.Kind.String()+" out of turn"))
	}
	var r *refusal
	if errors.As(err, &r) {
		return g.refuse(n, r.Greeting, r)
	}
	return n, err
}

// refusal is what refuses a connection.
type refusal struct {
	muxframe.Greeting
}

func (r *refusal) Error() string { return "tcpmux: " + r.Code.String() }

func refuse(code muxframe.Refusal) error { return &refusal{muxframe.Greeting{Code: code}} }

// refuse tells the peer why it is refused, and ends the connection.
func (g *greeter) refuse(n int, x muxframe.Greeting, err error) (int, error) {
	x.Kind = muxframe.Refused
	b := []byte(nil)
	if g.s == nil {
		b = append(b, muxframe.Magic...)
	}
	_, _ = g.nc.Post(netconn.Final, muxframe.AppendGreeting(b, &x))
	g.refused(err)
	return n, netconn.ErrDoneEarly
}

// refused tells Config.OnRefused, once.
func (g *greeter) refused(err error) {
	if g.known {
		return
	}
	g.known = true
	g.l.refused(g.nc.RemoteAddr(), err)
}

// hello begins a new session.
func (g *greeter) hello(x *muxframe.Greeting, raw []byte) error {
	l := g.l
	private, public := newKey()
	answer := muxframe.Greeting{
		Kind: muxframe.Welcome, Features: x.Features & l.cfg.features(), Key: public, Limits: l.cfg.limits(),
	}
	_, _ = rand.Read(answer.ID[:])
	welcome := muxframe.AppendGreeting(nil, &answer)
	secret, err := agree(private, x.Key, raw, welcome, g.proof.bound)
	if err != nil {
		return fmt.Errorf("tcpmux: %w", err)
	}
	s := newSession(l.cfg, answer.ID, secret, x.Limits, answer.Features, false)
	s.from = l
	if err := l.enter(s); err != nil {
		return err
	}
	_, _ = g.nc.Post(netconn.Whole, append([]byte(muxframe.Magic), welcome...))
	g.over.Store(true)
	s.mu.Lock()
	c := s.attach(g.nc, 0)
	s.unlock()
	g.become(c)
	l.announce(s)
	return nil
}

// become hands the connection to c.
func (g *greeter) become(c *conn) {
	g.nc.Become(c)
	c.s.mu.Lock()
	c.alarm = 0 // the alarm of before may have come to g
	c.setAlarm()
	c.s.mu.Unlock()
}

// resume asks for a proof.
func (g *greeter) resume(x *muxframe.Greeting) error {
	s, err := g.l.find(x.ID)
	if err != nil {
		return err
	}
	g.s = s
	g.proof = proof{secret: s.secret, id: s.id, dialler: x.Nonce, asked: newNonce(), bound: g.proof.bound}
	_, _ = g.nc.Post(netconn.Whole, muxframe.AppendGreeting([]byte(muxframe.Magic), &muxframe.Greeting{
		Kind: muxframe.Challenge, Nonce: g.proof.asked,
	}))
	return nil
}

// proven goes on with a session: the connection that it has is fenced off, and from then on nothing more is received there.
func (g *greeter) proven(x *muxframe.Greeting) error {
	s := g.s
	g.proof.theDiallerHas = x.Received
	if !g.proof.shows(sideDialler, x.MAC) {
		return refuse(muxframe.RefusedProof)
	}
	fence, received, ok := s.fenceOff()
	if !ok {
		_, err := g.l.find(s.id)
		return err
	}
	g.proof.theListenerHas = received
	_, _ = g.nc.Post(netconn.Whole, muxframe.AppendGreeting(nil, &muxframe.Greeting{
		Kind: muxframe.Resumed, Received: received, MAC: g.proof.mac(sideListener),
	}))
	g.over.Store(true)
	c := s.goOn(g.nc, fence, x.Received)
	if c == nil {
		return netconn.ErrAbort // the dialler has come again, or says what cannot be; either is its affair
	}
	g.l.back(s)
	g.become(c)
	return nil
}

// fenceOff takes away the connection that a session has, if there is one, for another that has proven itself: from now on
// nothing more is received there. fence is what the other goes on with. ok is false when the session has ended.
func (s *Session) fenceOff() (fence, received uint64, ok bool) {
	s.mu.Lock()
	if s.end != nil {
		s.mu.Unlock()
		return 0, 0, false
	}
	old := s.conn
	if old != nil {
		s.detach(errReplaced)
	}
	s.fence++
	fence, received = s.fence, s.core.Received()
	s.unlock()
	if old != nil {
		old.nc.Abort()
	}
	return fence, received, true
}

// goOn makes nc the session's connection, unless another one has been let through the fence meanwhile. Its peer has received
// so much.
func (s *Session) goOn(nc *netconn.Conn, fence, received uint64) (c *conn) {
	s.mu.Lock()
	defer s.unlock()
	if s.fence == fence {
		c = s.attach(nc, received)
	}
	if s.conn == nil && s.end == nil {
		s.from.waits(s)
	}
	return c
}

// Alarm implements netconn.Alarmer: the handshake takes too long.
func (g *greeter) Alarm() {
	if !g.over.Load() {
		g.nc.Abort()
	}
}

// End implements netconn.Protocol.
func (g *greeter) End(_ *netconn.Conn, err error) {
	g.refused(plain(err))
}
