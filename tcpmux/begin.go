package tcpmux

import (
	"crypto/rand"

	"github.com/shockwave-go/shockwave/internal/wire/muxframe"
	"github.com/shockwave-go/shockwave/tcpmux/internal/secret"
)

// greet starts a new session with HELLO and WELCOME on h.
func greet(h *greetingConn, cfg *settings, binding []byte) (*Session, error) {
	private, public := secret.NewKey()
	x := muxframe.Greeting{Kind: muxframe.Hello, Features: cfg.features(), Key: public, Limits: cfg.limits()}
	hello := muxframe.AppendGreeting(nil, &x)
	if _, err := h.Write(append([]byte(muxframe.Magic), hello...)); err != nil {
		return nil, err
	}
	answer, welcome, err := h.expect(muxframe.Welcome)
	if err != nil {
		return nil, err
	}
	secret, err := secret.Derive(private, answer.Key, hello, welcome, binding)
	if err != nil {
		return nil, err
	}
	return newSession(cfg, answer.ID, secret, answer.Limits, answer.Features&x.Features, true), nil
}

// welcome replies to HELLO with WELCOME on h.
func welcome(h *greetingConn, cfg *settings) (*Session, error) {
	x, hello, err := h.expect(muxframe.Hello)
	if err != nil {
		return nil, err
	}
	private, public := secret.NewKey()
	answer := muxframe.Greeting{Kind: muxframe.Welcome, Features: x.Features & cfg.features(), Key: public, Limits: cfg.limits()}
	_, _ = rand.Read(answer.ID[:])
	raw := muxframe.AppendGreeting(nil, &answer)
	secret, err := secret.Derive(private, x.Key, hello, raw, nil)
	if err != nil {
		return nil, err
	}
	if _, err := h.Write(append([]byte(muxframe.Magic), raw...)); err != nil {
		return nil, err
	}
	return newSession(cfg, answer.ID, secret, x.Limits, answer.Features, false), nil
}
