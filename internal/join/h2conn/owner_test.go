package h2conn_test

import (
	"net"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/h2conn"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// owner is a server whose streams are used by the test itself.
type owner struct {
	h2conn.Conn
	begun chan *stream // which the peer has opened
	over  chan error
	ready atomic.Int64
	quiet atomic.Bool // output is not drawn for now

	said   []bool          // the arguments of OutputReadyLocked; the connection's lock guards it
	onHead func(s *stream) // called by Head
}

// stream is a stream of an owner.
type stream struct {
	h2conn.Stream
	t        testing.TB
	conn     *owner
	path     string
	trailers []http2.Field
}

func (o *owner) HeadLocked(ev *http2.Event) {
	s := &stream{conn: o}
	if ev.Head != nil {
		s.path = ev.Head.Path
	}
	o.BeginLocked(&s.Stream, ev.Stream)
	s.Owner = s
	if o.onHead != nil {
		o.onHead(s)
	}
	o.begun <- s
}

func (o *owner) TrailersLocked(ev *http2.Event) {
	own := h2conn.StreamOf(ev.Stream).Owner.(*stream)
	own.trailers = append(own.trailers, ev.Head.Fields...)
}

func (o *owner) OutputReadyLocked(last bool) {
	o.said = append(o.said, last)
	if !o.quiet.Load() {
		go o.Draw()
	}
}

func (o *owner) Ready()           { o.ready.Add(1) }
func (o *owner) Closed(err error) { o.over <- err }

// rig is a connection between an owner and a peer, with a clock that only the test moves.
type rig struct {
	*owner
	*peer
	t     *testing.T
	eng   *netconn.Engine
	clock *clock.Clock
}

// settings configure a rig.
type settings struct {
	wire   http2.Config
	policy h2conn.Policy
	engine netconn.Config
}

// way is a kind of connection.
type way struct {
	name  string
	conns func(t testing.TB) (near, far net.Conn)
}

// ways are the plain loop, over pipes that split anywhere, and the latched loop on Linux.
var ways = []way{
	{"pipe", func(testing.TB) (near, far net.Conn) {
		return wiretest.Pipe(wiretest.Config{Split: wiretest.Random(5)}, wiretest.Config{Split: wiretest.Random(6)})
	}},
	{"tcp", func(t testing.TB) (near, far net.Conn) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		if far, err = net.Dial("tcp", l.Addr().String()); err == nil {
			near, err = l.Accept()
		}
		if err != nil {
			t.Fatal(err)
		}
		return near, far
	}},
}

// onWays runs test with each kind of connection, after the exchange of prefaces.
func onWays(t *testing.T, cfg settings, test func(t *testing.T, r *rig)) {
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			near, far := w.conns(t)
			r := begin(t, near, far, cfg)
			r.HelloServer()
			test(t, r)
		})
	}
}

// rigOf returns a rig whose peer is at far, without a connection. It completes cfg.
func rigOf(t *testing.T, far net.Conn, cfg *settings) *rig {
	r := &rig{
		t: t, clock: clock.NewManual(), peer: newPeer(t, far),
		owner: &owner{begun: make(chan *stream, 1000), over: make(chan error, 1)},
	}
	cfg.engine.Clock, cfg.engine.LingerTimeout = r.clock, -1
	r.eng = netconn.New(cfg.engine)
	t.Cleanup(func() {
		_ = r.eng.Close()
		_ = far.Close()
		wiretest.Eventually(t, "the connection to end", func() bool { return r.eng.Stats().Open == 0 })
	})
	return r
}

// begin returns a rig whose owner is served on near.
func begin(t *testing.T, near, far net.Conn, cfg settings) *rig {
	r := rigOf(t, far, &cfg)
	r.run(near, r.owner, &cfg)
	return r
}

// run serves o on near. o must be r's owner, or embed it.
func (r *rig) run(near net.Conn, o h2conn.Owner, cfg *settings) {
	r.t.Helper()
	err := r.eng.Run(near, nil, func(link *netconn.Conn) (netconn.Protocol, error) {
		if cfg.wire.Pool == nil {
			cfg.wire.Pool = h2conn.Pool
		}
		r.Init(link, http2.NewServer(&cfg.wire, link.Moment()), o, &cfg.policy)
		return r.owner, nil
	})
	if err != nil {
		r.t.Fatal(err)
	}
}

