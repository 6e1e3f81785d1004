package serve

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/json"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/certs"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/cli"
	"github.com/shockwave-go/shockwave/nethttp"
	"github.com/shockwave-go/shockwave/server"
	"github.com/shockwave-go/shockwave/streamsock"
	"github.com/shockwave-go/shockwave/websocket"
)

// Paths of the page's socket, of the page that shows it, and of the JavaScript client that this page uses.
const (
	pathSocket     = "/socket"
	pathSocketPage = "/socket.html"
	pathClient     = "/streamsock.js"
)

// Limits of the socket, which is open to everybody.
const (
	liveMessage  = 64 << 10 // bytes of a message
	liveQueue    = 128 << 10
	liveIdle     = 10 * time.Minute
	liveSilence  = 30 * time.Second
	liveArrivals = 200 // new peers per second
	liveWatchers = 50  // watchers: peers that receive a sample twice a second; simultaneous arrivals may exceed it a little
)

// liveSocket is the page's routing-id socket. Its peers connect by ws and wss at /socket, and by other transports at
// the -bind addresses. It sends every message back to its sender, which can thereby measure the round trip. Peers of
// /socket?live are watchers: they also receive JSON messages, first {"you":ID} and then a liveSample twice a second.
type liveSocket struct {
	sock     *streamsock.Socket
	upgrade  http.Handler
	watchers streamsock.Group
	start    time.Time
	arrivals rateLimiter
	bound    []string
}

// liveOptions are the flags about the page's socket.
type liveOptions struct {
	binds    []string // further addresses
	maxPeers int
}

// bindsTLS reports whether one of the further addresses needs a certificate.
func (opt *liveOptions) bindsTLS() bool {
	return slices.ContainsFunc(opt.binds, func(url string) bool {
		return strings.HasPrefix(url, "tls:") || strings.HasPrefix(url, "wss:")
	})
}

// newLiveSocket returns a socket that also listens on the addresses of opt.binds.
func newLiveSocket(opt liveOptions, sec *tls.Config, con cli.Console) (*liveSocket, error) {
	l := &liveSocket{start: time.Now(), arrivals: rateLimiter{limit: liveArrivals}}
	if sec == nil && opt.bindsTLS() {
		var err error
		if sec, err = certs.SelfSigned(true); err != nil {
			return nil, err
		}
	}
	l.sock = streamsock.New(streamsock.Config{
		MaxMessage: liveMessage, MaxPeers: opt.maxPeers, AcceptRate: liveArrivals,
		QueueBytes: liveQueue, PingInterval: liveSilence, IdleTimeout: liveIdle, Linger: 2 * time.Second,
		TLSConfig: sec, Accept: l.accept, OnMessage: l.onMessage, Logger: cli.NewLogger(con),
	})
	l.upgrade, l.watchers = l.sock.Handler(), l.sock.Group("watchers")
	var err error
	if l.bound, err = l.sock.Bind(opt.binds...); err != nil {
		_ = l.sock.Shutdown(context.Background())
		return nil, err
	}
	return l, nil
}

// errBusy refuses peers beyond the limits.
var errBusy = &websocket.HandshakeError{Status: http.StatusServiceUnavailable, Msg: "come back later"}

// accept refuses peers beyond the limits. Those of the socket's own listeners wait there instead (AcceptRate).
func (l *liveSocket) accept(a *streamsock.Arrival) error {
	switch {
	case a.Request == nil:
		return nil
	case !l.arrivals.admit(time.Now()), isWatcher(a.Request) && l.watchers.Len() >= liveWatchers:
		return errBusy
	}
	return nil
}

// isWatcher reports whether r asks for samples.
func isWatcher(r *http.Request) bool { return r != nil && r.URL.RawQuery == "live" }

// onMessage handles everything a peer's connection delivers. It is called on the goroutine of the connection.
func (l *liveSocket) onMessage(m streamsock.Message) {
	switch {
	case m.Kind == streamsock.EventConnected && isWatcher(m.Peer.Request()):
		you, _ := json.Marshal(map[string]streamsock.ID{"you": m.Peer.ID()})
		_ = m.Peer.TrySend(streamsock.KindBinary, you)
		l.watchers.Join(m.Peer)
	case !m.Kind.IsEvent():
		_ = m.Reply(m.Data) // the error says that the peer is gone
	}
}

// broadcastSamples sends samples to the watchers until done is closed.
func (l *liveSocket) broadcastSamples(done <-chan struct{}) {
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

// serve answers a request for the socket. It reports whether the socket has taken over the connection, or the stream of
// HTTP/2.
func (l *liveSocket) serve(w *server.ResponseWriter, r *server.Request) (switched bool) {
	nethttp.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t := &hijackRecorder{ResponseWriter: w}
		l.upgrade.ServeHTTP(t, r)
		switched = t.taken
	})).ServeHTTP(w, r)
	return switched
}

// hijackRecorder records whether the connection has been hijacked.
type hijackRecorder struct {
	http.ResponseWriter
	taken bool
}

// Unwrap lets http.ResponseController reach the original writer.
func (t *hijackRecorder) Unwrap() http.ResponseWriter { return t.ResponseWriter }

// Hijack implements http.Hijacker.
func (t *hijackRecorder) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	nc, rw, err := http.NewResponseController(t.ResponseWriter).Hijack()
	t.taken = err == nil
	return nc, rw, err
}

// Shutdown closes the socket, whose peers outlast the requests that they have begun as. What is queued for them is sent.
func (l *liveSocket) Shutdown(ctx context.Context) error {
	_ = l.sock.Shutdown(ctx)
	return nil
}
