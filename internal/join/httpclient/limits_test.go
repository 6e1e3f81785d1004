package httpclient_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	xhttp2 "golang.org/x/net/http2"

	"github.com/shockwave-go/shockwave/internal/join/httpclient"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// doGet is get with a context.
func (r *rig) doGet(ctx context.Context, key httpclient.Key, path string) *request {
	return r.do(ctx, httpclient.Call{Key: key, Head: ask("GET", path, ""), Method: "GET", Replayable: true})
}

// Requests beyond MaxConnsPerHost are served in the order in which they came.
func TestMaxConnsPerHostIsAFairQueue(t *testing.T) {
	r := newRig(t, httpclient.Config{MaxConnsPerHost: 1})
	var all []*request
	for i := range 10 {
		all = append(all, r.get(a, fmt.Sprint("/", i)))
		r.waiting(int64(i + 1))
	}
	other := r.get(b, "/b") // another host's
	p, q := r.asked(), r.asked()
	if p.key == b {
		p, q = q, p
	}
	respond(q.accept(), "/b")
	other.is("b")
	peer := p.accept()
	for i := range all {
		for _, later := range all[i+1:] {
			later.pending()
		}
		respond(peer, fmt.Sprint("/", i))
		all[i].is(fmt.Sprint(i))
	}
	r.none()
}

// A request whose context ends leaves the queue, and the next one takes its place.
func TestContextEndsTheWait(t *testing.T) {
	r := newRig(t, httpclient.Config{MaxConnsPerHost: 1})
	cause := errors.New("enough")
	first := r.get(a, "/1")
	p := r.accept()
	ctx, cancel := context.WithCancelCause(t.Context())
	r.waiting(1)
	second := r.doGet(ctx, a, "/2")
	r.waiting(2)
	third := r.get(a, "/3")
	r.waiting(3)
	cancel(cause)
	if err := second.failed(); err != cause {
		t.Error(err)
	}
	respond(p, "/1")
	first.is("1")
	respond(p, "/3")
	third.is("3")
}

// A connection that is being opened goes to another request if the first one leaves.
func TestContextEndsWhileOpening(t *testing.T) {
	r := newRig(t, httpclient.Config{})
	ctx, cancel := context.WithCancel(t.Context())
	first := r.doGet(ctx, a, "/1")
	k := r.asked()
	cancel()
	if err := first.failed(); err != context.Canceled {
		t.Error(err)
	}
	p := k.accept()
	wiretest.Eventually(t, "the connection to lie idle", func() bool { return r.Stats().Idle == 1 })
	second := r.get(a, "/2")
	respond(p, "/2")
	second.is("2")
	r.none()
}

// A request whose context ends just as it gets a connection passes the connection on.
func TestWaitersWhoLeaveLoseNothing(t *testing.T) {
	r := newRig(t, httpclient.Config{MaxConnsPerHost: 1})
	q := r.get(a, "/0")
	p := r.accept()
	respond(p, "/0")
	q.is("0")
	for range 200 {
		busy := r.get(a, "/busy")
		p.Want(sent("GET", "/busy", ""))
		ctx, cancel := context.WithCancel(t.Context())
		n := r.Stats().Waits
		leaves := r.doGet(ctx, a, "/leaves")
		r.waiting(n + 1)
		stays := r.get(a, "/stays")
		r.waiting(n + 2)
		go cancel()
		p.Send(ok("busy"))
		busy.is("busy")
		req, err := http.ReadRequest(bufio.NewReader(p.Conn))
		if err != nil || req.URL.Path == "/leaves" { // it was served, and may be cut: perhaps so early that nothing is seen of it
			p.Close()
			if err := <-leaves.done; err == nil {
				leaves.Response.Close()
			}
			p = r.accept()
			p.Want(sent("GET", "/stays", ""))
		} else if req.URL.Path != "/stays" {
			t.Fatal(req.URL)
		}
		p.Send(ok("stays"))
		stays.is("stays")
		cancel()
	}
}

// A request that gets no connection within WaitTimeout fails.
func TestWaitTimeout(t *testing.T) {
	r := newRig(t, httpclient.Config{MaxConnsPerHost: 1, WaitTimeout: 20 * time.Millisecond})
	first := r.get(a, "/1")
	if err := first.failed(); err != httpclient.ErrWaitTimeout { // opening is part of it
		t.Error(err)
	}
	p := r.accept()
	wiretest.Eventually(t, "the connection to lie idle", func() bool { return r.Stats().Idle == 1 })
	r.get(a, "/2")
	p.Want(sent("GET", "/2", ""))
	second := r.get(a, "/3")
	if err := second.failed(); err != httpclient.ErrWaitTimeout {
		t.Error(err)
	}
}

