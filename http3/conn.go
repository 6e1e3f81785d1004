package http3

import "github.com/shockwave-go/shockwave"

import (
	"context"
	"errors"
	"net"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/defaults"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
	"github.com/shockwave-go/shockwave/internal/wire/peerbudget"
)

// conn is a connection. Its requests are answered by workers of the server's, one of which waits for the next request stream:
//
//	stream ─► worker: head, handler, answer ─► the next stream
//	          └────► spare worker: waits for the next stream meanwhile
//
// So one worker answers as many requests as have arrived, and none waits for a handler that blocks.
type conn struct {
	s     *Server
	qc    quicConn
	value any // Request.ConnValue
	place clock.Deadline

	mostFields atomic.Uint64 // the largest field section that the client takes

	mu        sync.Mutex
	tlsState  *tlsState // nil before the first request
	accepting bool      // a worker waits for a stream
	spare     bool      // a worker was woken and has not arrived
	over      bool      // the connection has ended
	left      bool      // leave was called
	first     *stream   // the open streams, linked by prev and next
	open      int       // how many there are
	taken     int       // how many of them handlers have taken over
	served    int       // requests so far
	next      uint64    // the identifier of the next request stream
	refuses   bool      // the last GOAWAY was sent: streams from next on are refused
	finishes  bool      // finish was called
	alone     bool      // Shutdown does not wait for the connection; guarded by Server.mu
	idleSince int64     // since when no stream is open; 0 while there is one
	owed      quicStream
	owes      bool // owed is a stream whose credit is given back with the next answer
	budget    peerbudget.Budget
	control   quicSend
	uni       peerStreams
	looks     looks
	draining  bool
	sessions  *sessions // of WebTransport; nil: not offered

	priorities priorities
}

// The costs of what makes no progress, in units, as HTTP/2 has them.
const (
	costIdle     = 2 // a frame of unknown type, or DATA without bytes
	costReset    = 2 // a request that the client gives up
	costPriority = 1
	costControl  = 5 // any other frame of the control stream
	costStream   = 5 // a unidirectional stream of unknown type
	costRefused  = 2 // a request beyond our GOAWAY; a stream of a session that does not exist
	costCapsule  = 2 // a capsule of unknown type

	earnMessage   = 4
	defaultBudget = peerbudget.Default
)

var errCalm = &h3frame.Error{Code: h3frame.ExcessiveLoad, Violation: shockwave.Violation{Rule: "RFC 9114 §10.5", Msg: "too much work without progress"}}

// serve serves a connection that was accepted at a socket.
func (s *Server) serve(qc quicConn, at net.Listener) {
	k := &conn{s: s, qc: qc, idleSince: s.clock.Exact(), budget: peerbudget.New(s.cfg.Budget, s.clock.Exact())}
	k.mostFields.Store(h3frame.MaxVarint)
	k.uni.qc, k.uni.owner = qc, k
	if k.sessions = newSessions(k); k.sessions != nil {
		k.uni.session, k.uni.patience = k.sessions.arriveUni, k.sessions.patience
	} else {
		k.uni.quiet = newQuietStreams(&k.uni)
	}
	if err := k.greet(); err != nil {
		k.fail(err)
		return
	}
	if !s.join(k) {
		k.fail(errClosing)
		return
	}
	if qc.early() { // its requests have come already
		go k.awaitHandshake()
	} else if !k.awaitHandshake() { // what a client is, is known behind it
		k.end()
		return
	}
	if !k.connected(at) {
		k.fail(errClosing)
		k.end()
		return
	}
	k.mu.Lock()
	k.armIdle()
	accepting := context.Background()
	if k.uni.quiet != nil {
		accepting = k.uni.quiet.settled
		k.armLook(firstLook)
	}
	k.mu.Unlock()
	go k.uni.accept(accepting)
	s.carrier.Wake(k)
}

// connected tells the host of the connection. It returns false if the program's hook has panicked.
func (k *conn) connected(at net.Listener) (ok bool) {
	defer func() {
		if ok {
			return
		}
		k.s.panics.Add(1)
		k.s.settings.Log.Error("http3: a hook panicked", "panic", recover(), "remote", k.qc.remoteAddr(), defaults.StackKey, string(debug.Stack()))
	}()
	k.value = k.s.carrier.Connected(at, &netConn{k})
	return true
}

// join adds k to the connections. It returns false if the server is shutting down.
func (s *Server) join(k *conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.draining.Load() {
		return false
	}
	s.conns[k] = struct{}{}
	s.alive++
	s.carrier.Join()
	return true
}

// awaitHandshake waits until the handshake is complete. It returns false if the connection has ended before.
func (k *conn) awaitHandshake() bool {
	select {
	case <-k.qc.handshaken():
		k.qc.noteHandshaken()
		return true
	case <-k.qc.ended():
		return false
	}
}

// greet opens our control stream with our settings (RFC 9114 §6.2.1). There is no dynamic table (RFC 9204 §5), so that is not
// said.
func (k *conn) greet() error {
	u, err := k.qc.openUni()
	if err != nil {
		return err
	}
	k.control = u
	set := []h3frame.SettingValue{}
	if most := k.s.settings.MaxHeadBytes; most > 0 {
		set = append(set, h3frame.SettingValue{ID: h3frame.MaxFieldSectionSize, Value: uint64(most)})
	}
	if k.s.settings.ExtendedConnect {
		set = append(set, h3frame.SettingValue{ID: h3frame.EnableConnectProtocol, Value: 1})
	}
	if k.sessions != nil {
		set = k.sessions.offer(set)
	}
	b := h3frame.AppendVarint(nil, uint64(h3frame.ControlStream))
	_, err = u.Write(h3frame.AppendSettings(b, set...))
	return err
}

