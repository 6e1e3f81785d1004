package session

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/http3/internal/cost"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// Sessions are the sessions of WebTransport on a connection. A CONNECT is granted one before its handler runs; the handler opens it.
// Streams that the client opens for a session that is not open yet wait:
//
//	CONNECT ─► granted ─► handler: webtransport.Accept ─► open ─► end of the CONNECT's stream
//	stream, its session's id ─► waiting ──────────────────┘
//
// All methods may be called concurrently.
type Sessions struct {
	owner    Owner
	qc       QUIC
	most     int
	patience time.Duration

	settled chan struct{} // closed when the client's settings have come
	set     h3frame.PeerSettings

	mu        sync.Mutex
	granted   map[uint64]*grant
	waiting   waitingStreams
	count     atomic.Int32 // how many of them count; read without the lock
	receiving bool         // datagrams are received
	away      bool         // the connection takes no more requests

	datagrams datagrams
}

// grant is a session that is open, or may be opened by a handler.
type grant struct {
	alone bool  // by its draft it must be the only one
	left  bool  // it has ended, but not its stream: it does not count any more
	guest Guest // nil until it is open
}

// New returns the sessions of a connection, of which at most most may be open at once. patience is the time limit for the client's
// settings, and a stream's header and session.
func New(owner Owner, qc QUIC, most int, patience time.Duration) *Sessions {
	if patience <= 0 {
		patience = defaultPatience
	}
	return &Sessions{
		owner: owner, qc: qc, most: most, patience: patience,
		settled: make(chan struct{}), granted: map[uint64]*grant{}, datagrams: datagrams{qc: qc, out: make(chan outgoing)},
	}
}

// defaultPatience is the time limit at a server whose requests may take any time.
const defaultPatience = 10 * time.Second

// Patience returns the time limit for the header of a stream.
func (a *Sessions) Patience() time.Duration { return a.patience }

// Offer appends the settings that offer sessions (draft-ietf-webtrans-http3 §3.1, and its earlier drafts). With drafts 13 and 14 an offer
// of more than one session turns on flow control for sessions, which we do not have.
func (a *Sessions) Offer(set []h3frame.SettingValue) []h3frame.SettingValue {
	return append(set,
		h3frame.SettingValue{ID: h3frame.H3Datagram, Value: 1},
		h3frame.SettingValue{ID: h3frame.EnableWebTransport, Value: 1},
		h3frame.SettingValue{ID: h3frame.WebTransportSessions, Value: uint64(a.most)},
		h3frame.SettingValue{ID: h3frame.WebTransportLimit, Value: 1},
		h3frame.SettingValue{ID: h3frame.WebTransportEnabled, Value: 1})
}

// Settle records the client's settings.
func (a *Sessions) Settle(set h3frame.PeerSettings) {
	a.set = set
	close(a.settled)
}

// The protocols of extended CONNECT that open a session.
const (
	protocolDraft15 = "webtransport-h3"
	protocolBefore  = "webtransport"
)

var (
	errSessionID = &h3frame.Error{Code: h3frame.IDError, Violation: shockwave.Violation{Rule: "draft-ietf-webtrans-http3 §4", Msg: "session identifier that is no client request"}}
	errDatagram  = &h3frame.Error{Code: h3frame.DatagramError, Violation: shockwave.Violation{Rule: "RFC 9297 §2.1", Msg: "datagram without a session identifier"}}
	errTooMany   = &h3frame.Error{Code: h3frame.RequestRejected, Scope: h3frame.Stream, Violation: shockwave.Violation{Rule: "draft-ietf-webtrans-http3 §5.2", Msg: "too many sessions on the connection"}}
	errNeeds     = &h3frame.Error{Code: h3frame.MessageError, Scope: h3frame.Stream, Violation: shockwave.Violation{Rule: "draft-ietf-webtrans-http3 §3.1", Msg: "client does not support datagrams"}}
)

// Grant grants the request id a session, if its protocol asks for one. It waits for the client's settings.
func (a *Sessions) Grant(id uint64, protocol string) (granted bool, err *h3frame.Error) {
	if protocol != protocolDraft15 && protocol != protocolBefore {
		return false, nil
	}
	late := time.NewTimer(a.patience)
	defer late.Stop()
	select {
	case <-a.settled:
	case <-late.C:
		return false, errNeeds
	case <-a.qc.Ended():
		return false, errNeeds
	}
	if !a.set.Datagrams || !a.qc.TakesDatagrams() {
		return false, errNeeds
	}
	g := &grant{alone: protocol == protocolDraft15}
	a.mu.Lock()
	defer a.mu.Unlock()
	if n := int(a.count.Load()); n >= a.most || g.alone && n > 0 {
		return false, errTooMany
	}
	a.granted[id] = g
	a.count.Add(1)
	return true, nil
}

