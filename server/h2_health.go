package server

import (
	"errors"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/join/h2conn"
)

// errSilent ends a connection whose client did not answer a PING.
var errSilent = errors.New("server: the client did not answer a ping in time")

// newHealth returns the state of the PINGs of one connection, nil if none are sent.
func (cfg *HTTP2Config) newHealth() *h2conn.Health {
	if cfg.PingInterval <= 0 {
		return nil
	}
	return &h2conn.Health{Interval: cfg.PingInterval, Timeout: cfg.PingTimeout}
}

// heardLocked is called when bytes have arrived from the client.
func (k *h2Conn) heardLocked() {
	if k.health != nil {
		k.health.HeardLocked(k.Now())
		k.ArmLocked(k.Now() + int64(k.health.Interval))
	}
}

var _ h2conn.Watcher = (*h2Conn)(nil)

// ConnEventLocked implements h2conn.Watcher. Events need no handling here, since heard is called for whatever
// arrives.
func (k *h2Conn) ConnEventLocked(*http2.Event) {}

// DueLocked implements h2conn.Watcher: it sends a PING to a client that has been silent for long. A client that has
// ended its side sends nothing more but may still wait for responses, so it gets no PING.
func (k *h2Conn) DueLocked(now int64) (next int64, err error) {
	k.noteTakenLocked()
	if k.health == nil || k.EndedLocked() {
		return 0, nil
	}
	next, silent := k.health.DueLocked(&k.Conn, now)
	if silent {
		return 0, errSilent
	}
	return next, nil
}
