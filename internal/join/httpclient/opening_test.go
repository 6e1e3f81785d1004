package httpclient_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/join/httpclient"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

var secure = httpclient.Key{Secure: true, Host: "s"}

// spokenHTTP2 leaves a server that has spoken HTTP/2, and whose only connection has ended.
func (r *rig) spokenHTTP2() {
	q := r.get(secure, "/1")
	nc := r.asked().accept2()
	serve2(r.t, nc, nil)
	q.is("1")
	nc.Close()
	wiretest.Eventually(r.t, "the end to be known", func() bool { return r.Stats().Open == 0 })
}

// serve2 serves HTTP/2 on nc: each response is the path, behind wait if that is not nil.
func serve2(t testing.TB, nc net.Conn, wait func(path string)) {
	handle2(t, nc, func(w http.ResponseWriter, r *http.Request) {
		if wait != nil {
			wait(r.URL.Path)
		}
		fmt.Fprint(w, r.URL.Path[1:])
	})
}

// The first connection tells which version the server speaks, for all requests that wait.
func TestOneOpeningTellsTheVersion(t *testing.T) {
	t.Run("HTTP/2", func(t *testing.T) {
		r := newRig(t, httpclient.Config{})
		var all []*request
		for i := range 20 {
			all = append(all, r.get(secure, fmt.Sprint("/", i)))
		}
		k := r.asked()
		r.waiting(20)
		r.none()
		serve2(t, k.accept2(), nil)
		for i, q := range all {
			q.is(fmt.Sprint(i))
		}
		r.none()
		if s := r.Stats(); s.Open != 1 || s.Opened != 1 || s.Reused != 19 {
			t.Errorf("%+v", s)
		}
		r.CloseIdle()
		wiretest.Eventually(t, "it to end", func() bool { return r.Stats().Open == 0 })
	})
	t.Run("HTTP/1.1", func(t *testing.T) {
		r := newRig(t, httpclient.Config{})
		var all []*request
		for range 20 {
			all = append(all, r.get(secure, "/x"))
		}
		k := r.asked()
		r.waiting(20)
		r.none()
		k.accept().Want(sent("GET", "/x", ""))
		ended := make(chan error, 20)
		for _, q := range all {
			go func() { ended <- <-q.done }()
		}
		for n := 0; n < 19; { // the others do not wait for the first
			select {
			case k := <-r.opens:
				go respondToAll(k.accept().Conn)
			case err := <-ended:
				if n++; err != nil {
					t.Error(err)
				}
			case <-time.After(patience):
				t.Fatal("the others wait for the first")
			}
		}
		for len(r.opens) > 0 {
			go respondToAll(r.accept().Conn)
		}
	})
	t.Run("failure", func(t *testing.T) {
		r := newRig(t, httpclient.Config{})
		one := r.get(secure, "/1")
		k := r.asked()
		two := r.get(secure, "/2")
		r.waiting(2)
		no := errors.New("no")
		k.fail(no)
		if e1, e2 := one.failed(), two.failed(); e1 != no || e2 != no {
			t.Error(e1, e2)
		}
	})
}

// Warm opens connections up to the limits, and those that are there count.
func TestWarm(t *testing.T) {
	for _, key := range []httpclient.Key{a, secure} {
		r := newRig(t, httpclient.Config{MaxConnsPerHost: 5})
		done := make(chan error, 1)
		go func() { done <- r.Warm(t.Context(), key, 7) }()
		for range 5 {
			r.accept()
		}
		if err := wiretest.Within(t, "warmth", done); err != nil {
			t.Error(err)
		}
		if s := r.Stats(); s.Idle != 5 || s.Open != 5 {
			t.Errorf("%+v", s)
		}
		r.none()
	}
	r := newRig(t, httpclient.Config{})
	done := make(chan error, 1)
	go func() { done <- r.Warm(t.Context(), secure, 7) }()
	nc := r.asked().accept2()
	serve2(t, nc, nil)
	if err := wiretest.Within(t, "warmth", done); err != nil || r.Stats().Open != 1 {
		t.Error(err, r.Stats())
	}
	r.get(secure, "/x").is("x")
	go func() { done <- r.Warm(t.Context(), a, 2) }()
	no := errors.New("no")
	one, other := r.asked(), r.asked()
	one.fail(no) // known first: a failure that comes when its waiter has the other connection is made good by a third one
	wiretest.Eventually(t, "the failure to count", func() bool { return r.Stats().Open == 2 })
	other.accept()
	if err := wiretest.Within(t, "the failure", done); err != no || r.Stats().Idle != 1 {
		t.Error(err, r.Stats())
	}
	if err := r.Warm(t.Context(), secure, 3); err != nil || r.Stats().Opened != 2 {
		t.Error(err, r.Stats())
	}
	nc.Close()
	wiretest.Eventually(t, "the end to be known", func() bool { return r.Stats().Open == 1 })
	go func() { done <- r.Warm(t.Context(), secure, 3) }() // of HTTP/2 one would do
	r.asked().fail(no)
	if err := wiretest.Within(t, "the failure", done); err != no {
		t.Error(err)
	}
	go func() { done <- r.Warm(t.Context(), secure, 3) }()
	for range 3 { // but it is HTTP/1.1 now
		r.accept()
	}
	if err := wiretest.Within(t, "warmth", done); err != nil || r.Stats().Idle != 4 {
		t.Error(err, r.Stats())
	}
}