// A connection that cannot be opened fails the request that waits for it, and no other.
func TestOpeningFails(t *testing.T) {
	r := newRig(t, httpclient.Config{MaxConnsPerHost: 1, MaxConns: 1})
	no := errors.New("no")
	first := r.get(a, "/1")
	k := r.asked()
	r.waiting(1)
	second := r.get(a, "/2")
	r.waiting(2)
	k.fail(no)
	if err := first.failed(); err != no {
		t.Error(err)
	}
	respond(r.accept(), "/2")
	second.is("2")
	if s := r.Stats(); s.Open != 1 || s.Opened != 1 {
		t.Errorf("%+v", s)
	}
}

// Beyond MaxConns the connection that has been idle longest is closed, whatever its host is.
func TestMaxConnsEndsTheOldestIdle(t *testing.T) {
	r := newRig(t, httpclient.Config{MaxConns: 2})
	pa := r.keep(a, 1)[0]
	r.clock.Advance(time.Second)
	pb := r.keep(b, 1)[0]
	r.clock.Advance(time.Second)
	q := r.get(c, "/c")
	pa.WantEOF()
	pc := r.accept()
	respond(pc, "/c")
	q.is("c")
	q = r.get(b, "/b")
	respond(pb, "/b")
	q.is("b")
	if s := r.Stats(); s.Open != 2 || s.Idle != 2 {
		t.Errorf("%+v", s)
	}
}

// Which connection is closed depends neither on its host nor on its version.
func TestMaxConnsEndsTheOldestOfAll(t *testing.T) {
	keys := []httpclient.Key{a, b, secure}
	for oldest := range keys {
		r := newRig(t, httpclient.Config{MaxConns: len(keys)})
		peers := map[httpclient.Key]*wiretest.Talk{}
		for i := range keys {
			key := keys[(oldest+i)%len(keys)]
			if key == secure {
				q := r.get(key, "/kept")
				serve2(t, r.asked().accept2(), nil)
				q.is("kept")
			} else {
				peers[key] = r.keep(key, 1)[0]
			}
			r.clock.Advance(time.Second)
		}
		q := r.get(c, "/c")
		respond(r.accept(), "/c")
		q.is("c")
		for i := 1; i < len(keys); i++ {
			key := keys[(oldest+i)%len(keys)]
			q := r.get(key, "/again")
			if p := peers[key]; p != nil {
				respond(p, "/again")
			}
			q.is("again")
		}
		r.none()
	}
}

// An HTTP/2 connection that has ended does not count against MaxConnsPerHost.
func TestMaxConnsPerHostCountsTheLiving(t *testing.T) {
	r := newRig(t, httpclient.Config{MaxConnsPerHost: 2})
	one := xhttp2.Setting{ID: xhttp2.SettingMaxConcurrentStreams, Val: 1}
	q := r.get(plain2, "/1")
	f := r.asked().frames(one)
	f.ok(f.request(), "1")
	q.is("1")
	f.Conn.Close()
	wiretest.Eventually(t, "the end to be known", func() bool { return r.Stats().Open == 0 })
	q = r.get(plain2, "/2")
	f = r.asked().frames(one)
	id := f.request()
	f.heard()
	third := r.get(plain2, "/3")
	g := r.asked().frames(one)
	g.ok(g.request(), "3")
	third.is("3")
	f.ok(id, "2")
	q.is("2")
}

// The pools of hosts without connections and requests are forgotten, and only those.
func TestManyPools(t *testing.T) {
	r := newRig(t, httpclient.Config{})
	pa := r.keep(a, 1)[0]
	q := r.get(plain2, "/x")
	serve2(t, r.asked().accept2(), nil)
	q.is("x")
	waits := r.get(b, "/b")
	k := r.asked()
	for i := range 2000 {
		if err := r.Warm(t.Context(), httpclient.Key{Host: fmt.Sprint(i)}, 0); err != nil {
			t.Fatal(err)
		}
	}
	if n := r.HostPools(); n > 1500 {
		t.Errorf("%d pools are known", n)
	}
	respond(k.accept(), "/b")
	waits.is("b")
	q = r.get(a, "/a")
	respond(pa, "/a")
	q.is("a")
	r.get(plain2, "/x").is("x")
	r.none()
	r.CloseIdle()
	wiretest.Eventually(t, "all to end", func() bool { return r.Stats().Open == 0 })
}