// open makes the peer open a stream and returns the owner's end.
func (r *rig) open(id uint32, end bool) *stream {
	r.t.Helper()
	r.request(id, end)
	return r.opened()
}

// sized is open with a content-length.
func (r *rig) sized(id uint32, length int) *stream {
	r.t.Helper()
	r.request(id, false, "content-length", strconv.Itoa(length))
	return r.opened()
}

// opened returns the owner's end of a stream that the peer has opened.
func (r *rig) opened() *stream {
	r.t.Helper()
	s := wiretest.Within(r.t, "a stream", r.begun)
	s.t = r.t
	return s
}

// passes advances the clock in steps, so that goroutines that are woken can act in between.
func (r *rig) passes(d time.Duration) {
	r.t.Helper()
	for ; d > 0; d -= 100 * time.Millisecond {
		r.clock.Advance(min(d, 100*time.Millisecond))
		r.WantIdle()
	}
}

// until advances the clock until ch delivers. An alarm that is running may set the next one after the last step.
func until[T any](r *rig, what string, ch <-chan T) (v T) {
	r.t.Helper()
	wiretest.Eventually(r.t, what, func() bool {
		r.clock.Advance(10 * time.Millisecond)
		r.WantIdle()
		return len(ch) > 0
	})
	return <-ch
}

// respond sends a response head.
func (s *stream) respond(end bool) error {
	s.conn.Lock()
	defer s.conn.Unlock()
	return s.sayHead(end)
}

// sayHead is respond for a caller that holds the lock.
func (s *stream) sayHead(end bool) error {
	wire, out, err := s.OutLocked()
	if err != nil {
		return err
	}
	out = wire.AppendStatus(wire.BeginHeaders(out, s.WireLocked()), 200)
	s.SetOutLocked(wire.EndHeaders(out, end), end)
	return nil
}

// says appends n bytes of frames of unknown type to the output.
func (s *stream) says(n int) {
	s.conn.Lock()
	defer s.conn.Unlock()
	_, out, err := s.OutLocked()
	if err != nil {
		s.t.Error(err)
	}
	s.SetOutLocked(append(out, framed(make([]byte, n-9))...), false)
}

// send calls Send with the lock held.
func (s *stream) send(p []byte, end bool) error {
	s.conn.Lock()
	defer s.conn.Unlock()
	return s.SendLocked(p, end)
}

// sends calls send on a new goroutine and returns when that waits.
func (s *stream) sends(p []byte, end bool) <-chan error {
	s.t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- s.send(p, end) }()
	wiretest.Eventually(s.t, "Send to wait", s.Writes)
	return ended
}

// filled is the result of Fill.
type filled struct {
	p   string
	err error
}

// fill calls Fill and takes everything.
func (s *stream) fill() filled {
	p, err := s.Fill()
	s.Take(len(p))
	return filled{string(p), err}
}

// gets returns when n bytes have been read, or reading fails.
func (s *stream) gets(n int) <-chan filled {
	s.t.Helper()
	ended := make(chan filled, 1)
	go func() {
		var got filled
		for len(got.p) < n && got.err == nil {
			f := s.fill()
			got.p, got.err = got.p+f.p, f.err
		}
		ended <- got
	}()
	wiretest.Eventually(s.t, "Fill to wait", s.Reads)
	return ended
}

// fills calls fill on a new goroutine and returns when that waits.
func (s *stream) fills() <-chan filled {
	s.t.Helper()
	ended := make(chan filled, 1)
	go func() { ended <- s.fill() }()
	wiretest.Eventually(s.t, "Fill to wait", s.Reads)
	return ended
}

// leave ends the stream.
func (s *stream) leave() {
	s.conn.Lock()
	free := s.EndLocked()
	s.conn.Unlock()
	if free {
		s.conn.Link().EndWork()
	}
}

// locked calls f with the connection's lock held.
func (s *stream) locked(f func()) {
	s.conn.Lock()
	defer s.conn.Unlock()
	f()
}
