package tcpmux

import (
	"crypto/rand"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/wire/muxframe"
	"github.com/shockwave-go/shockwave/tcpmux/internal/secret"
)

// greeter is the protocol of an accepted connection until the greeting is complete and a session takes over.
//
//	magic ──► HELLO ──► WELCOME: a new session
//	      └─► RESUME ──► CHALLENGE ──► PROOF ──► RESUMED: a session goes on
type greeter struct {
	l         *Listener
	nc        *netconn.Conn
	magicRead bool
	s         *Session // the session that is to be resumed
	proof     secret.Proof
	reported  bool        // OnRefused was called
	done      atomic.Bool // the greeting is complete: alarms are the session's
}

var (
	_ netconn.Protocol = (*greeter)(nil)
	_ netconn.Alarmer  = (*greeter)(nil)
)

// Data implements netconn.Protocol.
func (g *greeter) Data(nc *netconn.Conn, in []byte) (n int, err error) {
	if !g.magicRead {
		if n, err = muxframe.ParseMagic(in); err != nil {
			return g.refuse(len(in), muxframe.Greeting{Code: muxframe.RefusedMalformed}, err)
		}
		if n == 0 {
			return 0, nil
		}
		if g.proof.Binding, err = secret.Binding(nc.TLS()); err != nil {
			return n, err
		}
		g.magicRead = true
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
		err = g.checkProof(&x)
	default:
		return g.refuse(n, muxframe.Greeting{Code: muxframe.RefusedMalformed}, muxframe.Broken(x.Kind.String()+" out of turn"))
	}
	var r *refusalError
	if errors.As(err, &r) {
		return g.refuse(n, r.Greeting, r)
	}
	return n, err
}

// refusalError is an error that is sent to the peer as a REFUSED greeting.
type refusalError struct {
	muxframe.Greeting
}

func (r *refusalError) Error() string { return "tcpmux: " + r.Code.String() }

func refuse(code muxframe.Refusal) error { return &refusalError{muxframe.Greeting{Code: code}} }

// refuse sends REFUSED to the peer and ends the connection.
func (g *greeter) refuse(n int, x muxframe.Greeting, err error) (int, error) {
	x.Kind = muxframe.Refused
	b := []byte(nil)
	if g.s == nil {
		b = append(b, muxframe.Magic...)
	}
	_, _ = g.nc.Post(netconn.Final, muxframe.AppendGreeting(b, &x))
	g.reportRefusal(faceError(err))
	return n, netconn.ErrDoneEarly
}

// reportRefusal calls Config.OnRefused, once.
func (g *greeter) reportRefusal(err error) {
	if g.reported {
		return
	}
	g.reported = true
	g.l.refused(g.nc.RemoteAddr(), err)
}

// hello replies to HELLO and starts a new session.
func (g *greeter) hello(x *muxframe.Greeting, raw []byte) error {
	l := g.l
	private, public := secret.NewKey()
	answer := muxframe.Greeting{
		Kind: muxframe.Welcome, Features: x.Features & l.cfg.features(), Key: public, Limits: l.cfg.limits(),
	}
	_, _ = rand.Read(answer.ID[:])
	welcome := muxframe.AppendGreeting(nil, &answer)
	secret, err := secret.Derive(private, x.Key, raw, welcome, g.proof.Binding)
	if err != nil {
		return fmt.Errorf("tcpmux: %w", err)
	}
	s := newSession(l.cfg, answer.ID, secret, x.Limits, answer.Features, false)
	s.origin = l
	if err := l.add(s); err != nil {
		return err
	}
	_, _ = g.nc.Post(netconn.Whole, append([]byte(muxframe.Magic), welcome...))
	g.done.Store(true)
	s.mu.Lock()
	c := s.attachLocked(g.nc, 0)
	s.unlock()
	if c == nil { // the session has ended already: the listener was closed, or the program has aborted it
		return netconn.ErrAbort
	}
	g.become(c)
	l.announce(s)
	return nil
}

// become makes c the protocol of the connection.
func (g *greeter) become(c *conn) {
	g.nc.Become(c)
	c.s.mu.Lock()
	c.alarmAt = 0 // an alarm set before may have been delivered to g
	c.setAlarmLocked()
	c.s.mu.Unlock()
}

// resume replies to RESUME with a CHALLENGE.
func (g *greeter) resume(x *muxframe.Greeting) error {
	s, err := g.l.find(x.ID)
	if err != nil {
		return err
	}
	g.s = s
	g.proof = secret.Proof{Secret: s.secret, ID: s.id, DiallerNonce: x.Nonce, ListenerNonce: secret.NewNonce(), Binding: g.proof.Binding}
	_, _ = g.nc.Post(netconn.Whole, muxframe.AppendGreeting([]byte(muxframe.Magic), &muxframe.Greeting{
		Kind: muxframe.Challenge, Nonce: g.proof.ListenerNonce,
	}))
	return nil
}

// checkProof replies to PROOF and resumes the session. The session's old connection is fenced off first, so that nothing more
// is received on it after RESUMED has said how much was received.
func (g *greeter) checkProof(x *muxframe.Greeting) error {
	s := g.s
	g.proof.DiallerReceived = x.Received
	if !g.proof.Verify(secret.Dialler, x.MAC) {
		return refuse(muxframe.RefusedProof)
	}
	fence, received, ok := s.fenceOff()
	if !ok {
		_, err := g.l.find(s.id)
		return err
	}
	g.proof.ListenerReceived = received
	_, _ = g.nc.Post(netconn.Whole, muxframe.AppendGreeting(nil, &muxframe.Greeting{
		Kind: muxframe.Resumed, Received: received, MAC: g.proof.MAC(secret.Listener),
	}))
	g.done.Store(true)
	c := s.resumeOn(g.nc, fence, x.Received)
	if c == nil {
		return netconn.ErrAbort // the dialler has connected again meanwhile, or its count is impossible
	}
	g.become(c)
	return nil
}

// Alarm implements netconn.Alarmer: the handshake has timed out.
func (g *greeter) Alarm() {
	if !g.done.Load() {
		g.nc.Abort()
	}
}

// End implements netconn.Protocol.
func (g *greeter) End(_ *netconn.Conn, err error) {
	g.reportRefusal(breakError(err))
}