// A connection from Warm counts as reused only from its second request on.
func TestWarmIsNoReuse(t *testing.T) {
	r := newRig(t, httpclient.Config{})
	done := make(chan error, 1)
	go func() { done <- r.Warm(t.Context(), a, 1) }()
	p := r.accept()
	if err := wiretest.Within(t, "warmth", done); err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		if err := r.Warm(t.Context(), a, 1); err != nil {
			t.Fatal(err)
		}
		q := r.get(a, "/x")
		respond(p, "/x")
		q.is("x")
		if n := r.Stats().Reused; n != int64(i) {
			t.Errorf("after %d requests %d are counted as reuse", i+1, n)
		}
	}
}

// A server may change from HTTP/2 to HTTP/1.1, and back.
func TestServerChangesItsVersion(t *testing.T) {
	r := newRig(t, httpclient.Config{})
	r.spokenHTTP2()
	all := []*request{r.get(secure, "/2"), r.get(secure, "/2"), r.get(secure, "/2")}
	srv := r.serveAll() // HTTP/1.1
	for _, q := range all {
		q.is("2")
	}
	wiretest.Eventually(t, "all to end", func() bool { r.CloseIdle(); return r.Stats().Open == 0 })
	srv.stop()
	q := r.get(secure, "/3")
	serve2(t, r.asked().accept2(), nil)
	q.is("3")
}

// Idle HTTP/2 connections are closed to make room for other hosts, as those of HTTP/1.1 are.
func TestMaxConnsEndsIdleHTTP2(t *testing.T) {
	r := newRig(t, httpclient.Config{MaxConns: 1})
	q := r.get(secure, "/1")
	serve2(t, r.asked().accept2(), nil)
	q.is("1")
	q = r.get(a, "/2")
	p := r.accept()
	respond(p, "/2")
	q.is("2")

	q = r.get(secure, "/3") // and the other way round
	p.WantEOF()
	gate := make(chan bool)
	serve2(t, r.asked().accept2(), func(string) { <-gate })
	next := r.get(a, "/4")
	wiretest.Eventually(t, "requests to wait", func() bool { return r.Stats().Waits >= 2 })
	time.Sleep(20 * time.Millisecond)
	next.pending()
	close(gate) // it becomes idle while a request waits
	q.is("3")
	respond(r.accept(), "/4")
	next.is("4")
}

