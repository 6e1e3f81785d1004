package serverconn

import (
	"context"
	"errors"
	"net"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/shockwave-go/shockwave/http3/internal/quicconn"
	"github.com/shockwave-go/shockwave/http3/internal/request"
	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/defaults"
	"github.com/shockwave-go/shockwave/internal/join/carrier"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// Config says how connections behave.
type Config struct {
	Budget   int32                         // of work without progress; a negative value is no limit
	Sessions int                           // of WebTransport at once on a connection; 0: none are offered
	ResetBy  func(code h3frame.Code) error // the error of a stream that the client has ended
}

// Group is the connections of a server. All methods may be called concurrently.
type Group struct {
	request.Server
	cfg     Config
	members *members
	streams sync.Pool // of *request.Stream

	panics         atomic.Int64 // of hooks
	sent, received atomic.Int64 // bytes, by connections that have ended
}

// errClosing ends connections at Close.
var errClosing = errors.New("http3: the server is closed")

// NewGroup returns a group without connections. Join must be called before Serve.
func NewGroup(cfg Config) *Group {
	g := &Group{cfg: cfg, members: newMembers()}
	g.Clock, g.ResetBy = clock.New(), cfg.ResetBy
	g.streams.New = func() any { return request.New(&g.Server) }
	return g
}

// Join gives the group the host whose handlers it runs. It is called once.
func (g *Group) Join(host carrier.Host) { g.Host, g.Settings = host, host.Settings() }

// Serve starts to serve a connection that was accepted at a socket, and returns.
func (g *Group) Serve(qc quicconn.Conn, at net.Listener) {
	k := newConn(g, qc)
	if err := k.greet(); err != nil {
		k.Fail(err)
		return
	}
	if !g.members.join(k) {
		k.Fail(errClosing)
		return
	}
	g.Host.Join()
	k.serve(at)
}

// connected reports a connection to the host. ok is false if the program's hook has panicked.
func (g *Group) connected(at net.Listener, nc net.Conn) (value any, ok bool) {
	defer func() {
		if ok {
			return
		}
		g.panics.Add(1)
		g.Settings.Log.Error("http3: a hook panicked", "panic", recover(), "remote", nc.RemoteAddr(), defaults.StackKey, string(debug.Stack()))
	}()
	return g.Host.Connected(at, nc), true
}

// leave removes a connection that has ended.
func (g *Group) leave(k *conn) {
	g.Clock.Retire(k)
	t := k.traffic()
	g.received.Add(t.Received)
	g.sent.Add(t.Sent)
	last := g.members.leave(k)
	g.Host.Leave()
	if last {
		g.Clock.StopIfIdle()
	}
}

// StopAccepting refuses further connections.
func (g *Group) StopAccepting() {
	g.Draining.Store(true)
	g.members.close()
}

// Shutdown makes the connections refuse further requests, and waits until all requests have their responses, or ctx has ended.
func (g *Group) Shutdown(ctx context.Context) error {
	g.StopAccepting()
	for _, k := range g.members.list() {
		go k.drain()
	}
	return g.members.awaitResponses(ctx)
}

// AwaitEnd waits until all connections have ended; some handlers may still run.
func (g *Group) AwaitEnd() { g.members.awaitEnd() }

// Close ends all connections at once.
func (g *Group) Close() {
	for _, k := range g.members.list() {
		k.Fail(errClosing)
	}
}

// Stats are the counters of a group, and the number of its connections.
type Stats struct {
	Open, Slow, Panics, Sent, Received int64
}

// Stats returns the counters.
func (g *Group) Stats() Stats {
	n := Stats{Slow: g.Slow.Load(), Panics: g.panics.Load(), Sent: g.sent.Load(), Received: g.received.Load()}
	for _, k := range g.members.list() {
		t := k.traffic()
		n.Received += t.Received
		n.Sent += t.Sent
		n.Open++
	}
	return n
}
