package clientconn

import (
	"context"
	"crypto/tls"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/http3/internal/cost"
	"github.com/shockwave-go/shockwave/http3/internal/quicconn"
	"github.com/shockwave-go/shockwave/http3/internal/section"
	"github.com/shockwave-go/shockwave/http3/internal/unistream"
	"github.com/shockwave-go/shockwave/internal/join/carrier"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// Pool is the pool that holds a connection. Its methods are called by any goroutine.
type Pool interface {
	Remove(k *Conn)        // k takes no more requests
	Forget(k *Conn)        // k has ended
	ForgetSession(k *Conn) // k's server does not take requests before the handshake is complete
}

// Conn is a connection to a server. All methods may be called concurrently.
type Conn struct {
	To carrier.Origin

	cfg    *Config
	pool   Pool
	qc     quicconn.Dialed
	tls    quicconn.TLSState
	uni    *unistream.Streams
	ctl    quicconn.Send // our control stream
	budget *cost.Budget
	began  time.Time

	greeted    atomic.Bool   // our settings were sent
	maxSection atomic.Uint64 // the largest field section that the server takes

	goingAway context.Context // ends when the server has sent GOAWAY
	noteAway  context.CancelFunc

	mu        sync.Mutex
	err       error // with which the connection has ended, or is about to
	requests  requests
	idleSince time.Time
	idle      *time.Timer // nil: it may be idle for ever
	pulse     pulse
	looks     *time.Timer // takes the pulse; nil before the first request
}

// New begins HTTP/3 on a connection of QUIC. Run must be called next. If quicconn.RejectedEarly is true of the error, New may be called
// again behind d.GoOn.
func New(cfg *Config, pool Pool, d quicconn.Dialed, o carrier.Origin) (*Conn, error) {
	ctl, err := d.OpenUni()
	switch {
	case quicconn.RejectedEarly(err):
		return nil, err
	case err != nil:
		d.Close(errNoControl.Code, errNoControl.Msg)
		return nil, errNoControl
	}
	now := time.Now()
	k := &Conn{To: o, cfg: cfg, pool: pool, qc: d, ctl: ctl, budget: cost.New(cfg.Budget, 0), began: now, idleSince: now}
	k.requests.streams = map[uint64]*exchange{}
	k.pulse.after, k.pulse.timeout = cfg.PingInterval, cfg.PingTimeout
	k.maxSection.Store(h3frame.MaxVarint)
	k.uni = unistream.OfServer(d.Conn, k)
	k.goingAway, k.noteAway = context.WithCancel(context.Background())
	if d := cfg.IdleTimeout; d > 0 {
		k.idle = time.AfterFunc(max(d, time.Second), k.idleTooLong) // its first request is about to begin
	}
	return k, nil
}

// A server must allow three unidirectional streams.
var errNoControl = &h3frame.Error{Code: h3frame.GeneralProtocolError, Violation: shockwave.Violation{Rule: "RFC 9114 §6.2", Msg: "no control stream is allowed"}}

// greet sends our settings on our control stream (RFC 9114 §6.2.1). It waits while the server's flow control does not allow that.
func (k *Conn) greet() {
	b := h3frame.AppendVarint(nil, uint64(h3frame.ControlStream))
	_, err := k.ctl.Write(h3frame.AppendSettings(b, h3frame.SettingValue{ID: h3frame.MaxFieldSectionSize, Value: uint64(k.cfg.HeadBytes)}))
	k.greeted.Store(err == nil)
}

// Run serves what the server opens, and returns when the connection has ended and its socket is closed.
func (k *Conn) Run() {
	go k.greet()
	go k.uni.Accept(context.Background())
	go k.refuseStreams()
	<-k.qc.Ended()
	k.noteEnd(k.qc.WhyEnded())
	k.pool.Forget(k)
	k.mu.Lock()
	for _, t := range []*time.Timer{k.idle, k.looks} {
		if t != nil {
			t.Stop()
		}
	}
	k.mu.Unlock()
	k.noteAway()
	k.qc.Release()
}

// refuseStreams ends the connection if the server opens a bidirectional stream (RFC 9114 §6.1).
func (k *Conn) refuseStreams() {
	switch _, err := k.qc.Accept(); {
	case err == nil:
		k.Fail(errServerStream)
	case quicconn.RejectedEarly(err):
		k.rejected(err)
	}
}

var errServerStream = &h3frame.Error{Code: h3frame.StreamCreationError, Violation: shockwave.Violation{Rule: "RFC 9114 §6.1", Msg: "bidirectional stream opened by a server"}}

// rejected ends a connection whose server has rejected early data. The requests are sent again on another
// connection, which sends no early data. It returns the error of the requests.
func (k *Conn) rejected(err error) error {
	k.pool.ForgetSession(k)
	err = &unprocessedError{err}
	k.End(err)
	return err
}

// noteEnd records why the connection has ended, unless that is known. It returns the error of its requests.
func (k *Conn) noteEnd(err error) error { return k.note(k.ending(err)) }

// note records that the connection ends with err, unless an earlier error is known. It returns the error of its requests.
func (k *Conn) note(err error) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.err == nil {
		k.err = err
	}
	k.requests.retire()
	return k.err
}

// ending translates err, with which a connection has ended.
func (k *Conn) ending(err error) error {
	if code, reason, ok := quicconn.ClosedByPeer(err); ok {
		return k.cfg.ClosedBy(code, reason)
	}
	switch {
	case quicconn.IsSilence(err):
		return &brokenError{errSilent}
	case quicconn.IsForgotten(err):
		return &brokenError{errForgotten}
	}
	return &brokenError{err}
}

// End closes the connection without an error. Requests in progress fail with err.
func (k *Conn) End(err error) {
	k.note(err)
	k.pool.Remove(k)
	k.qc.Close(h3frame.NoError, "")
}

// Fail implements unistream.Owner: the server has broken a rule.
func (k *Conn) Fail(err error) {
	err = k.note(err)
	k.pool.Remove(k)
	code := h3frame.InternalError
	if e, ok := errors.AsType[*h3frame.Error](err); ok {
		code = e.Code
	}
	k.qc.Close(code, err.Error())
}

// ControlEvent implements unistream.Owner.
func (k *Conn) ControlEvent(ev *h3frame.Event) {
	switch ev.Type {
	case h3frame.Settings:
		k.maxSection.Store(ev.Settings.MaxFieldSection)
		return
	case h3frame.GoAway:
		k.goAway(ev.ID)
	}
	k.Charge(cost.Control)
}

// Charge implements unistream.Owner.
func (k *Conn) Charge(units int32) {
	if !k.budget.Pay(units, int64(time.Since(k.began))) {
		k.Fail(cost.ErrSpent)
	}
}

// checkSize checks that the server accepts a section of this size, if its settings have arrived.
func (k *Conn) checkSize(what string, size uint64) error {
	if most := k.maxSection.Load(); size > most {
		return &section.TooLargeError{What: what, Peer: "server", Size: size, Most: most}
	}
	return nil
}

// tlsState returns the state of the connection's TLS.
func (k *Conn) tlsState() *tls.ConnectionState { return k.tls.Of(k.qc.Conn) }