// Closing a client ends its requests and connections in every state.
func TestCloseInEveryState(t *testing.T) {
	r := newRig(t, httpclient.Config{MaxConnsPerHost: 1})
	reads := r.get(httpclient.Key{Host: "reads"}, "/")
	p := r.accept()
	p.Want(sent("GET", "/", ""))
	p.Send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
	reads.head(200)
	r.keep(httpclient.Key{Host: "idle"}, 1)
	awaits := r.get(b, "/")
	r.accept().Want(sent("GET", "/", ""))
	w := r.Stats().Waits
	queued := r.get(b, "/")
	r.waiting(w + 1)
	opening := r.get(c, "/")
	r.asked()
	opening2 := r.get(plain2, "/")
	r.asked()
	stream := r.get(secure, "/")
	nc := r.asked().accept2()
	arrived := make(chan bool)
	gate := make(chan bool)
	defer close(gate)
	serve2(t, nc, func(string) { close(arrived); <-gate })
	wiretest.Within(t, "the stream", arrived)
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	for name, q := range map[string]*request{"awaits": awaits, "queued": queued, "opening": opening, "opening2": opening2, "stream": stream} {
		if err := q.failed(); name != "awaits" && name != "stream" && err != httpclient.ErrClosed {
			t.Errorf("%s: %v", name, err)
		}
	}
	buf := make([]byte, 100)
	n, err := reads.Read(buf)
	for err == nil && n > 0 {
		n, err = reads.Read(buf)
	}
	if err == nil {
		t.Error("the body has not ended")
	}
	reads.Response.Close()
	if err := r.get(a, "/").failed(); err != httpclient.ErrClosed {
		t.Error(err)
	}
	if err := r.Warm(t.Context(), a, 0); err != httpclient.ErrClosed {
		t.Error(err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	wiretest.Eventually(t, "all to end", func() bool { s := r.Stats(); return s.Open == 0 && s.Idle == 0 })
}

// A context ends a request in each phase, with its cause, over both versions.
func TestContextEndsEachPhase(t *testing.T) {
	cause := errors.New("enough")
	for _, key := range []httpclient.Key{a, secure} {
		for _, phase := range []string{"before", "opening", "head", "body"} {
			t.Run(key.Host+" "+phase, func(t *testing.T) {
				r := newRig(t, httpclient.Config{})
				ctx, cancel := context.WithCancelCause(t.Context())
				if phase == "before" {
					cancel(cause)
				}
				q := r.doGet(ctx, key, "/x")
				gate := make(chan bool)
				if phase == "head" || phase == "body" {
					if key == a {
						p := r.accept()
						p.Want(sent("GET", "/x", ""))
						if phase == "body" {
							p.Send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
						}
					} else {
						arrived := make(chan bool)
						nc := r.asked().accept2()
						serveHalf(t, nc, phase == "body", arrived, gate)
						wiretest.Within(t, "the request", arrived)
					}
				}
				defer close(gate)
				if phase == "opening" {
					r.asked()
				}
				if phase == "body" {
					q.head(200)
					got := make(chan error)
					go func() {
						var err error
						for b := make([]byte, 10); err == nil; {
							_, err = q.Read(b)
						}
						got <- err
					}()
					cancel(cause)
					if err := wiretest.Within(t, "the body's end", got); err != cause {
						t.Errorf("the body: %v", err)
					}
					q.Response.Close()
				} else {
					cancel(cause)
					if err := q.failed(); err != cause {
						t.Error(err)
					}
				}
			})
		}
	}
}

// serveHalf responds with a half of a body, if head is true, and waits.
func serveHalf(t testing.TB, nc net.Conn, head bool, arrived, gate chan bool) {
	handle2(t, nc, func(w http.ResponseWriter, r *http.Request) {
		if head {
			fmt.Fprint(w, "half")
			w.(http.Flusher).Flush()
		}
		close(arrived)
		<-gate
	})
}

// When requests exchange the connections that are opened for them, none of them is forgotten.
func TestOpeningsAreExchanged(t *testing.T) {
	for _, last := range []bool{false, true} {
		r := newRig(t, httpclient.Config{})
		one := r.do(t.Context(), httpclient.Call{Key: a, Head: ask("GET", "/1", ""), Method: "GET", Close: last})
		first := r.asked()
		two := r.get(a, "/2")
		p := r.accept()
		p.Want(sent("GET", "/1", ""))
		if last {
			first.accept().WantEOF() // it was to be used for that request alone
		} else {
			first.fail(errors.New("no"))
		}
		respond(r.accept(), "/2")
		two.is("2")
		p.Send(ok("1"))
		one.is("1")
	}
}

// When a server has changed its version, idle connections of the old one make room for the new one.
func TestIdleOfTheOtherVersion(t *testing.T) {
	r := newRig(t, httpclient.Config{MaxConns: 2, MaxConnsPerHost: 2})
	one := r.get(secure, "/1")
	p := r.accept()
	p.Want(sent("GET", "/1", ""))
	two := r.get(secure, "/2")
	nc := r.asked().accept2()
	serve2(t, nc, nil)
	two.is("2")
	p.Send(ok("1"))
	one.is("1")
	nc.Close()
	wiretest.Eventually(t, "the end to be known", func() bool { return r.Stats().Open == 1 })
	three := r.get(secure, "/3")
	p.WantEOF()
	serve2(t, r.asked().accept2(), nil)
	three.is("3")
	four := r.get(secure, "/4")
	four.is("4")
	r.none()
}
