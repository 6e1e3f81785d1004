package httpclient_test

import (
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/join/httpclient"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// diary notes the calls of a request's Trace.
type diary struct {
	mu    sync.Mutex
	lines []string
}

func (d *diary) note(a ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, strings.TrimSpace(fmt.Sprintln(a...)))
}

// trace is a Trace that is noted.
func (d *diary) trace() *httpclient.Trace {
	return &httpclient.Trace{
		Get:       func(key httpclient.Key) { d.note("get", key.Host) },
		Got:       func(nc net.Conn, reused bool, idle time.Duration) { d.note("got", nc != nil, reused, idle) },
		FirstByte: func() { d.note("first byte") },
		Head:      func() { d.note("head") },
		Expects:   func() { d.note("expects") },
		Sent:      func(err error) { d.note("sent", err) },
		PutIdle:   func(err error) { d.note("put", err) },
	}
}

// reads expects the noted calls, all of them in the end; in any order where they come from two goroutines.
func (d *diary) reads(t *testing.T, ordered bool, want ...string) {
	t.Helper()
	wiretest.Eventually(t, "all to be told", func() bool { d.mu.Lock(); defer d.mu.Unlock(); return len(d.lines) >= len(want) })
	d.mu.Lock()
	defer d.mu.Unlock()
	if !ordered {
		slices.Sort(d.lines)
		slices.Sort(want)
	}
	if !slices.Equal(d.lines, want) {
		t.Errorf("got\n%q, want\n%q", d.lines, want)
	}
	d.lines = nil
}

// The functions of a Trace are called in order, over both versions, with the right facts about the connection.
func TestTrace(t *testing.T) {
	r := newRig(t, httpclient.Config{})
	d := new(diary)
	get := httpclient.Call{Key: a, Method: "GET", Head: ask("GET", "/x", ""), Trace: d.trace()}
	get.Expect = time.Hour // nothing waits that long: there is no body
	q := r.do(t.Context(), get)
	p := r.accept()
	respond(p, "/x")
	q.is("x")
	d.reads(t, true, "get a", "got true false 0s", "head", "sent <nil>", "first byte", "put <nil>")
	r.clock.Advance(3 * time.Second)
	q = r.do(t.Context(), get)
	p.Want(sent("GET", "/x", ""))
	p.Send("HTTP/1.1 103 Early\r\n\r\n" + ok("x"))
	q.is("x")
	d.reads(t, true, "get a", "got true true 3s", "head", "sent <nil>", "first byte", "put <nil>")

	for range 2 {
		k := post(a, "body", false)
		k.Trace = d.trace()
		q = r.do(t.Context(), k)
		p.Want(chunkedHead + "4\r\nbody\r\n0\r\n\r\n")
		p.Send(ok("x"))
		q.is("x")
		d.reads(t, false, "get a", "got true true 0s", "head", "sent <nil>", "first byte", "put <nil>")
	}
	get.Key = plain2
	for _, reused := range []bool{false, true} {
		q = r.do(t.Context(), get)
		if !reused {
			serve2(t, r.asked().accept2(), nil)
		}
		q.is("x")
		d.reads(t, true, "get p", fmt.Sprint("got true ", reused, " 0s"), "head", "sent <nil>", "first byte")
	}
}

// A request that fails reports as far as it came.
func TestTraceOfFailures(t *testing.T) {
	r := newRig(t, httpclient.Config{})
	d := new(diary)
	get := httpclient.Call{Key: a, Method: "GET", Head: ask("GET", "/x", ""), Trace: d.trace()}
	q := r.do(t.Context(), get)
	r.asked().fail(net.ErrClosed)
	q.failed()
	d.reads(t, true, "get a")
	q = r.do(t.Context(), get)
	p := r.accept()
	p.Want(sent("GET", "/x", ""))
	p.Close()
	q.failed()
	d.reads(t, true, "get a", "got true false 0s", "head", "sent <nil>", "put http: the connection cannot be reused")
	k := post(a, "body", false)
	k.Expect, k.Trace = time.Hour, d.trace()
	q = r.do(t.Context(), k)
	p = r.accept()
	p.Want(chunkedHead)
	p.Send("HTTP/1.1 417 No\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
	q.head(417)
	q.Response.Close()
	p.WantGone()
	d.reads(t, false, "get a", "got true false 0s", "head", "expects", "first byte", "sent http: the rest of the request's body is not sent",
		"put http: the connection cannot be reused")
}

// A Trace reports why a connection is not kept.
func TestTraceOfConnections(t *testing.T) {
	for name, c := range map[string]struct {
		cfg   httpclient.Config
		close bool
		says  string
		then  func(r *rig)
		want  string
	}{
		"the request's last":  {close: true, want: "not reused"},
		"none are kept":       {cfg: httpclient.Config{KeepNone: true}, want: "not reused"},
		"idle ones are not":   {then: func(r *rig) { r.CloseIdle() }, want: "not reused"},
		"the server's last":   {says: "Connection: close\r\n", want: "cannot be reused"},
		"maximum lifetime":    {cfg: httpclient.Config{MaxLifetime: time.Minute}, then: func(r *rig) { r.clock.Advance(time.Minute) }, want: "maximum lifetime"},
		"not quite too old":   {cfg: httpclient.Config{MaxLifetime: time.Minute}, then: func(r *rig) { r.clock.Advance(time.Minute - 1) }, want: "<nil>"},
		"others are wanted":   {cfg: httpclient.Config{MaxConns: 1}, then: func(r *rig) { r.get(b, "/"); r.waiting(2) }, want: "other hosts wait"},
		"its pool waits":      {cfg: httpclient.Config{MaxConns: 1}, then: func(r *rig) { r.get(a, "/"); r.waiting(2) }, want: "<nil>"},
		"the client is ended": {then: func(r *rig) { r.Close() }, want: "cannot be reused"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, c.cfg)
			put := make(chan error, 1)
			k := httpclient.Call{Key: a, Method: "GET", Head: ask("GET", "/x", ""), Close: c.close}
			k.Trace = &httpclient.Trace{PutIdle: func(err error) { put <- err }}
			q := r.do(t.Context(), k)
			p := r.accept()
			p.Want(sent("GET", "/x", ""))
			if c.then != nil {
				c.then(r)
			}
			if name != "the client is ended" {
				p.Send("HTTP/1.1 200 OK\r\n" + c.says + "Content-Length: 1\r\n\r\nx")
				q.is("x")
			}
			if err := wiretest.Within(t, "what becomes of the connection", put); !strings.Contains(fmt.Sprint(err), c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
	r := newRig(t, httpclient.Config{MaxIdlePerHost: 1})
	put := make(chan error, 2)
	k := httpclient.Call{Key: a, Method: "GET", Head: ask("GET", "/x", ""), Trace: &httpclient.Trace{PutIdle: func(err error) { put <- err }}}
	one, two := r.do(t.Context(), k), r.do(t.Context(), k)
	p1, p2 := r.accept(), r.accept()
	p1.Want(sent("GET", "/x", ""))
	p2.Want(sent("GET", "/x", ""))
	p1.Send(ok("x"))
	first := wiretest.Within(t, "the first connection to be kept", put)
	p2.Send(ok("x"))
	second := wiretest.Within(t, "the second connection to be closed", put)
	one.is("x")
	two.is("x")
	if first != nil || second == nil || !strings.Contains(second.Error(), "too many idle connections") {
		t.Errorf("%v, %v", first, second)
	}
}
