package http3

import (
	"context"
	"crypto/tls"
	"errors"
	"sync"
	"time"

	"github.com/shockwave-go/shockwave/internal/h3frame"
	"github.com/shockwave-go/shockwave/internal/peerbudget"
)

// clientConn is a connection to a server. All methods may be called concurrently.
type clientConn struct {
	t     *Transport
	qc    quicDialed
	addr  string
	state tls.ConnectionState
	uni   peerStreams
	ctl   quicSend // our control stream

	goingAway context.Context // ends when the server has sent GOAWAY
	noteAway  context.CancelFunc

	mu        sync.Mutex
	err       error // with which the connection has ended, or is about to
	retired   bool  // no more requests are taken
	used      bool  // a request was reserved
	open      int   // requests that have not ended
	streams   map[uint64]*clientExchange
	gone      bool   // the server has sent GOAWAY
	goneAt    uint64 // requests from this stream on are not processed
	settings  h3frame.PeerSettings
	settled   bool // settings have come
	heads     int  // of responses that have come
	idleSince time.Time
	idle      *time.Timer
	pulse     pulse
	greeted   bool // our settings were sent
	budget    peerbudget.Budget
	began     time.Time
}

// newConn begins HTTP/3 on a connection of QUIC.
func (t *Transport) newConn(d quicDialed, addr string) (*clientConn, error) {
	now := time.Now()
	k := &clientConn{t: t, qc: d, addr: addr, state: d.tls(), streams: map[uint64]*clientExchange{}, began: now, idleSince: now}
	k.uni = peerStreams{qc: d.quicConn, owner: k, isServer: true}
	k.goingAway, k.noteAway = context.WithCancel(context.Background())
	k.budget = peerbudget.New(t.budget(), 0)
	ctl, err := d.openUni()
	if err != nil {
		d.close(errNoControl.Code, errNoControl.Msg)
		return nil, errNoControl
	}
	k.ctl = ctl
	if d := t.idleTimeout(); d > 0 {
		k.idle = time.AfterFunc(max(d, time.Second), k.idleTooLong) // its first request is about to begin
	}
	return k, nil
}

// A server must allow three unidirectional streams.
var errNoControl = &h3frame.Error{Code: h3frame.GeneralProtocolError, Rule: "RFC 9114 §6.2", Msg: "no control stream is allowed"}

// greet sends our settings on our control stream (RFC 9114 §6.2.1). It waits if the server takes nothing on it.
func (k *clientConn) greet() {
	b := h3frame.AppendVarint(nil, uint64(h3frame.ControlStream))
	_, err := k.ctl.Write(h3frame.AppendSettings(b, h3frame.SettingValue{ID: h3frame.MaxFieldSectionSize, Value: uint64(k.t.headBytes())}))
	k.mu.Lock()
	k.greeted = err == nil
	k.mu.Unlock()
}

// quic returns the connection of QUIC, and tls the state of its TLS.
func (k *clientConn) quic() quicConn            { return k.qc.quicConn }
func (k *clientConn) tls() *tls.ConnectionState { return &k.state }

// run serves what the server opens, and returns when the connection has ended and its socket is closed.
func (k *clientConn) run() {
	go k.greet()
	go k.uni.accept(context.Background())
	go k.refuseStreams()
	<-k.qc.ended()
	k.noteEnd(k.qc.whyEnded())
	k.t.pool.forget(k)
	k.mu.Lock()
	if k.idle != nil {
		k.idle.Stop()
	}
	if k.pulse.timer != nil {
		k.pulse.timer.Stop()
	}
	k.mu.Unlock()
	k.noteAway()
	k.qc.release()
}

// refuseStreams ends the connection if the server opens a bidirectional stream (RFC 9114 §6.1).
func (k *clientConn) refuseStreams() {
	if _, err := k.qc.accept(); err == nil {
		k.fail(errServerStream)
	}
}

var errServerStream = &h3frame.Error{Code: h3frame.StreamCreationError, Rule: "RFC 9114 §6.1", Msg: "bidirectional stream of a server"}

// noteEnd notes why the connection has ended, unless that is known. It returns the error of its requests.
func (k *clientConn) noteEnd(err error) error {
	k.mu.Lock()
	if k.err == nil {
		k.err = ending(err)
	}
	k.retired = true
	err = k.err
	k.mu.Unlock()
	return err
}

// end ends the connection in good order. What is in progress fails with err.
func (k *clientConn) end(err error) {
	k.mu.Lock()
	if k.err == nil {
		k.err = err
	}
	k.retired = true
	k.mu.Unlock()
	k.t.pool.remove(k)
	k.qc.close(h3frame.NoError, "")
}

// fail implements streamOwner: the server has broken a rule.
func (k *clientConn) fail(err error) {
	k.mu.Lock()
	if k.err == nil {
		k.err = err
	}
	k.retired = true
	err = k.err
	k.mu.Unlock()
	k.t.pool.remove(k)
	code := h3frame.InternalError
	if e, ok := errors.AsType[*h3frame.Error](err); ok {
		code = e.Code
	}
	k.qc.close(code, err.Error())
}
