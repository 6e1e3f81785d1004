package tcpmux

import (
	"context"
	"time"

	"github.com/shockwave-go/shockwave/internal/wire/muxframe"
	"github.com/shockwave-go/shockwave/tcpmux/internal/secret"
)

// resume makes one attempt x to resume the session on a new connection.
func (d *dialler) resume(ctx context.Context, s *Session, x *attempt) error {
	ctx, cancel := d.cfg.withHandshakeTimeout(ctx)
	defer cancel()
	begun := time.Now()
	h, binding, release, err := d.open(ctx)
	if err != nil {
		return err
	}
	x.setConnected()
	select {
	case x.fullTimeout <- struct{}{}:
		defer func() { <-x.fullTimeout }()
	default:
		h.timeout = answerTimeout(begun)
	}
	p := secret.Proof{Secret: s.secret, ID: s.id, DiallerNonce: secret.NewNonce(), Binding: binding}
	if err = d.requestChallenge(&p, h); err == nil {
		h.timeout = answerTimeout(begun)
		select {
		case x.proving <- struct{}{}:
			if err = d.sendProof(s, h, &p, release); err == nil {
				return nil // x.proving stays taken: no other attempt is needed
			}
			<-x.proving
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	h.Close()
	return err
}

// requestChallenge sends RESUME and stores the nonce of the listener's CHALLENGE in p.
func (d *dialler) requestChallenge(p *secret.Proof, h *greetingConn) error {
	b := muxframe.AppendGreeting([]byte(muxframe.Magic), &muxframe.Greeting{Kind: muxframe.Resume, ID: p.ID, Nonce: p.DiallerNonce})
	if _, err := h.Write(b); err != nil {
		return err
	}
	x, _, err := h.expect(muxframe.Challenge)
	p.ListenerNonce = x.Nonce
	return asOverError(x, err)
}

// sendProof sends PROOF, checks the listener's MAC in RESUMED, and attaches h to the session.
func (d *dialler) sendProof(s *Session, h *greetingConn, p *secret.Proof, release func() bool) error {
	s.mu.Lock()
	p.DiallerReceived = s.core.Received()
	s.mu.Unlock()
	b := muxframe.AppendGreeting(nil, &muxframe.Greeting{Kind: muxframe.Proof, Received: p.DiallerReceived, MAC: p.MAC(secret.Dialler)})
	if _, err := h.Write(b); err != nil {
		return err
	}
	x, _, err := h.expect(muxframe.Resumed)
	if err != nil {
		return asOverError(x, err)
	}
	if p.ListenerReceived = x.Received; !p.Verify(secret.Listener, x.MAC) {
		return faceError(muxframe.Broken("the peer does not know the secret of the session"))
	}
	if !release() {
		return context.Canceled
	}
	return run(s, h.Conn, h.ahead, x.Received, p.DiallerReceived)
}

// asOverError returns an *overError for a refusal that says the peer has closed the session; other errors are returned
// unchanged.
func asOverError(x muxframe.Greeting, err error) error {
	if r, ok := err.(*RefusedError); ok && r.Code == RefusedSessionClosed {
		return &overError{x.Received}
	}
	return err
}

// overError is returned by resume when the peer has closed the session in order. received is how many bytes it had received.
type overError struct{ received uint64 }

func (*overError) Error() string { return "tcpmux: the peer has closed the session" }
