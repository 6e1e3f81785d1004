package http3

import "github.com/shockwave-go/shockwave"

import (
	"bytes"
	"slices"
	"time"

	"github.com/shockwave-go/shockwave/http3/internal/session"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// waitingStream is a stream whose session is not open yet.
type waitingStream struct {
	id     uint64 // of the session
	give   func(to session.Guest)
	refuse func(code h3frame.Code)
	late   *time.Timer
}

// maxWaiting is how many streams of a connection may wait for their sessions.
const maxWaiting = 16

var (
	errSessionID  = &h3frame.Error{Code: h3frame.IDError, Violation: shockwave.Violation{Rule: "draft-ietf-webtrans-http3 §4", Msg: "a session that is no request of the client's"}}
	errSessionCut = &h3frame.Error{Code: h3frame.FrameError, Violation: shockwave.Violation{Rule: "draft-ietf-webtrans-http3 §4", Msg: "stream that ends inside its header"}}
)

// arrive gives a stream to its session, lets it wait for that, or refuses it.
func (a *sessions) arrive(w *waitingStream) {
	if w.id%4 != 0 {
		a.k.fail(errSessionID)
		return
	}
	a.mu.Lock()
	g := a.granted[w.id]
	if g != nil && g.guest != nil {
		a.mu.Unlock()
		w.give(g.guest)
		return
	}
	code := h3frame.BufferedStreamRejected
	switch {
	case g == nil && a.k.isPast(w.id):
		code = h3frame.SessionGone
	case len(a.waiting) < maxWaiting:
		w.late = time.AfterFunc(a.patience, func() { a.expire(w) })
		a.waiting = append(a.waiting, w)
		a.mu.Unlock()
		return
	}
	a.mu.Unlock()
	w.refuse(code)
	a.k.charge(costRefused)
}

// take returns the streams that wait for a session, which do so no more. The caller must hold the lock.
func (a *sessions) take(id uint64) (taken []*waitingStream) {
	a.waiting = slices.DeleteFunc(a.waiting, func(w *waitingStream) bool {
		if w.id != id {
			return false
		}
		w.late.Stop()
		taken = append(taken, w)
		return true
	})
	return taken
}

// expire refuses a stream that has waited for too long.
func (a *sessions) expire(w *waitingStream) {
	a.mu.Lock()
	i := slices.Index(a.waiting, w)
	if i >= 0 {
		a.waiting = slices.Delete(a.waiting, i, i+1)
	}
	a.mu.Unlock()
	if i >= 0 {
		w.refuse(h3frame.BufferedStreamRejected)
		a.k.charge(costRefused)
	}
}

// isPast reports whether the request id has come and ended.
func (k *conn) isPast(id uint64) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if id >= k.next {
		return false
	}
	for m := k.first; m != nil; m = m.nextOpen {
		if m.str.id() == id {
			return false
		}
	}
	return true
}

// readSession reads the header of a stream that begins with the signal of WebTransport, and hands the stream over.
func (m *stream) readSession() {
	r := &m.reader
	id, n := h3frame.Varint(r.in)
	for n == 0 {
		if err := m.more(len(r.in) + 1); err != nil {
			if r.eof && r.err == nil {
				err = errSessionCut
			}
			m.refuse(err)
			return
		}
		id, n = h3frame.Varint(r.in)
	}
	r.wait.until = 0
	str, ahead := m.str, bytes.Clone(r.in[n:])
	str.readAgain() // a deadline may have come when the header had
	m.handed = true
	m.k.sessions.arrive(&waitingStream{
		id:   id,
		give: func(to session.Guest) { to.AddStream(str.forSession(ahead)) },
		refuse: func(code h3frame.Code) {
			str.stop(code)
			str.reset(code)
		},
	})
}

// arriveUni gives a unidirectional stream to its session. ahead is what was read behind its header.
func (a *sessions) arriveUni(u quicReceive, id uint64, ahead []byte) {
	u.release() // another one may come when this one has ended
	ahead = bytes.Clone(ahead)
	a.arrive(&waitingStream{
		id:     id,
		give:   func(to session.Guest) { to.AddUniStream(u.forSession(ahead)) },
		refuse: u.stop,
	})
}

// handedOver notes that m's stream is a session's. m may be used again.
func (k *conn) handedOver(m *stream) {
	m.giveCredit()
	k.mu.Lock()
	k.unlink(m)
	k.served--
	finish, leave := k.noteIdle(), k.mayLeave()
	k.mu.Unlock()
	if finish {
		go k.finish()
	}
	if leave {
		k.s.leave(k)
	}
}
