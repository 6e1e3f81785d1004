package h1client_test

import (
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/h1client"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// rig is a connection and the server at its other end.
type rig struct {
	*h1client.Conn
	t     testing.TB
	eng   *netconn.Engine
	clock *clock.Clock // stands still
	peer  *wiretest.Talk
	over  chan *h1client.Conn
	resp  http1.Response
	head  []byte
}

// engine returns the engine of a client's connections.
func engine(k kind, c *clock.Clock) *netconn.Engine {
	return netconn.New(netconn.Config{
		Loop: k.loop, Clock: c, IdleTimeout: -1, MessageTimeout: -1, MinReadRate: -1, MinWriteRate: -1,
		LingerTimeout: time.Hour, // which nothing waits for
	})
}

// newRig returns a connection. ahead was read from it already.
func newRig(t testing.TB, k kind, cfg h1client.Config, ahead string) *rig {
	t.Helper()
	near, far := ends(t, k)
	return rigAround(t, k, cfg, ahead, near, far)
}

// rigOn is newRig on a connection that is there, and nothing special.
func rigOn(t testing.TB, k kind, near, far net.Conn) *rig {
	t.Helper()
	return rigAround(t, k, h1client.Config{}, "", near, far)
}

func rigAround(t testing.TB, k kind, cfg h1client.Config, ahead string, near, far net.Conn) *rig {
	t.Helper()
	r := &rig{t: t, clock: clock.NewManual(), over: make(chan *h1client.Conn, 10)}
	r.eng = engine(k, r.clock)
	c, err := h1client.New(r.eng, near, []byte(ahead), &cfg, nil, func(c *h1client.Conn) { r.over <- c })
	if err != nil {
		t.Fatal(err)
	}
	r.Conn, r.peer = c, wiretest.NewTalk(t, far)
	r.peer.Timeout = patience
	t.Cleanup(r.isOver)
	return r
}

// isOver ends the connection and expects that onEnd is called once.
func (r *rig) isOver() {
	r.t.Helper()
	r.Abort()
	if c := wiretest.Within(r.t, "the connection to end", r.over); c != r.Conn {
		r.t.Error("onEnd got another connection")
	}
	wiretest.Eventually(r.t, "the engine to know", func() bool { return r.eng.Stats().Open == 0 })
	if len(r.over) > 0 {
		r.t.Error("the function was called twice")
	}
	r.over <- r.Conn // for a later check
}

// rig with nothing special.
func plainRig(t testing.TB, k kind) *rig { return newRig(t, k, h1client.Config{}, "") }

const getHead = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

// begin begins a request without a body.
func (r *rig) begin(method string) {
	r.t.Helper()
	head := strings.Replace(getHead, "GET", method, 1)
	if err := r.Begin(method, []byte(head), nil, false, false); err != nil {
		r.t.Fatal(err)
	}
	r.peer.Want(head)
}

// post begins a request whose body is sent in parts.
func (r *rig) post(chunked bool) {
	r.t.Helper()
	if err := r.Begin("POST", []byte(postHead), nil, true, chunked); err != nil {
		r.t.Fatal(err)
	}
	r.peer.Want(postHead)
}

const postHead = "POST / HTTP/1.1\r\nHost: a\r\n\r\n" // what frames it is not looked at

// status expects the next head and returns it.
func (r *rig) status(want int) *http1.Response {
	r.t.Helper()
	head, err := r.Await(&r.resp, r.head, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	r.head = head
	if r.resp.Status != want {
		r.t.Fatalf("the status is %d, want %d", r.resp.Status, want)
	}
	return &r.resp
}

// failed expects that no head comes, and why.
func (r *rig) failed(want error) {
	r.t.Helper()
	head, err := r.Await(&r.resp, nil, nil)
	if err != want {
		r.t.Errorf("Await: %q, %v; want %v", head, err, want)
	}
}

// body expects the rest of the body, read in pieces.
func (r *rig) body(want string) {
	r.t.Helper()
	got, err := io.ReadAll(r.Conn)
	if string(got) != want || err != nil {
		r.t.Errorf("the body is %.60q (%d bytes), %v; want %.60q (%d)", got, len(got), err, want, len(want))
	}
}

// cancel cancels the current exchange.
func (r *rig) cancel(err error) { r.Cancel(r.Served(), err) }

// stopSending makes sending in the current exchange fail.
func (r *rig) stopSending(err error) { r.StopSending(r.Served(), err) }

// leave is the last Leave of an exchange. If the connection must be reusable, it first makes sure that everything which
// the server has read counts as sent, because Leave does not wait long for a goroutine that has written.
func (r *rig) leave(reusable bool) {
	r.t.Helper()
	if reusable {
		wiretest.Eventually(r.t, "the request to be sent", func() bool { return !r.Link().Unsent() })
	}
	last, can := r.Leave()
	if !last {
		r.t.Error("other goroutines still use the exchange")
	}
	if can != reusable || r.Reusable() != reusable {
		r.t.Errorf("reusable is %v and %v, want %v", can, r.Reusable(), reusable)
	}
}

// again shows that the connection is as good as a new one.
func (r *rig) again() {
	r.t.Helper()
	r.begin("GET")
	r.peer.Send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nagain")
	r.status(200)
	r.body("again")
	r.leave(true)
}
