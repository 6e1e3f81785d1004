package server

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/h2conn"
	"github.com/shockwave-go/shockwave/server/internal/bodyplan"
	"github.com/shockwave-go/shockwave/server/internal/workers"
)

// h2Server serves connections of HTTP/2.
type h2Server struct {
	*service
	streams sync.Pool // of *h2Stream
	wire    *http2.Config
	policy  h2conn.Policy
	workers *workers.Pool
}

// init prepares s. Its handlers run on w.
func (s *h2Server) init(shared *service, w *workers.Pool) {
	s.service, s.workers = shared, w
	s.wire = s.cfg.h2Config().Complete()
	s.policy = h2conn.Policy{
		MinReadRate: s.cfg.MinReadRate, RateGrace: s.cfg.RateGrace, CountError: s.cfg.HTTP2.CountError,
	}
	s.streams.New = func() any { return newH2Stream(s) }
}

// h2Conn is a connection of HTTP/2. Its requests are served by workers:
//
//	Data ─► ready ─► worker: handler ─► output
//	          └────► spare worker: the next handler, if the one before blocks; then sends the output
//
// One worker serves as many requests as it can, and their output is sent in one write. Before each handler starts,
// another worker is awake that goes on if this handler blocks, so that neither other requests nor finished responses
// wait for it.
type h2Conn struct {
	h2conn.Conn
	srv       *h2Server
	connValue any            // Request.ConnValue
	count     *atomic.Int64  // this connection's share of the server's request counter
	health    *h2conn.Health // nil unless HTTP2Config.PingInterval is set; guarded by the connection's lock

	// Guarded by the connection's lock.
	ready     h2Queue // requests that no worker has taken yet
	hasOutput bool    // output was queued and no worker has sent it
	spare     bool    // a worker was woken and has not arrived here yet
	served    int64   // requests received
	uncounted int     // those of served that are not in count yet
	taken     int     // streams that handlers have taken over, and not closed
	unawaited bool    // Shutdown has been told not to wait for this connection
}

// h2Queue is a queue of streams, linked by next. last is only valid if the queue is not empty.
type h2Queue struct{ first, last *h2Stream }

func (q *h2Queue) push(m *h2Stream) {
	if q.first == nil {
		q.first = m
	} else {
		q.last.next = m
	}
	q.last = m
}

func (q *h2Queue) pop() *h2Stream {
	m := q.first
	q.first, m.next = m.next, nil
	return m
}

// newConn makes c an HTTP/2 connection.
func (s *h2Server) newConn(c *netconn.Conn, wire *http2.Conn, count *atomic.Int64, value any) *h2Conn {
	k := &h2Conn{srv: s, connValue: value, count: count, health: s.cfg.HTTP2.newHealth()}
	s.workers.AddConn()
	if d := s.cfg.HTTP2.WriteByteTimeout; d > 0 {
		c.SetWriteTimeout(d)
	}
	k.Init(c, wire, k, &s.policy)
	return k
}

// newWire returns the protocol state of a new connection.
func (s *h2Server) newWire(c *netconn.Conn) *http2.Conn {
	return http2.NewServer(s.wire, c.ExactMoment())
}

// HeadLocked implements h2conn.Owner: a request has arrived.
func (k *h2Conn) HeadLocked(ev *http2.Event) {
	m := k.srv.streams.Get().(*h2Stream)
	k.BeginLocked(&m.Stream, ev.Stream)
	m.conn, m.connValue = k, k.connValue
	if ev.Kind == http2.EventHeadersTooLarge {
		m.refusal = errHeadSize
		m.req.method = bodyplan.MethodOf([]byte(ev.Head.Method))
	} else {
		m.fill(ev.Head, ev.EndStream)
	}
	k.served++
	k.uncounted++
	k.ready.push(m)
}

// TrailersLocked implements h2conn.Owner.
func (k *h2Conn) TrailersLocked(ev *http2.Event) {
	if m, ok := h2conn.StreamOf(ev.Stream).Owner.(*h2Stream); ok {
		m.fillTrailer(ev.Head.Fields)
	}
}

