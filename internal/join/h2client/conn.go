// Package h2client is the client's side of HTTP/2 connections. A request begins when the server has room for it.
// Connections that stop answering or are idle for long are ended. A Pool holds the connections of a client. Building
// requests and interpreting responses is left to the packages client and nethttp.
package h2client

import (
	"crypto/tls"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/join/h2conn"
)

// Config configures connections. A zero duration means no limit.
type Config struct {
	Wire         http2.Config  // limits for the server; shared by the connections if it is complete
	IdleTimeout  time.Duration // until a connection without requests ends
	PingInterval time.Duration // silence during a request after which a PING is sent
	PingGap      time.Duration // the same, if the server has sent no part of a message since the last PING; default PingInterval
	PingTimeout  time.Duration // how long the answer to a PING may take; default 15 s
	// WriteByteTimeout bounds a wait for the server to take another byte; default: the engine's WriteTimeout.
	WriteByteTimeout time.Duration

	// Idle, if set, is called with the connection's lock held when there are no more requests and none waits to begin.
	Idle func(c *Conn)
	// CountError, if set, is called for every protocol error, and for every error that a server reports. Any goroutine
	// may call it.
	CountError func(name string)

	// SettingsReceived, if set, is called when the server has sent SETTINGS: the number of requests that it takes at once
	// may have changed. Any goroutine may call it.
	SettingsReceived func()
}

// Complete returns the configuration with a complete Wire, which the connections share, and with it their memory.
func (cfg Config) Complete() Config {
	cfg.Wire.Pool = h2conn.Pool
	cfg.Wire = *cfg.Wire.Complete()
	return cfg
}

// Conn is a connection to a server. All methods may be called concurrently; those that end in Locked with its lock held.
//
//	Start ─► HEADERS ─┐
//	Send  ─► DATA ────┴► OutputReadyLocked ─► drawSoon: one goroutine sends the output of all
//	Data  ─► events ─► Exchanges, each of which wakes its goroutine
type Conn struct {
	h2conn.Conn
	cfg       *Config
	onRetired func(*Conn) // called once, when no more requests are taken

	TLS *tls.ConnectionState // nil without TLS; it must not be modified

	drawing atomic.Bool // a goroutine is about to call Draw
	closed  atomic.Bool // no more requests are taken
	reused  atomic.Bool // Reused was called before
	warm    atomic.Bool // opened by Pool.Warm, or found by it

	// The connection's lock guards these.
	callerDraws     bool // the goroutine that holds the lock will call requestDraw
	settingsPending bool // SETTINGS have come, and Config.SettingsReceived was not called yet
	queue           queue
	goAway          *GoAwayError
	readErr         *brokenError // the error of the receiving side; nil if there was none
	health          h2conn.Health
	idleStart       int64 // when the last request ended; 0 while there are requests
	headsReceived   int64 // number of heads that have arrived
	pings           pings
}

// Reused reports whether it was called before: the first request of a connection finds it new, each later one finds it
// reused.
func (c *Conn) Reused() bool { return c.reused.Swap(true) }

// Warm reports whether the connection may have been idle before its first request, because Pool.Warm has opened it.
func (c *Conn) Warm() bool { return c.warm.Load() }

// GoAway returns the server's GOAWAY as an error, nil if none was received.
func (c *Conn) GoAway() *GoAwayError {
	c.Lock()
	defer c.Unlock()
	return c.goAway
}

// Usable reports whether the connection still takes requests.
func (c *Conn) Usable() bool { return !c.closed.Load() }

// Most returns how many requests the server takes at once, as far as that is known. It returns 0 if no more are taken.
func (c *Conn) Most() int {
	c.Lock()
	defer c.Unlock()
	if c.closed.Load() {
		return 0
	}
	return int(min(c.WireLocked().PeerSettings().MaxStreams, 1<<31-1))
}