// fail ends the connection with err. What is in progress fails.
func (k *conn) fail(err error) {
	code := h3frame.InternalError
	if e, ok := errors.AsType[*h3frame.Error](err); ok {
		code = e.Code
		k.s.carrier.Refused()
		k.s.settings.Log.Debug("http3: connection refused", "err", err, "remote", k.qc.remoteAddr())
	} else if err == errClosing {
		code = h3frame.NoError
	}
	k.qc.close(code, err.Error())
}

// Work implements carrier.Job: it accepts streams and answers them, until another worker does so. Shutdown waits for the handlers by the
// open streams, not by the workers, one of which always waits.
func (k *conn) Work() {
	k.s.carrier.Away()
	defer k.s.carrier.Back() // also if a handler ends the goroutine
	k.mu.Lock()
	k.spare = false
	for !k.accepting && !k.over {
		k.accepting = true
		k.mu.Unlock()
		str, err := k.qc.accept()
		k.mu.Lock()
		k.accepting = false
		if err != nil {
			k.mu.Unlock()
			k.end()
			return
		}
		m, refuse := k.admit(str)
		if !k.spare {
			k.spare = true
			k.s.carrier.Wake(k)
		}
		k.mu.Unlock()
		if refuse {
			k.refuse(str)
		} else {
			m.run()
		}
		k.mu.Lock()
	}
	k.mu.Unlock()
}

// Now implements carrier.Job.
func (k *conn) Now() int64 { return k.s.carrier.Now() }

// admit notes a stream that was accepted. refuse is true if it comes too late. The credit of each stream is given back with the answer
// of the next one, in the same packet. The caller must hold the lock.
func (k *conn) admit(str quicStream) (m *stream, refuse bool) {
	late := k.refuses
	if late && !k.sessions.some() { // with sessions, it may be one of their streams
		return nil, true
	}
	if !late {
		k.next = max(k.next, str.id()+4)
	}
	k.served++
	k.idleSince = 0
	if k.looks.rests {
		k.looks.rests = false
		k.uni.quiet.wake()
	}
	m = k.s.streams.Get().(*stream)
	m.begin(k, str)
	m.late = late
	if k.owes {
		m.credit, m.hasCredit = k.owed, true
	}
	k.owed, k.owes = str, true
	k.link(m)
	k.arrives(m)
	return m, false
}

// link puts m on the list of open streams. The caller must hold the lock.
func (k *conn) link(m *stream) {
	if m.nextOpen = k.first; k.first != nil {
		k.first.prevOpen = m
	}
	k.first = m
	k.open++
}

// unlink takes m off. The caller must hold the lock.
func (k *conn) unlink(m *stream) {
	if m.prevOpen != nil {
		m.prevOpen.nextOpen = m.nextOpen
	} else {
		k.first = m.nextOpen
	}
	if m.nextOpen != nil {
		m.nextOpen.prevOpen = m.prevOpen
	}
	m.prevOpen, m.nextOpen = nil, nil
	k.open--
}

// closed notes that the stream m has ended. An answer that the client does not want was work for nothing.
func (k *conn) closed(m *stream) {
	unwanted := m.late || m.str.unwanted()
	k.mu.Lock()
	k.unlink(m)
	if !unwanted {
		k.budget.Earn(earnMessage)
	}
	finish, leave := k.noteIdle(), k.mayLeave()
	k.mu.Unlock()
	if finish {
		go k.finish()
	}
	if leave {
		k.s.leave(k)
	}
	if unwanted {
		k.charge(costReset)
	}
	if m.granted {
		k.sessions.forget(m.str.id())
	}
}

// refuse refuses a request that comes behind our GOAWAY: the client may send it elsewhere (RFC 9114 §4.1.1).
func (k *conn) refuse(str quicStream) {
	str.stop(h3frame.RequestRejected)
	str.reset(h3frame.RequestRejected)
	str.release()
	k.charge(costRefused)
}

// charge makes the client pay for what makes no progress. If it cannot, the connection ends.
func (k *conn) charge(cost int32) {
	if k.s.cfg.Budget < 0 {
		return
	}
	k.mu.Lock()
	ok := k.budget.Pay(cost, k.s.clock.Now())
	k.mu.Unlock()
	if !ok {
		k.fail(errCalm)
	}
}

// Deadline implements clock.Holder.
func (k *conn) Deadline() *clock.Deadline { return &k.place }

// Expired implements clock.Holder: it interrupts what has waited for too long.
func (k *conn) Expired(now clock.Moment) (next clock.Moment) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for m := k.first; m != nil; m = m.nextOpen {
		next = clock.Earlier(next, m.expire(now))
	}
	if at := k.looks.at; clock.Passed(at, now) {
		k.looks.at = 0
		go k.look()
	} else {
		next = clock.Earlier(next, at)
	}
	if d := k.s.settings.IdleTimeout; d > 0 && k.idleSince > 0 {
		if at := clock.After(k.idleSince, d); at <= now {
			k.idleSince = 0
			go k.drain()
		} else {
			next = clock.Earlier(next, at)
		}
	}
	return next
}