// Forget is called when the stream of a CONNECT has ended, and its session with it.
func (a *Sessions) Forget(id uint64) {
	a.mu.Lock()
	a.leaveLocked(a.granted[id])
	delete(a.granted, id)
	late := a.waiting.take(id)
	a.mu.Unlock()
	for _, w := range late {
		w.refuse(h3frame.BufferedStreamRejected)
	}
}

// leaveLocked removes a session from the count.
func (a *Sessions) leaveLocked(g *grant) {
	if g != nil && !g.left {
		g.left = true
		a.count.Add(-1)
	}
}

// GoingAway tells all sessions, and those that are opened later, that the connection refuses further requests.
func (a *Sessions) GoingAway() {
	a.mu.Lock()
	a.away = true
	var all []Guest
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
func (a *Sessions) guest(id uint64) Guest {
	a.mu.Lock()
	defer a.mu.Unlock()
	if g := a.granted[id]; g != nil {
		return g.guest
	}
	return nil
}

// Some reports whether there are sessions.
func (a *Sessions) Some() bool {
	return a != nil && a.count.Load() > 0
}

// Open makes guest the session of the request r, which has this id. ok is false if it was not granted one, or has one already.
func (a *Sessions) Open(id uint64, r Request, guest Guest) (ok bool) {
	a.mu.Lock()
	g := a.granted[id]
	if g == nil || g.guest != nil {
		a.mu.Unlock()
		return false
	}
	guest.Begin(&sessionConn{a, r, id})
	g.guest = guest
	early := a.waiting.take(id)
	receive := !a.receiving
	a.receiving = true
	away := a.away
	a.mu.Unlock()
	for _, w := range early {
		w.give(guest)
	}
	if receive {
		go a.receive()
	}
	if away {
		guest.GoingAway()
	}
	return true
}

// leave removes the session id, which has ended, from the count.
func (a *Sessions) leave(id uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.leaveLocked(a.granted[id])
}

// HandlerFailed tells the session of the request id that its handler has panicked.
func (a *Sessions) HandlerFailed(id uint64) {
	if g := a.guest(id); g != nil {
		g.HandlerFailed()
	}
}

// Arrive passes a stream to the session id by give, makes it wait for the session, or refuses it by refuse.
func (a *Sessions) Arrive(id uint64, give func(to Guest), refuse func(code h3frame.Code)) {
	if id%4 != 0 {
		a.owner.Fail(errSessionID)
		return
	}
	a.mu.Lock()
	g := a.granted[id]
	if g != nil && g.guest != nil {
		a.mu.Unlock()
		give(g.guest)
		return
	}
	code := h3frame.BufferedStreamRejected
	switch {
	case g == nil && a.owner.IsPast(id):
		code = h3frame.SessionGone
	case a.waiting.hasRoom():
		w := &waitingStream{id: id, give: give, refuse: refuse}
		w.late = time.AfterFunc(a.patience, func() { a.expire(w) })
		a.waiting.add(w)
		a.mu.Unlock()
		return
	}
	a.mu.Unlock()
	refuse(code)
	a.owner.Charge(cost.Refused)
}

// expire refuses a stream that has waited for too long.
func (a *Sessions) expire(w *waitingStream) {
	a.mu.Lock()
	there := a.waiting.remove(w)
	a.mu.Unlock()
	if there {
		w.refuse(h3frame.BufferedStreamRejected)
		a.owner.Charge(cost.Refused)
	}
}

// receive passes the client's datagrams to their sessions, until the connection ends. Those of unknown sessions are dropped. It runs from
// the first session on; earlier datagrams wait in QUIC, which bounds them.
func (a *Sessions) receive() {
	for {
		p, err := a.qc.ReceiveDatagram()
		if err != nil {
			return
		}
		id, n, ok := h3frame.DatagramSession(p)
		if !ok {
			a.owner.Fail(errDatagram)
			return
		}
		if g := a.guest(id); g != nil {
			g.AddDatagram(p[n:])
		}
	}
}

// sessionConn is the view that one session has of the connection. It implements Conn.
type sessionConn struct {
	a  *Sessions
	r  Request
	id uint64
}

func (c *sessionConn) OpenStream(ctx context.Context) (Stream, error) {
	return c.a.qc.OpenSession(ctx, h3frame.AppendSessionHeader(nil, false, c.id))
}

func (c *sessionConn) OpenUniStream(ctx context.Context) (Send, error) {
	return c.a.qc.OpenUniSession(ctx, h3frame.AppendSessionHeader(nil, true, c.id))
}

func (c *sessionConn) SendDatagram(ctx context.Context, p []byte) error {
	return c.a.datagrams.send(ctx, c.id, p)
}

func (c *sessionConn) Abort(err *h3frame.Error) {
	if err.Who == shockwave.Peer {
		c.r.Refuse(err)
	} else {
		c.r.Reset(err.Code)
	}
}

func (c *sessionConn) Leave()         { c.a.leave(c.id) }
func (c *sessionConn) ChargeCapsule() { c.a.owner.Charge(cost.Capsule) }
