package httpclient_test

import (
	"errors"
	"net"
	"testing"
	"time"

	xhttp2 "golang.org/x/net/http2"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/httpclient"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// alone is a connection by itself, and its server's end.
type alone struct {
	*httpclient.SingleConn
	rig     *rig
	key     httpclient.Key
	far     net.Conn
	changed chan bool
}

func (r *rig) alone(key httpclient.Key) *alone {
	r.t.Helper()
	near, far := r.pair()
	x := &alone{rig: r, key: key, far: far, changed: make(chan bool, 100)}
	var err error
	if x.SingleConn, err = r.Client.SingleConn(key, httpclient.Opened{Conn: near, HTTP2: key.Version == httpclient.HTTP2}, func() { x.changed <- true }); err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(x.Close)
	return x
}

// get begins a GET for path on it.
func (x *alone) get(path string) *request {
	return begin(x.rig.t, x.Do, x.rig.t.Context(), httpclient.Call{Key: x.key, Head: ask("GET", path, ""), Method: "GET", Replayable: true})
}

// most expects so much room.
func (x *alone) most(n int, over bool) {
	x.rig.t.Helper()
	if got, ended := x.Most(); got != n || ended != over {
		x.rig.t.Errorf("it takes %d, over: %v; want %d, %v", got, ended, n, over)
	}
}

// told expects a call of the hook, after which the connection takes n requests.
func (x *alone) told(n int, over bool) {
	x.rig.t.Helper()
	wiretest.Eventually(x.rig.t, "to be told of another state", func() bool {
		if x.key.Version == httpclient.HTTP1 { // the end of an idle one is noticed in time
			x.rig.clock.Advance(time.Second)
		}
		select {
		case <-x.changed:
			got, ended := x.Most()
			return got == n && ended == over
		default:
			return false
		}
	})
}

// ends expects that a request fails because of that, and that nothing is opened for it.
func (x *alone) ends() {
	x.rig.t.Helper()
	if err := x.get("/ended").failed(); !errors.Is(err, net.ErrClosed) {
		x.rig.t.Errorf("the request failed with %v", err)
	}
	x.rig.none()
}

// mean is what bounds the connections of a client, and those by themselves not.
var mean = httpclient.Config{MaxConns: 1, MaxConnsPerHost: 1, IdleTimeout: time.Second, MaxLifetime: time.Second, KeepNone: true}

// A SingleConn carries one HTTP/1.1 request after another, whatever the client's limits are.
func TestSingleConn(t *testing.T) {
	r := newRig(t, mean)
	x := r.alone(httpclient.Key{Host: "a", Version: httpclient.HTTP1})
	p := wiretest.NewTalk(t, x.far)
	x.most(1, false)
	for _, path := range []string{"/1", "/2"} {
		q := x.get(path)
		p.Want(sent("GET", path, ""))
		x.most(0, false)
		p.Send(ok(path[1:]))
		q.is(path[1:])
		x.most(1, false)
		r.clock.Advance(time.Minute)
	}
	if s := r.Stats(); s.Open+s.Opened+s.Idle != 0 {
		t.Errorf("the connection is counted: %+v", s)
	}
	if len(x.changed) > 0 {
		t.Error("the hook was called without a reason")
	}
	q := x.get("/last")
	p.Want(sent("GET", "/last", ""))
	p.Send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx")
	q.is("x")
	x.told(0, true)
	x.ends()
}

// A SingleConn reports that the server has ended it while it was idle, and opens no other.
func TestSingleConnIsLeft(t *testing.T) {
	r := newRig(t, httpclient.Config{})
	x := r.alone(httpclient.Key{Host: "a", Version: httpclient.HTTP1})
	x.far.Close()
	x.told(0, true)
	x.ends()
}

// Over HTTP/2 a SingleConn takes as many requests at once as the server allows.
func TestSingleConnOverHTTP2(t *testing.T) {
	r := newRig(t, mean)
	x := r.alone(plain2)
	f := newFrames(t, x.far, xhttp2.Setting{ID: xhttp2.SettingMaxConcurrentStreams, Val: 7})
	x.told(7, false)
	q := x.get("/1")
	f.ok(f.request(), "1")
	q.is("1")
	r.clock.Advance(time.Minute)
	one, two := x.get("/2"), x.get("/2")
	f.ok(f.request(), "2")
	f.ok(f.request(), "2")
	one.is("2")
	two.is("2")
	q = x.get("/3")
	f.Framer.WriteGoAway(f.request(), xhttp2.ErrCodeNo, nil)
	x.told(0, true)
	x.ends()
	q.pending()
	x.Close()
	q.failed()
}

// Closing a SingleConn or its client ends the requests on it, and a connection that is opened later is closed.
func TestSingleConnCloses(t *testing.T) {
	for _, key := range []httpclient.Key{{Host: "a", Version: httpclient.HTTP1}, plain2} {
		for _, with := range []bool{false, true} {
			r := newRig(t, httpclient.Config{})
			x := r.alone(key)
			q := x.get("/")
			if key == plain2 {
				newFrames(t, x.far).request()
			} else {
				wiretest.NewTalk(t, x.far).Want(sent("GET", "/", ""))
			}
			if with {
				r.Close()
			} else {
				x.Close()
			}
			q.failed()
			x.told(0, true)
			r.Close()
			near, far := r.pair()
			if _, err := r.SingleConn(key, httpclient.Opened{Conn: near, HTTP2: key == plain2}, nil); err != netconn.ErrShutdown {
				t.Errorf("after the client's end: %v", err)
			}
			wiretest.NewTalk(t, far).WantGone()
		}
	}
}
