package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/json"
	"net"
	"net/http"
	"time"

	"github.com/shockwave-go/shockwave/nethttp"
	"github.com/shockwave-go/shockwave/server"
	"github.com/shockwave-go/shockwave/streamsock"
	"github.com/shockwave-go/shockwave/websocket"
)

// Where the page's socket is, its own page, and the client that this uses.
const (
	pathSocket     = "/socket"
	pathSocketPage = "/socket.html"
	pathClient     = "/streamsock.js"
)

// What the socket takes: anybody may come.
const (
	liveMessage  = 64 << 10 // bytes of a message
	liveQueue    = 128 << 10
	liveIdle     = 10 * time.Minute
	liveSilence  = 30 * time.Second
	liveArrivals = 200 // peers that may come in a second
	liveWatchers = 50  // of them, who are told twice a second how all are doing; a few more if they come at the same moment
)

// liveSocket is the routing-id socket of the page, with peers over ws and wss at /socket and over other transports where
// -bind says. Every message goes back to where it came from, so that it can be measured. Who comes to /socket?live is also
// told how all peers are doing, in messages that are JSON: first {"you":ID}, then twice a second a liveSample.
type liveSocket struct {
	sock     *streamsock.Socket
	upgrade  http.Handler
	watchers streamsock.Group
	start    time.Time
	arrivals gate
	bound    []string
}

// newLiveSocket returns a socket that is listened on at addrs, too.
func newLiveSocket(opt serveOptions, sec *tls.Config, con console) (*liveSocket, error) {
	l := &liveSocket{start: time.Now(), arrivals: gate{most: liveArrivals}}
	if sec == nil && opt.bindsTLS() {
		var err error
		if sec, err = selfSignedTLS(true); err != nil {
			return nil, err
		}
	}
	l.sock = streamsock.New(streamsock.Config{
		MaxMessage: liveMessage, MaxPeers: opt.maxPeers, AcceptRate: liveArrivals,
		QueueBytes: liveQueue, Heartbeat: liveSilence, Idle: liveIdle, Linger: 2 * time.Second,
		TLS: sec, Accept: l.accept, OnMessage: l.got, Logger: newLogger(con),
	})
	l.upgrade, l.watchers = l.sock.Handler(), l.sock.Group("watchers")
	var err error
	if l.bound, err = l.sock.Bind(opt.binds...); err != nil {
		l.sock.Close(context.Background())
		return nil, err
	}
	return l, nil
}

// errBusy is told to who comes when as many have come as may.
var errBusy = &websocket.HandshakeError{Status: http.StatusServiceUnavailable, Msg: "come back later"}

// accept decides about a newcomer. Who comes by a listener of the socket's own waits for his turn there.
func (l *liveSocket) accept(a *streamsock.Arrival) error {
	switch {
	case a.Request == nil:
		return nil
	case !l.arrivals.admit(time.Now()), watches(a.Request) && l.watchers.Len() >= liveWatchers:
		return errBusy
	}
	return nil
}

// watches reports whether r asks to be told how all are doing.
func watches(r *http.Request) bool { return r != nil && r.URL.RawQuery == "live" }

// got is told of everything that comes, on the goroutine of the peer's connection.
func (l *liveSocket) got(m streamsock.Message) {
	switch {
	case m.Kind == streamsock.Connected && watches(m.Peer.Request()):
		you, _ := json.Marshal(map[string]streamsock.ID{"you": m.Peer.ID()})
		_ = m.Peer.TrySend(streamsock.Binary, you)
		l.watchers.Join(m.Peer)
	case !m.Kind.IsEvent():
		_ = m.Reply(m.Data) // who is gone is not told
	}
}

// tell tells the watchers how all are doing, until done is closed.
func (l *liveSocket) tell(done <-chan struct{}) {
	tick := time.NewTicker(sampleEvery)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case now := <-tick.C:
			if l.watchers.Len() == 0 {
				continue
			}
			if sample, err := json.Marshal(l.sample(now)); err == nil {
				l.watchers.Broadcast(sample)
			}
		}
	}
}

// serve answers a request for the socket, and reports whether the request's connection, or on HTTP/2 its stream, is the
// socket's now.
func (l *liveSocket) serve(w *server.ResponseWriter, r *server.Request) (switched bool) {
	nethttp.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t := &takeover{ResponseWriter: w}
		l.upgrade.ServeHTTP(t, r)
		switched = t.taken
	})).ServeHTTP(w, r)
	return switched
}

// takeover notes whether a connection has been taken from its server.
type takeover struct {
	http.ResponseWriter
	taken bool
}

// Unwrap is for http.ResponseController.
func (t *takeover) Unwrap() http.ResponseWriter { return t.ResponseWriter }

// Hijack is http.Hijacker's.
func (t *takeover) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	nc, rw, err := http.NewResponseController(t.ResponseWriter).Hijack()
	t.taken = err == nil
	return nc, rw, err
}

// socketFront is a front beside a socket, whose peers outlive the requests that they began as.
type socketFront struct {
	httpServer
	sock *streamsock.Socket
}

// Shutdown tells the peers that the server goes away, and lets them and the requests finish.
func (f *socketFront) Shutdown(ctx context.Context) error {
	f.RegisterOnShutdown(func() { f.sock.Close(ctx) })
	err := f.httpServer.Shutdown(ctx)
	f.sock.Close(ctx)
	return err
}
