package http3

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/http3/internal/session"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// sessions are the sessions of WebTransport on a connection (draft-ietf-webtrans-http3). A CONNECT is granted one before its handler
// runs; the handler makes it open. What the client sends for one that is not open yet waits:
//
//	CONNECT ─► granted ─► handler: webtransport.Accept ─► open ─► end of the CONNECT's stream
//	stream, its session's id ─► waiting ──────────────────┘
type sessions struct {
	k        *conn
	most     int
	patience time.Duration // for the client's settings, for a stream's header and session

	settled chan struct{} // closed when the client's settings have come
	set     h3frame.PeerSettings

	mu        sync.Mutex
	granted   map[uint64]*grant
	waiting   []*waitingStream
	count     atomic.Int32 // how many of them count; read without the lock
	receiving bool         // datagrams are received

	sending sync.Once
	out     chan outgoing
}

// grant is a session that is open, or may be opened by a handler.
type grant struct {
	alone bool          // by its draft it must be the only one
	left  bool          // it has ended, but not its stream: it does not count any more
	guest session.Guest // nil until it is open
}

// newSessions returns the sessions of k, or nil if none are offered.
func newSessions(k *conn) *sessions {
	if k.s.cfg.WebTransportSessions <= 0 {
		return nil
	}
	p := k.s.settings.HeadTimeout
	if p <= 0 {
		p = defaultPatience
	}
	return &sessions{
		k: k, most: k.s.cfg.WebTransportSessions, patience: p,
		settled: make(chan struct{}), granted: map[uint64]*grant{}, out: make(chan outgoing),
	}
}

// defaultPatience is sessions.patience of a server whose requests may take any time.
const defaultPatience = 10 * time.Second

// offer appends the settings that offer sessions (draft-ietf-webtrans-http3 §3.1, and its earlier drafts). The drafts 13 and 14 turn a
// flow control on, which we do not have, if they are offered more than one session.
func (a *sessions) offer(set []h3frame.SettingValue) []h3frame.SettingValue {
	return append(set,
		h3frame.SettingValue{ID: h3frame.H3Datagram, Value: 1},
		h3frame.SettingValue{ID: h3frame.EnableWebTransport, Value: 1},
		h3frame.SettingValue{ID: h3frame.WebTransportSessions, Value: uint64(a.most)},
		h3frame.SettingValue{ID: h3frame.WebTransportLimit, Value: 1},
		h3frame.SettingValue{ID: h3frame.WebTransportEnabled, Value: 1})
}

// settle notes the client's settings.
func (a *sessions) settle(set h3frame.PeerSettings) {
	a.set = set
	close(a.settled)
}

// The protocols of extended CONNECT that open a session.
const (
	protocolDraft15 = "webtransport-h3"
	protocolBefore  = "webtransport"
)

var (
	errTooMany = &h3frame.Error{Code: h3frame.RequestRejected, Scope: h3frame.Stream, Violation: shockwave.Violation{Rule: "draft-ietf-webtrans-http3 §5.2", Msg: "more sessions at once than the connection may have"}}
	errNeeds   = &h3frame.Error{Code: h3frame.MessageError, Scope: h3frame.Stream, Violation: shockwave.Violation{Rule: "draft-ietf-webtrans-http3 §3.1", Msg: "a session for a client that takes no datagrams"}}
)

// grantTo grants the request m a session, if it asks for one. A client that has not said what it is able to is waited for.
func (a *sessions) grantTo(m *stream) *h3frame.Error {
	if p := m.head.Protocol; p != protocolDraft15 && p != protocolBefore {
		return nil
	}
	late := time.NewTimer(a.patience)
	defer late.Stop()
	select {
	case <-a.settled:
	case <-late.C:
		return errNeeds
	case <-a.k.qc.ended():
		return errNeeds
	}
	if !a.set.Datagrams || !a.k.qc.takesDatagrams() {
		return errNeeds
	}
	g := &grant{alone: m.head.Protocol == protocolDraft15}
	a.mu.Lock()
	defer a.mu.Unlock()
	if n := int(a.count.Load()); n >= a.most || g.alone && n > 0 {
		return errTooMany
	}
	a.granted[m.str.id()] = g
	a.count.Add(1)
	m.granted = true
	return nil
}

