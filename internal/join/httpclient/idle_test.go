package httpclient_test

import (
	"context"
	"io"
	"net"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/sys"
	"github.com/shockwave-go/shockwave/internal/join/httpclient"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// keep has n connections to key idle, and returns their servers' ends; the last has been used last.
func (r *rig) keep(key httpclient.Key, n int) (peers []*wiretest.Talk) {
	r.t.Helper()
	var all []*request
	for range n {
		all = append(all, r.get(key, "/keep"))
		peers = append(peers, r.accept())
		peers[len(peers)-1].Want(sent("GET", "/keep", ""))
	}
	for _, p := range peers {
		p.Send(ok("kept"))
	}
	for _, q := range all {
		q.is("kept")
	}
	return peers
}

// The idle connection that was used last is used next.
func TestUsedLastIsUsedFirst(t *testing.T) {
	r := newRig(t, httpclient.Config{})
	first, second := r.get(a, "/1"), (*request)(nil)
	p1 := r.accept()
	p1.Want(sent("GET", "/1", ""))
	second = r.get(a, "/2")
	p2 := r.accept()
	p2.Want(sent("GET", "/2", ""))
	p2.Send(ok("2"))
	second.is("2")
	p1.Send(ok("1"))
	first.is("1")
	for range 3 {
		q := r.get(a, "/again")
		respond(p1, "/again")
		q.is("again")
	}
	if s := r.Stats(); s.Opened != 2 || s.Idle != 2 || s.Open != 2 || s.Reused != 3 {
		t.Errorf("%+v", s)
	}
	r.none()
}

// A request that waited for another's connection reports that it was reused.
func TestWaitingIsReuse(t *testing.T) {
	r := newRig(t, httpclient.Config{MaxConnsPerHost: 1})
	first := r.get(a, "/1")
	p := r.accept()
	p.Want(sent("GET", "/1", ""))
	second := r.get(a, "/2")
	r.waiting(2)
	p.Send(ok("1"))
	first.is("1")
	respond(p, "/2")
	second.is("2")
	if s := r.Stats(); s.Opened != 1 || s.Reused != 1 {
		t.Errorf("%+v", s)
	}
}

// The end of an idle connection is noticed without a request.
func TestEndOfIdleIsSeen(t *testing.T) {
	for _, how := range []string{"end", "bytes"} {
		t.Run(how, func(t *testing.T) {
			r := newRig(t, httpclient.Config{})
			peers := r.keep(a, 3)
			for settled := 0; settled < 10; settled++ { // until the sweep has found them cold
				r.clock.Advance(time.Second)
				time.Sleep(10 * time.Millisecond)
			}
			for i, p := range peers {
				if how == "end" {
					p.Conn.Close()
				} else {
					p.Send("HTTP/1.1 200 OK\r\n")
				}
				wiretest.Eventually(t, "the connection to be dropped", func() bool { return r.Stats().Open == int64(2-i) && r.Stats().Idle == int64(2-i) })
			}
		})
	}
}

// An idle connection has no goroutine.
func TestIdleHasNoGoroutine(t *testing.T) {
	if runtime.GOOS != "linux" || os.Getenv("SHOCKWAVE_LOOP") == "plain" {
		t.Skip("there is no lot")
	}
	r := newRig(t, httpclient.Config{})
	before := runtime.NumGoroutine()
	r.keep(a, 50)
	for range 10 {
		r.clock.Advance(time.Second)
		time.Sleep(10 * time.Millisecond)
	}
	wiretest.Eventually(t, "the goroutines to end", func() bool { return runtime.NumGoroutine() <= before+5 })
	if n := r.Stats().Idle; n != 50 {
		t.Errorf("%d are idle", n)
	}
}

// A connection that was used a moment ago is checked before it is used again.
func TestWarmOnesAreLookedAt(t *testing.T) {
	for _, how := range []string{"end", "bytes", "a second response"} {
		t.Run(how, func(t *testing.T) {
			r := newRig(t, httpclient.Config{})
			q := r.get(a, "/1")
			near, p := r.asked().acceptOn()
			p.Want(sent("GET", "/1", ""))
			switch how {
			case "a second response": // at once
				p.Send(ok("1") + ok("evil"))
				q.is("1")
			default:
				p.Send(ok("1"))
				q.is("1")
				if how == "end" {
					p.Conn.Close()
				} else {
					p.Send(ok("evil"))
				}
				if looks() {
					arrived(t, near)
				} else { // it is watched from the beginning
					wiretest.Eventually(t, "the connection to be dropped", func() bool { return r.Stats().Open == 0 })
				}
			}
			post := r.do(t.Context(), httpclient.Call{Key: a, Method: "POST", Head: ask("POST", "/2", "Content-Length: 1\r\n"), Bytes: []byte("x")})
			p = r.accept()
			p.Want(sent("POST", "/2", "Content-Length: 1\r\n") + "x")
			p.Send(ok("good"))
			post.is("good")
		})
	}
}

// acceptOn is accept, and returns the client's end as well.
func (k *opening) acceptOn() (near net.Conn, p *wiretest.Talk) {
	k.rig.t.Helper()
	near, far := k.rig.pair()
	k.reply <- opened{o: httpclient.Opened{Conn: near}}
	return near, wiretest.NewTalk(k.rig.t, far)
}

// looks reports whether idle connections are used by their descriptors, so that they can be looked at.
func looks() bool { return runtime.GOOS == "linux" && os.Getenv("SHOCKWAVE_LOOP") != "plain" }

// arrived returns when bytes, or the end, have arrived at the client's end of an idle connection.
func arrived(t testing.TB, near net.Conn) {
	t.Helper()
	raw, err := near.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	wiretest.Eventually(t, "something to arrive", func() (has bool) {
		raw.Control(func(fd uintptr) {
			_, errno := sys.Peek(int(fd))
			has = errno == 0
		})
		return has
	})
}

// However many idle connections have ended, a request and Warm notice it and open others.
func TestManyHaveEnded(t *testing.T) {
	if !looks() {
		t.Skip("only a socket that is used by its descriptor can be looked at")
	}
	r := newRig(t, httpclient.Config{})
	var nears, fars []net.Conn
	open := func() *wiretest.Talk {
		near, p := r.asked().acceptOn()
		nears, fars = append(nears, near), append(fars, p.Conn)
		return p
	}
	end := func() { // returns when the ends have arrived
		for i, near := range nears {
			fars[i].Close()
			arrived(t, near)
		}
		nears, fars = nil, nil
	}
	warm := func(n int) {
		done := make(chan error, 1)
		go func() { done <- r.Warm(t.Context(), a, n) }()
		for range n {
			open()
		}
		if err := wiretest.Within(t, "warmth", done); err != nil {
			t.Fatal(err)
		}
	}
	warm(250)
	end()
	q := r.get(a, "/1")
	respond(open(), "/1")
	q.is("1")
	if s := r.Stats(); s.Open != 1 || s.Reused != 0 || s.Opened != 251 {
		t.Errorf("%+v", s)
	}
	end()
	warm(1)
	end()
	q = r.get(a, "/2")
	respond(open(), "/2")
	q.is("2")
}

// An idle connection is closed after its IdleTimeout.
func TestIdleTimeout(t *testing.T) {
	r := newRig(t, httpclient.Config{IdleTimeout: time.Minute})
	old := r.keep(a, 1)[0]
	r.clock.Advance(59 * time.Second)
	q := r.get(a, "/2")
	respond(old, "/2")
	q.is("2")
	r.clock.Advance(59 * time.Second)
	time.Sleep(120 * time.Millisecond) // the sweep
	if n := r.Stats().Open; n != 1 {
		t.Fatalf("%d are open", n)
	}
	wiretest.Eventually(t, "the connection to end", func() bool { // the sweep may come late
		r.clock.Advance(2 * time.Second)
		return r.Stats().Open == 0
	})
	old.WantEOF()
}

// A connection whose IdleTimeout has passed is not used, even before it is closed.
func TestIdleTimeoutBeforeTheSweep(t *testing.T) {
	r := newRig(t, httpclient.Config{IdleTimeout: time.Minute})
	old := r.keep(a, 1)[0]
	r.clock.Advance(time.Minute)
	q := r.get(a, "/2")
	respond(r.accept(), "/2")
	q.is("2")
	old.WantEOF()
}

// A connection is not used beyond its longest lifetime.
func TestLifetime(t *testing.T) {
	r := newRig(t, httpclient.Config{MaxLifetime: time.Minute})
	old := r.keep(a, 1)[0]
	r.clock.Advance(59 * time.Second)
	q := r.get(a, "/2")
	old.Want(sent("GET", "/2", ""))
	r.clock.Advance(2 * time.Second) // a request that has begun comes to its end
	old.Send(ok("2"))
	q.is("2")
	old.WantEOF()
	q = r.get(a, "/3")
	p := r.accept()
	respond(p, "/3")
	q.is("3")
	r.clock.Advance(time.Minute) // while it is idle
	q = r.get(a, "/4")
	respond(r.accept(), "/4")
	q.is("4")
	p.WantEOF()
}

// Idle connections beyond the limits are closed, the oldest first.
func TestMaxIdle(t *testing.T) {
	r := newRig(t, httpclient.Config{MaxIdlePerHost: 2, MaxIdle: 3})
	r.keep(a, 4)
	wiretest.Eventually(t, "two to end", func() bool { s := r.Stats(); return s.Open == 2 && s.Idle == 2 })
	r.clock.Advance(time.Second)
	r.keep(b, 1)
	r.clock.Advance(time.Second)
	if s := r.Stats(); s.Open != 3 || s.Idle != 3 {
		t.Errorf("%+v", s)
	}
	p := r.keep(c, 1)[0]
	wiretest.Eventually(t, "the oldest to end", func() bool { s := r.Stats(); return s.Open == 3 && s.Idle == 3 })
	q := r.get(c, "/c")
	respond(p, "/c")
	q.is("c")
	r.none()
}

// Without keep-alive no connection is kept.
func TestKeepNone(t *testing.T) {
	r := newRig(t, httpclient.Config{KeepNone: true, MaxConnsPerHost: 1})
	one := r.get(a, "/1")
	p := r.accept()
	p.Want(sent("GET", "/1", ""))
	two := r.get(a, "/2")
	r.waiting(2)
	p.Send(ok("1"))
	one.is("1")
	p.WantEOF()
	respond(r.accept(), "/2")
	two.is("2")
}

// CloseIdle closes the idle connections and leaves the others alone.
func TestCloseIdle(t *testing.T) {
	r := newRig(t, httpclient.Config{})
	idle := r.keep(a, 2)
	busy := r.get(b, "/busy")
	p := r.accept()
	p.Want(sent("GET", "/busy", ""))
	r.CloseIdle()
	for _, p := range idle {
		p.WantEOF()
	}
	wiretest.Eventually(t, "the idle ones to end", func() bool { s := r.Stats(); return s.Open == 1 && s.Idle == 0 })
	p.Send(ok("busy"))
	busy.is("busy")
	for range 10 { // watched ones, too
		r.clock.Advance(time.Second)
		time.Sleep(10 * time.Millisecond)
	}
	r.CloseIdle()
	p.WantEOF()
	wiretest.Eventually(t, "the last to end", func() bool { s := r.Stats(); return s.Open == 0 && s.Idle == 0 })
}

// CloseIdle also counts for connections that a request opens later if it began before the call.
func TestCloseIdleDuringRequest(t *testing.T) {
	t.Run("the server has changed to HTTP/1.1", func(t *testing.T) {
		r := newRig(t, httpclient.Config{})
		r.spokenHTTP2()
		q := r.get(secure, "/2")
		k := r.asked()
		r.CloseIdle()
		k.accept().WantEOF() // no request needed a connection of HTTP/1.1
		p := r.accept()
		respond(p, "/2")
		q.is("2")
		p.WantEOF()
		wiretest.Eventually(t, "all to end", func() bool { return r.Stats().Open == 0 })
	})
	t.Run("the request has been given up, and the server speaks HTTP/2", func(t *testing.T) {
		r := newRig(t, httpclient.Config{})
		ctx, cancel := context.WithCancel(t.Context())
		q := r.doGet(ctx, secure, "/1")
		k := r.asked()
		cancel()
		q.failed()
		r.CloseIdle()
		serve2(t, k.accept2(), nil)
		wiretest.Eventually(t, "all to end", func() bool { s := r.Stats(); return s.Opened == 1 && s.Open == 0 })
	})
}

// A connection does not keep the memory of a response's text.
func TestResponsesFollowRequests(t *testing.T) {
	r := newRig(t, httpclient.Config{})
	long := strings.Repeat("x", 100_000)
	q := r.get(a, "/"+long[:500])
	p := r.accept()
	respond(p, "/"+long[:500])
	q.is(long[:500])
	q = r.get(a, "/s")
	p.Want(sent("GET", "/s", ""))
	p.Send(ok(long))
	q.is(long)
}

// A waiting request does not get a connection on which bytes follow the last response.
func TestHandedOnIsLookedAt(t *testing.T) {
	if !looks() {
		t.Skip("only a socket that is used by its descriptor can be looked at")
	}
	r := newRig(t, httpclient.Config{MaxConnsPerHost: 1})
	first := r.get(a, "/1")
	p := r.accept()
	p.Want(sent("GET", "/1", ""))
	body := strings.Repeat("x", 8000)
	p.Send("HTTP/1.1 200 OK\r\nContent-Length: 8000\r\n\r\n")
	first.head(200)
	second := r.get(a, "/2")
	r.waiting(2)
	p.Send(body + ok("evil"))
	if _, err := io.ReadFull(&first.Response, make([]byte, 8000)); err != nil {
		t.Fatal(err)
	}
	first.Response.Close()
	respond(r.accept(), "/2")
	second.is("2")
}