// Ready implements h2conn.Owner: it counts the requests that have arrived and wakes a worker for them.
func (k *h2Conn) Ready() {
	k.Lock()
	n := k.uncounted
	k.uncounted = 0
	k.heardLocked()
	k.wakeSpareLocked()
	k.Unlock()
	if n > 0 {
		k.count.Add(int64(n))
	}
}

// OutputReadyLocked implements h2conn.Owner: output was queued.
func (k *h2Conn) OutputReadyLocked(last bool) {
	k.hasOutput = true
	if !last {
		k.wakeSpareLocked()
	}
}

// Closed implements h2conn.Owner. Handlers notice the end of the connection when they read or write.
func (k *h2Conn) Closed(error) { k.srv.workers.RemoveConn() }

// noteTakenLocked sets whether the engine's Shutdown waits for the connection. It does not if the only streams that
// are left were taken over by handlers, as it does not wait for connections that were, and no others can come. Due
// calls it, which runs every 100 ms while there are streams.
func (k *h2Conn) noteTakenLocked() {
	if k.taken == 0 && !k.unawaited {
		return
	}
	if v := k.taken > 0 && k.taken == k.WireLocked().Len() && k.WireLocked().Final(); v != k.unawaited {
		k.unawaited = v
		k.Link().DoNotAwait(v)
	}
}

// wakeSpareLocked wakes another worker if there is work for it and none is on its way.
func (k *h2Conn) wakeSpareLocked() {
	if !k.spare && (k.ready.first != nil || k.hasOutput) {
		k.spare = true
		k.srv.workers.Wake(k)
	}
}

// Work implements carrier.Job. It serves requests of k and sends its output, and returns when there is nothing left to do.
func (k *h2Conn) Work() {
	k.Lock()
	k.spare = false
	for {
		switch {
		case k.ready.first != nil:
			m := k.ready.pop()
			k.wakeSpareLocked()
			over := m.OverLocked()
			k.Unlock()
			if over { // nobody waits for the response, so the handler is not called
				m.endStream(nil)
				k.srv.giveBack(m)
			} else {
				m.run()
			}
		case k.hasOutput:
			k.hasOutput = false
			k.Unlock()
			k.Draw()
		default:
			k.Unlock()
			return
		}
		k.Lock()
	}
}

// isSpentLocked reports whether the connection has had as many requests as it may have.
func (k *h2Conn) isSpentLocked() bool {
	most := k.srv.cfg.MaxKeepAliveRequests
	return most > 0 && k.served >= int64(most)
}

// shutdownLocked sends GOAWAY: behind a response, because some clients read nothing after it.
func (k *h2Conn) shutdownLocked() { k.WireLocked().Shutdown(k.Now()) }

// pseudoFields is the number of pseudo-header fields that a request may have. In HTTP/1 the request line has this
// content.
const pseudoFields = 5

// h2Config returns the settings of HTTP/2 connections.
func (cfg *Config) h2Config() http2.Config {
	h := http2.Config{
		HeadTimeout: int64(cfg.ReadHeaderTimeout), MaxFields: 1 << 16,
		MaxStreams: cfg.HTTP2.MaxConcurrentStreams, ConnectProtocol: cfg.HTTP2.offersConnect(), SettingsTimeout: int64(10 * time.Second),
		MaxFrameSize: cfg.HTTP2.MaxReadFrameSize, MaxWindow: cfg.HTTP2.StreamWindow, MaxConnWindow: cfg.HTTP2.ConnWindow,
		DecoderTable: cfg.HTTP2.DecoderTableSize, EncoderTable: cfg.HTTP2.EncoderTableSize, Budget: cfg.HTTP2.Budget,
		Pool: h2conn.Pool,
	}
	if cfg.MaxHeadBytes > 0 {
		h.MaxHeaderList = uint32(min(cfg.MaxHeadBytes, 1<<30))
	} else {
		h.MaxHeaderList = 1 << 30
	}
	if cfg.MaxHeadFields > 0 {
		h.MaxFields = uint32(min(cfg.MaxHeadFields+pseudoFields, 1<<16))
	}
	return h
}
