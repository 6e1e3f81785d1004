package server

import (
	"errors"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/h2conn"
)

// errSilent is why a connection ends whose client does not answer.
var errSilent = errors.New("server: the client did not answer a ping in time")

// newHealth returns what asks a connection's client whether it is still there, nil if nobody does.
func (cfg *HTTP2Config) newHealth() *h2conn.Health {
	if cfg.PingAfter <= 0 {
		return nil
	}
	return &h2conn.Health{After: cfg.PingAfter, Timeout: cfg.PingTimeout}
}

// heard says that something has come from the client. The lock is held.
func (k *h2Conn) heard() {
	if k.health != nil {
		k.health.Heard(k.Now())
		k.Arm(k.Now() + int64(k.health.After))
	}
}

// Told implements h2conn.Watcher. Whatever comes is a sign of life.
func (k *h2Conn) Told(*http2.Event) {}

// Due implements h2conn.Watcher: it asks a client that has been silent for long. One that has ended its side says nothing
// more, and may still be answered.
func (k *h2Conn) Due(now int64) (next int64, err error) {
	if k.health == nil || k.Ended() {
		return 0, nil
	}
	next, silent := k.health.Due(&k.Conn, now)
	if silent {
		return 0, errSilent
	}
	return next, nil
}