// forget notes that the stream of a CONNECT has ended, and its session with it.
func (a *sessions) forget(id uint64) {
	a.mu.Lock()
	a.leave(a.granted[id])
	delete(a.granted, id)
	late := a.take(id)
	a.mu.Unlock()
	for _, w := range late {
		w.refuse(h3frame.BufferedStreamRejected)
	}
}

// leave has a session count no more. The caller must hold the lock.
func (a *sessions) leave(g *grant) {
	if g != nil && !g.left {
		g.left = true
		a.count.Add(-1)
	}
}

// goingAway tells all sessions that the connection takes no more requests.
func (a *sessions) goingAway() {
	a.mu.Lock()
	var all []session.Guest
	for _, g := range a.granted {
		if g.guest != nil {
			all = append(all, g.guest)
		}
	}
	a.mu.Unlock()
	for _, g := range all {
		g.GoingAway()
	}
}

// guest returns the session with this id, if it is open.
func (a *sessions) guest(id uint64) session.Guest {
	a.mu.Lock()
	defer a.mu.Unlock()
	if g := a.granted[id]; g != nil {
		return g.guest
	}
	return nil
}

// some reports whether there are sessions.
func (a *sessions) some() bool {
	return a != nil && a.count.Load() > 0
}

// OpenSession implements session.Host. The handler has taken the stream over.
func (m *stream) OpenSession(guest session.Guest) bool {
	a := m.k.sessions
	if a == nil || !m.granted {
		return false
	}
	id := m.str.id()
	a.mu.Lock()
	g := a.granted[id]
	if g == nil || g.guest != nil {
		a.mu.Unlock()
		return false
	}
	guest.Begin(&sessionConn{a, m, id})
	g.guest = guest
	early := a.take(id)
	receive := !a.receiving
	a.receiving = true
	a.mu.Unlock()
	for _, w := range early {
		w.give(guest)
	}
	if receive {
		go a.receive()
	}
	m.k.mu.Lock()
	draining := m.k.draining
	m.k.mu.Unlock()
	if draining {
		guest.GoingAway()
	}
	return true
}

// HandlerFailed implements carrier.Watcher.
func (m *stream) HandlerFailed() {
	if m.granted {
		if g := m.k.sessions.guest(m.str.id()); g != nil {
			g.HandlerFailed()
		}
	}
}

// sessionConn is the connection as one session sees it.
type sessionConn struct {
	a  *sessions
	m  *stream
	id uint64
}

// OpenStream implements session.Conn.
func (c *sessionConn) OpenStream(ctx context.Context) (session.Stream, error) {
	return c.a.k.qc.openSession(ctx, h3frame.AppendSessionHeader(nil, false, c.id))
}

// OpenUniStream implements session.Conn.
func (c *sessionConn) OpenUniStream(ctx context.Context) (session.Send, error) {
	return c.a.k.qc.openUniSession(ctx, h3frame.AppendSessionHeader(nil, true, c.id))
}

// Abort implements session.Conn.
func (c *sessionConn) Abort(err *h3frame.Error) {
	if err.Who == shockwave.Peer {
		c.m.refuse(err)
	} else {
		c.m.abort(err.Code)
	}
}

// Leave implements session.Conn.
func (c *sessionConn) Leave() {
	c.a.mu.Lock()
	defer c.a.mu.Unlock()
	c.a.leave(c.a.granted[c.id])
}

// ChargeCapsule implements session.Conn.
func (c *sessionConn) ChargeCapsule() { c.a.k.charge(costCapsule) }
