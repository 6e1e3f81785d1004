package http3

import "github.com/shockwave-go/shockwave"

import (
	"context"
	"crypto/tls"
	"errors"
	"sync"
	"time"

	"github.com/shockwave-go/shockwave/internal/join/carrier"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
	"github.com/shockwave-go/shockwave/internal/wire/peerbudget"
)

// clientConn is a connection to a server. All methods may be called concurrently.
type clientConn struct {
	cl  *client
	qc  quicDialed
	to  carrier.Origin
	uni peerStreams
	ctl quicSend // our control stream

	goingAway context.Context // ends when the server has sent GOAWAY
	noteAway  context.CancelFunc

	mu        sync.Mutex
	state     *tls.ConnectionState // once the handshake is complete
	err       error                // with which the connection has ended, or is about to
	retired   bool                 // no more requests are taken
	used      bool                 // a request was reserved
	open      int                  // requests that have not ended
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
func (c *client) newConn(d quicDialed, o carrier.Origin) (*clientConn, error) {
	now := time.Now()
	k := &clientConn{cl: c, qc: d, to: o, streams: map[uint64]*clientExchange{}, began: now, idleSince: now}
	k.uni = peerStreams{qc: d.quicConn, owner: k, isServer: true}
	k.goingAway, k.noteAway = context.WithCancel(context.Background())
	k.budget = peerbudget.New(c.budget, 0)
	ctl, err := d.openUni()
	if err != nil {
		d.close(errNoControl.Code, errNoControl.Msg)
		return nil, errNoControl
	}
	k.ctl = ctl
	if d := c.idleTimeout; d > 0 {
		k.idle = time.AfterFunc(max(d, time.Second), k.idleTooLong) // its first request is about to begin
	}
	return k, nil
}

// A server must allow three unidirectional streams.
var errNoControl = &h3frame.Error{Code: h3frame.GeneralProtocolError, Violation: shockwave.Violation{Rule: "RFC 9114 §6.2", Msg: "no control stream is allowed"}}

// greet sends our settings on our control stream (RFC 9114 §6.2.1). It waits if the server takes nothing on it.
func (k *clientConn) greet() {
	b := h3frame.AppendVarint(nil, uint64(h3frame.ControlStream))
	_, err := k.ctl.Write(h3frame.AppendSettings(b, h3frame.SettingValue{ID: h3frame.MaxFieldSectionSize, Value: uint64(k.cl.headBytes)}))
	k.mu.Lock()
	k.greeted = err == nil
	k.mu.Unlock()
}

// quic returns the connection of QUIC, and tls the state of its TLS.
func (k *clientConn) quic() quicConn { return k.qc.quicConn }
func (k *clientConn) tls() *tls.ConnectionState {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.state == nil {
		state := k.qc.tls()
		if !k.hasShaken() {
			return &state
		}
		k.state = &state
	}
	return k.state
}

// hasShaken reports whether the handshake is complete.
func (k *clientConn) hasShaken() bool {
	select {
	case <-k.qc.handshaken():
		return true
	default:
		return false
	}
}

// rejected ends a connection whose server does not take requests before the handshake is complete. They are sent again on another
// one, which does not try that. It returns the error of requests.
func (k *clientConn) rejected(err error) error {
	cfg := k.cl.tlsConfig(k.to.Host)
	cfg.ClientSessionCache.Put(cfg.ServerName, nil)
	err = &unprocessedError{err}
	k.end(err)
	return err
}

// awaitHandshake waits until the handshake of a connection is complete on which r has to wait for that.
func (k *clientConn) awaitHandshake(ctx context.Context, r *carrier.ClientRequest) error {
	if k.hasShaken() {
		return nil
	}
	ctx, cancel := bound(ctx, r)
	defer cancel()
	select {
	case <-k.qc.handshaken():
		return nil
	case <-k.qc.ended():
		return &unprocessedError{k.noteEnd(k.qc.whyEnded())}
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// run serves what the server opens, and returns when the connection has ended and its socket is closed.
func (k *clientConn) run() {
	go k.greet()
	go k.uni.accept(context.Background())
	go k.refuseStreams()
	<-k.qc.ended()
	k.noteEnd(k.qc.whyEnded())
	k.cl.pool.forget(k)
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
	switch _, err := k.qc.accept(); {
	case err == nil:
		k.fail(errServerStream)
	case rejectedEarly(err):
		k.rejected(err)
	}
}

var errServerStream = &h3frame.Error{Code: h3frame.StreamCreationError, Violation: shockwave.Violation{Rule: "RFC 9114 §6.1", Msg: "bidirectional stream of a server"}}

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
	k.cl.pool.remove(k)
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
	k.cl.pool.remove(k)
	code := h3frame.InternalError
	if e, ok := errors.AsType[*h3frame.Error](err); ok {
		code = e.Code
	}
	k.qc.close(code, err.Error())
}
