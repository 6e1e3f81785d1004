package serverconn

import (
	"bytes"
	"context"
	"errors"
	"net"
	"sync"

	"github.com/shockwave-go/shockwave/http3/internal/cost"
	"github.com/shockwave-go/shockwave/http3/internal/quicconn"
	"github.com/shockwave-go/shockwave/http3/internal/request"
	"github.com/shockwave-go/shockwave/http3/internal/session"
	"github.com/shockwave-go/shockwave/http3/internal/unistream"
	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// conn is a connection. mu guards the fields after it.
type conn struct {
	request.Conn
	g       *Group
	place   clock.Deadline
	control quicconn.Send // our control stream
	uni     *unistream.Streams
	quiet   *unistream.Quiet // nil with sessions of WebTransport

	mu         sync.Mutex
	phase      phase
	accepting  bool // a worker waits for a stream
	spare      bool // a worker was woken and has not arrived
	open       openStreams
	priorities priorities
	looks      looks
	rests      bool // the control stream has no goroutine
}

func newConn(g *Group, qc quicconn.Conn) *conn {
	now := g.Clock.Exact()
	k := &conn{g: g, Conn: request.Conn{Server: &g.Server, QC: qc, Budget: cost.New(g.cfg.Budget, now)}}
	k.Holder, k.Break = k, k.Fail
	k.open.idleSince = now
	k.MaxSection.Store(h3frame.MaxVarint)
	if most := g.cfg.Sessions; most > 0 {
		k.Sessions = session.New(k, qc, most, g.Settings.HeadTimeout)
		k.uni = unistream.OfSessions(qc, k, k.Sessions.Patience(), k.arriveUni)
	} else {
		k.uni, k.quiet = unistream.OfClient(qc, k)
	}
	return k
}

// serve starts to serve the connection, which was accepted at a socket, and returns.
func (k *conn) serve(at net.Listener) {
	if k.QC.Early() { // its requests have come already
		go k.awaitHandshake()
	} else if !k.awaitHandshake() { // what a client is, is known behind it
		k.end()
		return
	}
	var ok bool
	if k.Value, ok = k.g.connected(at, quicconn.NetConn(k.QC, &k.TLS)); !ok {
		k.Fail(errClosing)
		k.end()
		return
	}
	k.mu.Lock()
	k.armIdleLocked()
	accepting := context.Background()
	if k.quiet != nil {
		accepting = k.quiet.Settled()
		k.looks.begin(k.Clock.Now())
		k.Clock.Arm(k, k.looks.at)
	}
	k.mu.Unlock()
	go k.uni.Accept(accepting)
	k.Host.Wake(k)
}

// awaitHandshake waits until the handshake is complete. It returns false if the connection has ended before.
func (k *conn) awaitHandshake() bool {
	select {
	case <-k.QC.Handshaken():
		k.QC.NoteHandshaken()
		return true
	case <-k.QC.Ended():
		return false
	}
}

// greet opens our control stream with our settings (RFC 9114 §6.2.1). There is no dynamic table (RFC 9204 §5), which is the default and
// not said.
func (k *conn) greet() error {
	u, err := k.QC.OpenUni()
	if err != nil {
		return err
	}
	k.control = u
	set := []h3frame.SettingValue{}
	if most := k.Settings.MaxHeadBytes; most > 0 {
		set = append(set, h3frame.SettingValue{ID: h3frame.MaxFieldSectionSize, Value: uint64(most)})
	}
	if k.Settings.ExtendedConnect {
		set = append(set, h3frame.SettingValue{ID: h3frame.EnableConnectProtocol, Value: 1})
	}
	if k.Sessions != nil {
		set = k.Sessions.Offer(set)
	}
	b := h3frame.AppendVarint(nil, uint64(h3frame.ControlStream))
	_, err = u.Write(h3frame.AppendSettings(b, set...))
	return err
}

// Fail ends the connection with err. Requests in progress fail.
func (k *conn) Fail(err error) {
	code := h3frame.InternalError
	if e, ok := errors.AsType[*h3frame.Error](err); ok {
		code = e.Code
		k.Host.Refused()
		k.Settings.Log.Debug("http3: connection refused", "err", err, "remote", k.QC.RemoteAddr())
	} else if err == errClosing {
		code = h3frame.NoError
	}
	k.QC.Close(code, err.Error())
}

// traffic implements member.
func (k *conn) traffic() quicconn.Traffic { return k.QC.Traffic() }

// Now implements carrier.Job.
func (k *conn) Now() int64 { return k.Host.Now() }

// Work implements carrier.Job: it accepts streams and handles them, until another worker does so. Shutdown waits for the handlers by the
// open streams, not by the workers, one of which always waits.
func (k *conn) Work() {
	k.Host.Away()
	defer k.Host.Back() // also if a handler ends the goroutine
	k.mu.Lock()
	k.spare = false
	for !k.accepting && k.phase < over {
		k.accepting = true
		k.mu.Unlock()
		str, err := k.QC.Accept()
		k.mu.Lock()
		k.accepting = false
		if err != nil {
			k.mu.Unlock()
			k.end()
			return
		}
		m := k.admitLocked(str)
		if !k.spare {
			k.spare = true
			k.Host.Wake(k)
		}
		k.mu.Unlock()
		if m == nil {
			k.refuse(str)
		} else {
			k.answer(m)
		}
		k.mu.Lock()
	}
	k.mu.Unlock()
}

// admitLocked records an accepted stream. It returns nil if the stream comes too late.
func (k *conn) admitLocked(str quicconn.Stream) *request.Stream {
	late := k.phase.refuses()
	if late && !k.Sessions.Some() { // with sessions, it may be one of their streams
		return nil
	}
	if k.rests {
		k.rests = false
		k.quiet.Wake()
	}
	m := k.g.streams.Get().(*request.Stream)
	k.open.add(m, &k.Conn, k, str, late)
	k.priorities.arrive(m)
	return m
}

// answer handles a request, and keeps its stream for a later one.
func (k *conn) answer(m *request.Stream) {
	returned := false
	defer func() {
		if !returned { // runtime.Goexit: this worker ends, another one goes on
			k.Host.Wake(k)
		}
	}()
	again := m.Run()
	returned = true
	if again {
		k.g.streams.Put(m)
	}
}

// refuse refuses a request that comes after our GOAWAY: the client may send it elsewhere (RFC 9114 §4.1.1).
func (k *conn) refuse(str quicconn.Stream) {
	str.Stop(h3frame.RequestRejected)
	str.Reset(h3frame.RequestRejected)
	str.Release()
	k.Charge(cost.Refused)
}

// ControlEvent implements unistream.Owner.
func (k *conn) ControlEvent(ev *h3frame.Event) {
	switch ev.Type {
	case h3frame.Settings:
		k.MaxSection.Store(ev.Settings.MaxFieldSection)
		if k.Sessions != nil {
			k.Sessions.Settle(ev.Settings)
		}
	case h3frame.PriorityUpdateRequest:
		k.mu.Lock()
		k.priorities.update(&k.open, ev.ID, ev.Priority)
		k.mu.Unlock()
		k.Charge(cost.Priority)
	default:
		k.Charge(cost.Control)
	}
}

// Prioritize implements request.Owner.
func (k *conn) Prioritize(m *request.Stream, field string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.priorities.head(&k.open, m, field)
}

// IsPast implements session.Owner.
func (k *conn) IsPast(id uint64) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.open.isPast(id)
}

// arriveUni passes a unidirectional stream to its session. ahead holds bytes that were read after its header.
func (k *conn) arriveUni(u quicconn.Receive, id uint64, ahead []byte) {
	u.Release() // another one may come when this one has ended
	ahead = bytes.Clone(ahead)
	k.Sessions.Arrive(id, func(to session.Guest) { to.AddUniStream(u.ForSession(ahead)) }, u.Stop)
}
