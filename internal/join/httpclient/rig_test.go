package httpclient_test

import (
	"context"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/httpclient"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// rig is a client whose connections lead to peers, by a clock that stands still.
type rig struct {
	*httpclient.Client
	t     testing.TB
	clock *clock.Clock
	opens chan *opening

	mu    sync.Mutex
	peers []net.Conn
}

// opening is a connection that the client asks for.
type opening struct {
	ctx   context.Context
	key   httpclient.Key
	reply chan opened
	rig   *rig
}

type opened struct {
	o   httpclient.Opened
	err error
}

func newRig(t testing.TB, cfg httpclient.Config) *rig {
	r := &rig{t: t, clock: clock.NewManual(), opens: make(chan *opening, 1000)}
	cfg.Open = r.open
	cfg.Engine = netconn.Config{Clock: r.clock, LingerTimeout: -1, MinWriteRate: -1}
	r.Client = httpclient.New(cfg)
	t.Cleanup(r.end)
	return r
}

// end closes the client, and expects that nothing is left.
func (r *rig) end() {
	r.t.Helper()
	r.Close()
	r.mu.Lock()
	for _, nc := range r.peers {
		nc.Close()
	}
	r.mu.Unlock()
	wiretest.Eventually(r.t, "all connections to be accounted for", func() bool { return r.Stats().Open == 0 && r.Stats().Idle == 0 })
}

func (r *rig) open(ctx context.Context, key httpclient.Key) (httpclient.Opened, error) {
	k := &opening{ctx, key, make(chan opened, 1), r}
	r.opens <- k
	select {
	case o := <-k.reply:
		return o.o, o.err
	case <-ctx.Done():
		return httpclient.Opened{}, ctx.Err()
	}
}

// asked expects that a connection is opened, and does not respond yet.
func (r *rig) asked() *opening {
	r.t.Helper()
	return wiretest.Within(r.t, "a connection to be opened", r.opens)
}

// accept expects that a connection is opened, and returns the server's end.
func (r *rig) accept() *wiretest.Talk {
	r.t.Helper()
	return r.asked().accept()
}

// accept lets it be opened, over a socket.
func (k *opening) accept() *wiretest.Talk {
	k.rig.t.Helper()
	near, far := k.rig.pair()
	k.reply <- opened{o: httpclient.Opened{Conn: near}}
	return wiretest.NewTalk(k.rig.t, far)
}

// accept2 lets a connection of HTTP/2 be opened.
func (k *opening) accept2() net.Conn {
	k.rig.t.Helper()
	near, far := k.rig.pair()
	k.reply <- opened{o: httpclient.Opened{Conn: near, HTTP2: true}}
	return far
}

func (k *opening) fail(err error) { k.reply <- opened{err: err} }

// pair returns both ends of a connection.
func (r *rig) pair() (near, far net.Conn) {
	r.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		r.t.Fatal(err)
	}
	defer l.Close()
	if near, err = net.Dial("tcp", l.Addr().String()); err != nil {
		r.t.Fatal(err)
	}
	if far, err = l.Accept(); err != nil {
		r.t.Fatal(err)
	}
	r.mu.Lock()
	r.peers = append(r.peers, far)
	r.mu.Unlock()
	return near, far
}

// none expects that no connection is asked for.
func (r *rig) none() {
	r.t.Helper()
	select {
	case k := <-r.opens:
		r.t.Fatalf("a connection to %v was opened", k.key)
	default:
	}
}

// request is a request on a goroutine of its own.
type request struct {
	httpclient.Response
	t    testing.TB
	call httpclient.Call
	done chan error
}

// get begins a GET for path, which is sent to the host of key.
func (r *rig) get(key httpclient.Key, path string) *request {
	return r.do(context.Background(), httpclient.Call{Key: key, Head: ask("GET", path, ""), Method: "GET", Replayable: true})
}

// ask is a request's head.
func ask(method, path, more string) *head { return &head{method, "http", "x", path, more} }

// sent is the head of ask as it is sent over HTTP/1.1.
func sent(method, path, more string) string {
	return method + " " + path + " HTTP/1.1\r\nHost: x\r\n" + more + "\r\n"
}

func (r *rig) do(ctx context.Context, call httpclient.Call) *request {
	return begin(r.t, r.Do, ctx, call)
}

// begin has do send a request.
func begin(t testing.TB, do func(context.Context, *httpclient.Call, *httpclient.Response) error, ctx context.Context, call httpclient.Call) *request {
	q := &request{t: t, call: call, done: make(chan error, 1)}
	go func() { q.done <- do(ctx, &q.call, &q.Response) }()
	return q
}

// head expects the response's head.
func (q *request) head(status int) {
	q.t.Helper()
	if err := wiretest.Within(q.t, "the response's head", q.done); err != nil {
		q.t.Fatalf("the request has failed: %v", err)
	}
	if q.Status != status {
		q.t.Fatalf("the status is %d, want %d", q.Status, status)
	}
}

// is expects the response's body, and closes it.
func (q *request) is(body string) {
	q.t.Helper()
	q.head(200)
	got, err := io.ReadAll(&q.Response)
	if string(got) != body || err != nil {
		q.t.Errorf("the body is %.80q, %v; want %.80q", got, err, body)
	}
	q.Response.Close()
}

// failed expects that there is no response.
func (q *request) failed() error {
	q.t.Helper()
	err := wiretest.Within(q.t, "the request to fail", q.done)
	if err == nil {
		q.t.Fatalf("the request has not failed: %d", q.Status)
	}
	return err
}

// pending expects that it has not ended.
func (q *request) pending() {
	q.t.Helper()
	select {
	case err := <-q.done:
		q.t.Fatalf("the request has ended: %v, %d", err, q.Status)
	default:
	}
}

// ok is a response.
func ok(body string) string {
	return "HTTP/1.1 200 OK\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body
}

// respond handles a GET for path.
func respond(k *wiretest.Talk, path string) {
	k.Want(sent("GET", path, ""))
	k.Send(ok(strings.TrimPrefix(path, "/")))
}

var a, b, c = httpclient.Key{Host: "a"}, httpclient.Key{Host: "b"}, httpclient.Key{Host: "c"}

// waiting expects that so many requests in all have begun to wait for connections.
func (r *rig) waiting(n int64) {
	r.t.Helper()
	wiretest.Eventually(r.t, "requests to wait", func() bool { return r.Stats().Waits == n })
}