// A request whose pool was removed meanwhile uses the new pool of its host.
func TestPrunedPool(t *testing.T) {
	refused := errors.New("refused")
	var mayOpen atomic.Bool
	cl := httpclient.New(httpclient.Config{
		MaxConnsPerHost: 1,
		Open: func(ctx context.Context, _ httpclient.Key) (httpclient.Opened, error) {
			if !mayOpen.Load() {
				return httpclient.Opened{}, refused
			}
			<-ctx.Done()
			return httpclient.Opened{}, ctx.Err()
		},
	})
	var k httpclient.Call
	get := func(k *httpclient.Call, ctx context.Context, key httpclient.Key) error {
		k.Key, k.Head, k.Method = key, ask("GET", "/", ""), "GET"
		return cl.Do(ctx, k, new(httpclient.Response))
	}
	if err := get(&k, t.Context(), a); err != refused {
		t.Fatal(err)
	}
	for i := range 1 << 10 {
		get(new(httpclient.Call), t.Context(), httpclient.Key{Host: fmt.Sprint(i)})
	}
	if n := cl.HostPools(); n > 1<<9 {
		t.Fatalf("%d pools are left", n)
	}
	mayOpen.Store(true)
	ctx, cancel := context.WithCancel(t.Context())
	var calls sync.WaitGroup
	for _, k := range []*httpclient.Call{&k, new(httpclient.Call)} {
		calls.Go(func() { get(k, ctx, a) })
	}
	wiretest.Eventually(t, "both to wait", func() bool { return cl.Stats().Waits >= 1<<10+3 })
	// A dial that has failed is counted until its goroutine has ended.
	wiretest.Eventually(t, "one connection to be opened for both", func() bool { return cl.Stats().Open == 1 })
	cancel()
	calls.Wait()
	cl.Close()
}

// Pools that wait for connections of other pools are served in order.
func TestMaxConnsServesBlockedPoolsInOrder(t *testing.T) {
	r := newRig(t, httpclient.Config{MaxConns: 1})
	busy := r.get(a, "/a")
	p := r.accept()
	p.Want(sent("GET", "/a", ""))
	hosts, waits := []httpclient.Key{b, c, {Host: "d"}, {Host: "e"}}, []*request(nil)
	for i, key := range hosts {
		waits = append(waits, r.get(key, "/"+key.Host))
		r.waiting(int64(i + 2))
	}
	r.none()
	p.Send(ok("a"))
	busy.is("a")
	for i, key := range hosts {
		p.WantEOF()
		k := r.asked()
		if k.key != key {
			t.Fatalf("%v is served, want %v", k.key, key)
		}
		p = k.accept()
		respond(p, "/"+key.Host)
		waits[i].is(key.Host)
	}
}

// A pool that needs no connection any more does not keep the next one from being served.
func TestMaxConnsPassesTheSatisfied(t *testing.T) {
	r := newRig(t, httpclient.Config{MaxConns: 1})
	busy := r.get(a, "/a")
	p := r.accept()
	p.Want(sent("GET", "/a", ""))
	again := r.get(a, "/again") // blocked, and then sent on its own connection
	r.waiting(2)
	ctx, cancel := context.WithCancel(t.Context())
	leaves := r.doGet(ctx, b, "/b")
	r.waiting(3)
	stays := r.get(c, "/c")
	r.waiting(4)
	cancel()
	if err := leaves.failed(); err != context.Canceled {
		t.Error(err)
	}
	p.Send(ok("a"))
	busy.is("a")
	respond(p, "/again")
	again.is("again")
	k := r.asked()
	if k.key != c {
		t.Fatalf("%v is served", k.key)
	}
	respond(k.accept(), "/c")
	stays.is("c")
}

// New requests do not overtake hosts that wait, even when they come in a steady stream.
func TestMaxConnsStarvesNobody(t *testing.T) {
	r := newRig(t, httpclient.Config{MaxConns: 1})
	stop := make(chan bool)
	ended := make(chan bool)
	go func() { // opens the connections
		defer close(ended)
		for {
			select {
			case k := <-r.opens:
				p := k.accept()
				go func() { respondToAll(p.Conn) }()
			case <-stop:
				return
			}
		}
	}()
	var counts [3]atomic.Int64
	served := make(chan struct{})
	var busy sync.WaitGroup
	for i, key := range []httpclient.Key{a, b, c} {
		busy.Go(func() {
			for { // until each host has had five
				r.get(key, "/x").is("x")
				if counts[i].Add(1); counts[0].Load() >= 5 && counts[1].Load() >= 5 && counts[2].Load() >= 5 {
					return
				}
			}
		})
	}
	go func() { busy.Wait(); close(served) }()
	wiretest.Within(t, "everybody to be served", served)
	close(stop)
	<-ended
	r.end()
}

// The limits per host and in all are never exceeded, and every request is served.
func TestLimitsHold(t *testing.T) {
	for seed := range 20 {
		limitsHold(t, seed)
	}
}

func limitsHold(t *testing.T, seed int) {
	r := newRig(t, httpclient.Config{MaxConns: 3, MaxConnsPerHost: 2})
	srv := r.serveAll()
	defer srv.stop()
	defer r.end()
	done := make(chan error, 200)
	for i := range cap(done) {
		go func() {
			key := httpclient.Key{Host: string(rune('a' + (i*7+seed)%5))}
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			if i%3 == 0 {
				time.AfterFunc(time.Duration(i*37%2000)*time.Microsecond, cancel)
			}
			path := fmt.Sprint("/", i)
			q := r.doGet(ctx, key, path)
			err := <-q.done
			if err == nil {
				q.done <- nil
				if i%5 != 0 && i%3 != 0 {
					q.is(path[1:])
				}
				q.Response.Close()
			} else if i%3 == 0 && err == context.Canceled {
				err = nil
			}
			done <- err
		}()
	}
	for range cap(done) {
		if err := wiretest.Within(t, "all requests", done); err != nil {
			t.Error(err)
		}
	}
	if most := srv.most.Load(); most > 3 {
		t.Errorf("%d were open at once", most)
	}
}

// The pool of a host is not forgotten while a connection for it is being opened.
func TestPruneDuringRequest(t *testing.T) {
	r := newRig(t, httpclient.Config{MaxConnsPerHost: 1})
	r.spokenHTTP2()
	q := r.get(secure, "/2")
	k := r.asked() // for HTTP/2: no HTTP/1.1 connection of the host's pool is being opened
	for i := range 1500 {
		if err := r.Warm(t.Context(), httpclient.Key{Host: fmt.Sprint(i)}, 0); err != nil {
			t.Fatal(err)
		}
	}
	p := k.accept() // of HTTP/1.1
	respond(p, "/2")
	q.is("2")
	q = r.get(secure, "/3")
	respond(p, "/3") // on the same connection
	q.is("3")
	r.none()
	r.CloseIdle()
	p.WantEOF()
}

// Every wait ends by an event or a timeout, which a synctest bubble checks.
func TestWaitsEndInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cl := httpclient.New(httpclient.Config{
			WaitTimeout: time.Minute,
			Open: func(ctx context.Context, _ httpclient.Key) (httpclient.Opened, error) {
				<-ctx.Done()
				return httpclient.Opened{}, ctx.Err()
			},
		})
		k := &httpclient.Call{Method: "GET", Key: a, Head: ask("GET", "/", "")}
		start := time.Now()
		if err := cl.Do(t.Context(), k, new(httpclient.Response)); err != httpclient.ErrWaitTimeout || time.Since(start) != time.Minute {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		cl.Close() // ends the opening
		synctest.Wait()
		if n := cl.Stats().Open; n != 0 {
			t.Errorf("%d are open", n)
		}
	})
}

// Two calls of Warm that want as many connections as are allowed do not block each other.
func TestWarmsTakeTurns(t *testing.T) {
	for name, tc := range map[string]struct {
		cfg   httpclient.Config
		other httpclient.Key
	}{
		"per host": {httpclient.Config{MaxConnsPerHost: 4}, a},
		"in all":   {httpclient.Config{MaxConns: 4}, b},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, tc.cfg)
			defer r.serveAll().stop()
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			for range 50 {
				first := make(chan error, 1)
				go func() { first <- r.Warm(ctx, a, 4) }()
				if err := r.Warm(ctx, tc.other, 4); err != nil {
					t.Fatal(err)
				}
				if err := <-first; err != nil {
					t.Fatal(err)
				}
				r.CloseIdle()
			}
		})
	}
	r := newRig(t, httpclient.Config{MaxConnsPerHost: 1})
	firsts := make(chan error, 2)
	go func() { firsts <- r.Warm(t.Context(), a, 1) }()
	slow := r.asked()
	go func() { firsts <- r.Warm(t.Context(), b, 1) }()
	r.asked().accept() // the other host is not waited for
	if err := <-firsts; err != nil {
		t.Error(err)
	}
	slow.accept()
	if err := <-firsts; err != nil {
		t.Error(err)
	}

	r = newRig(t, httpclient.Config{MaxConns: 1})
	first := make(chan error, 1)
	go func() { first <- r.Warm(t.Context(), a, 1) }()
	k := r.asked()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.Warm(ctx, b, 1); err != context.Canceled {
		t.Errorf("got %v while another call opens connections", err)
	}
	k.accept()
	if err := <-first; err != nil {
		t.Error(err)
	}
}
