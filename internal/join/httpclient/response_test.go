package httpclient_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/join/httpclient"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// A Response that is used again has nothing of the response before.
func TestResponseIsUsedAgain(t *testing.T) {
	r := newRig(t, httpclient.Config{})
	var resp httpclient.Response
	ask := func() <-chan error {
		done := make(chan error, 1)
		k := &httpclient.Call{Key: a, Method: "GET", Head: ask("GET", "/", "")}
		go func() { done <- r.Do(t.Context(), k, &resp) }()
		return done
	}
	done := ask()
	p := r.accept()
	p.Want(sent("GET", "/", ""))
	p.Send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nX-Sum: " + strings.Repeat("4", 2000) + "\r\n\r\n")
	if err := wiretest.Within(t, "the head", done); err != nil || resp.Length != -1 || resp.Bodyless() {
		t.Fatal(err, resp.Length)
	}
	if body, err := io.ReadAll(&resp); string(body) != "x" || err != nil || len(resp.Trailer().GetString("X-Sum")) != 2000 {
		t.Errorf("%q, %v, %v", body, err, resp.Trailer())
	}
	resp.Close()
	resp.Trim(1000)
	if n := cap(resp.Trailer().Bytes()); n > 1000 {
		t.Errorf("%d bytes are kept", n)
	}
	if _, err := resp.Read(nil); err != httpclient.ErrBodyClosed || resp.Status != 0 || resp.Length != 0 || resp.Header().Len()+resp.Trailer().Len() > 0 {
		t.Errorf("the connection is still known: %v, %d, %v", err, resp.Status, resp.Header())
	}
	done = ask()
	p.Want(sent("GET", "/", ""))
	p.Send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-Sum: 1\r\n\r\n")
	wiretest.Within(t, "the head", done)
	io.ReadAll(&resp)
	resp.Close()
	done = ask()
	p.Want(sent("GET", "/", ""))
	p.Send("HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nand all")
	if err := wiretest.Within(t, "the head", done); err != nil || resp.Length != 7 || resp.Trailer().Len() != 0 {
		t.Errorf("%v, %d, %v", err, resp.Length, resp.Trailer())
	}
	resp.Close()
}

// The errors of timeouts say so by their method Timeout.
func TestTimeoutsAreTimeouts(t *testing.T) {
	for _, err := range []error{httpclient.ErrHeadTimeout, httpclient.ErrIdleTimeout, httpclient.ErrWaitTimeout} {
		e, ok := err.(interface{ Timeout() bool })
		if !ok || !e.Timeout() {
			t.Errorf("%v is not a timeout", err)
		}
		if e, ok := err.(interface{ Temporary() bool }); !ok || !e.Temporary() {
			t.Errorf("%v is not temporary", err)
		}
	}
}

// A body that came with its head can be read at once, and its connection already serves another request.
func TestWholeBody(t *testing.T) {
	r := newRig(t, httpclient.Config{})
	for _, key := range []httpclient.Key{a, plain2} {
		q := r.get(key, "/x")
		var p *wiretest.Talk
		if key == a {
			p = r.accept()
			p.Want(sent("GET", "/x", ""))
			p.Send(ok("hello"))
		} else {
			f := r.asked().frames()
			id := f.request()
			f.Framer.WriteRawFrame(1, 4, id, []byte{0x88}) // head and body in one piece, as far as the system allows
			f.Framer.WriteData(id, true, []byte("hello"))
		}
		q.head(200)
		if body, whole := q.Buffered(); whole && string(body) != "hello" || !whole && key == a {
			t.Errorf("%q is there, whole: %v", body, whole)
		}
		if key == a {
			next := r.get(key, "/next")
			p.Want(sent("GET", "/next", ""))
			q.Response.Cancel(context.Canceled) // which is not that one's
			r.clock.Advance(time.Minute)
			p.Send(ok("next"))
			next.is("next")
		}
		buf := make([]byte, 3)
		for _, want := range []string{"hel", "lo"} {
			n, err := q.Read(buf)
			if string(buf[:n]) != want || err != nil && err != io.EOF {
				t.Errorf("%q, %v; want %q", buf[:n], err, want)
			}
		}
		for range 2 {
			if n, err := q.Read(buf); n != 0 || err != io.EOF {
				t.Errorf("after the end: %d, %v", n, err)
			}
		}
		q.Response.Close()
	}
}

// Parts of a Response can be released before the body is read, and a released Response can be used again.
func TestResponseIsLetGo(t *testing.T) {
	r := newRig(t, httpclient.Config{})
	var resp httpclient.Response
	p := (*wiretest.Talk)(nil)
	for i, says := range []string{ok("whole"), "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x\r\nparts\r\n0\r\n\r\n", ok(""), ok("whole")} {
		done := make(chan error, 1)
		go func() {
			done <- r.Do(t.Context(), &httpclient.Call{Key: a, Method: "GET", Head: ask("GET", "/", "")}, &resp)
		}()
		if p == nil {
			p = r.accept()
		}
		p.Want(sent("GET", "/", ""))
		p.Send(says)
		if err := wiretest.Within(t, "the head", done); err != nil || resp.Bodyless() != (says == ok("")) {
			t.Fatal(err, resp.Bodyless())
		}
		if resp.DropHead(); resp.Head() != nil {
			t.Error("the head is still there")
		}
		if i < 3 {
			body, err := io.ReadAll(&resp)
			if want := []string{"whole", "parts", ""}[i]; string(body) != want || err != nil {
				t.Errorf("%q, %v", body, err)
			}
		}
		resp.Close()
		if _, err := resp.Read(make([]byte, 1)); err == nil {
			t.Error("a closed body was read")
		}
		resp.Trim(0)
		resp.Release()
	}
	q := r.get(a, "/kept")
	respond(p, "/kept")
	q.is("kept")
	if q.Release(); q.Head() != nil {
		t.Error("the head is still there")
	}
	if body, _ := q.Buffered(); len(body) > 0 {
		t.Errorf("%q is still there", body)
	}
}

// A Response that was trimmed gives out none of its memory.
func TestTrimmed(t *testing.T) {
	r := newRig(t, httpclient.Config{})
	q := r.get(a, "/x")
	respond(r.accept(), "/x")
	q.head(200)
	q.Response.Close()
	q.Trim(0)
	if body, _ := q.Buffered(); len(body) > 0 || q.Header().Len() > 0 {
		t.Errorf("%q and %d fields are still there", body, q.Header().Len())
	}
}

// The bytes of a Response can be overwritten when it is released, which shows that a program has kept them.
func TestPoison(t *testing.T) {
	r := newRig(t, httpclient.Config{})
	q := r.get(a, "/")
	p := r.accept()
	p.Want(sent("GET", "/", ""))
	p.Send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX: value\r\n\r\n1\r\nb\r\n0\r\nY: trailer\r\n\r\n")
	q.head(200)
	if body, err := io.ReadAll(&q.Response); string(body) != "b" || err != nil {
		t.Errorf("%q, %v", body, err)
	}
	given := [][]byte{q.Header().Get("X"), q.Trailer().Get("Y")}
	q.Response.Close()
	q.Poison()
	for _, b := range given {
		if len(b) == 0 || len(bytes.Trim(b, "\xDB")) > 0 {
			t.Errorf("%q is left", b)
		}
	}
}

// The bytes of an informational response are overwritten, too, when it was longer than the final one.
func TestPoisonOfInterim(t *testing.T) {
	r := newRig(t, httpclient.Config{})
	var given []byte
	k := httpclient.Call{Key: a, Method: "GET", Head: ask("GET", "/", "")}
	k.Interim = func(_ int, h *shockwave.Header) error { given = h.Get("X"); return nil }
	q := r.do(t.Context(), k)
	p := r.accept()
	p.Want(sent("GET", "/", ""))
	p.Send("HTTP/1.1 103 Early Hints\r\nX: " + strings.Repeat("x", 500) + "\r\n\r\n" + ok("x"))
	q.is("x")
	if !bytes.Contains(given, []byte("xxx")) {
		t.Fatalf("%q is gone before its time", given)
	}
	q.Poison()
	if len(bytes.Trim(given, "\xDB")) > 0 {
		t.Errorf("%q is left", given)
	}
}

// Cancel ends a request whose response has not come, even before it begins, with the first reason given.
func TestCancel(t *testing.T) {
	first, second := errors.New("first"), errors.New("second")
	for _, key := range []httpclient.Key{a, plain2} {
		for _, phase := range []string{"before", "head", "body"} {
			t.Run(key.Host+" "+phase, func(t *testing.T) {
				r := newRig(t, httpclient.Config{})
				q := &request{t: t, call: httpclient.Call{Key: key, Method: "GET", Head: ask("GET", "/x", ""), Replayable: true}, done: make(chan error, 1)}
				if phase == "before" {
					q.Response.Cancel(first)
					q.Response.Cancel(second)
				}
				go func() { q.done <- r.Do(t.Context(), &q.call, &q.Response) }()
				var head func()
				if key == a {
					p := r.accept()
					if phase != "before" { // else it may have been cut before it left
						p.Want(sent("GET", "/x", ""))
					}
					head = func() { p.Send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n") }
				} else {
					f := r.asked().frames()
					id := f.request()
					head = func() { f.Headers(id, false, ":status", "200") }
				}
				if phase == "body" {
					head()
					q.head(200)
				}
				q.Response.Cancel(first)
				q.Response.Cancel(second)
				if phase != "body" {
					if err := q.failed(); err != first {
						t.Error(err)
					}
					return
				}
				for range 2 {
					if _, err := q.Read(make([]byte, 1)); err != first {
						t.Error(err)
					}
				}
				q.Response.Close()
			})
		}
	}
}

// Calls for a request that is over do not change the next request on its connection or its stream.
func TestTooLate(t *testing.T) {
	for _, key := range []httpclient.Key{a, plain2} {
		r := newRig(t, httpclient.Config{})
		ctx, cancel := context.WithCancel(t.Context())
		old := r.doGet(ctx, key, "/old")
		var say func(s string)
		if key == a {
			p := r.accept()
			say = func(s string) { p.WantUntil("\r\n\r\n"); p.Send(ok(s)) }
		} else {
			f := r.asked().frames()
			say = func(s string) { f.ok(f.request(), s) }
		}
		say("old")
		old.is("old")
		next := r.get(key, "/next")
		if key == a {
			wiretest.Eventually(t, "the connection to be used", func() bool { return r.Stats().Idle == 0 })
		}
		old.Response.Cancel(context.Canceled)
		cancel()
		old.Response.Close()
		say("next")
		next.is("next")
		r.none()
	}
}

// watched is a context that does not end, and counts the functions that are registered for its end.
type watched struct {
	context.Context
	done    chan struct{}
	watches chan int
}

// Done implements context.Context.
func (w watched) Done() <-chan struct{} { return w.done }

// AfterFunc is what package context asks for.
func (w watched) AfterFunc(func()) (stop func() bool) {
	w.watches <- 1
	return func() bool { w.watches <- -1; return true }
}

// ending is a context that cancels exchanges itself.
type ending struct{ watched }

// Value implements context.Context.
func (e ending) Value(key any) any {
	if key == httpclient.EndingKey {
		return e
	}
	return nil
}

// CancelAtEnd implements httpclient.Ending.
func (e ending) CancelAtEnd(httpclient.Use) bool { e.watches <- 1; return true }

// ForgetUse implements httpclient.Ending.
func (e ending) ForgetUse() { e.watches <- -1 }

// A request that is over keeps no watch on its context.
func TestContextIsLetGo(t *testing.T) {
	for name, as := range map[string]func(watched) context.Context{
		"AfterFunc": func(w watched) context.Context { return w },
		"Ending":    func(w watched) context.Context { return ending{w} },
	} {
		t.Run(name, func(t *testing.T) { contextIsLetGo(t, as) })
	}
}

func contextIsLetGo(t *testing.T, as func(watched) context.Context) {
	r := newRig(t, httpclient.Config{})
	for _, says := range []string{ok("whole"), "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x\r\nparts\r\n0\r\n\r\n", "garbage\r\n\r\n"} {
		w := watched{context.Background(), make(chan struct{}), make(chan int, 100)}
		q := r.doGet(as(w), a, "/")
		p := r.accept()
		p.Want(sent("GET", "/", ""))
		p.Send(says)
		if strings.HasPrefix(says, "garbage") {
			err := q.failed()
			bad, ok := errors.AsType[*httpclient.BadHead](err)
			if rule, is := errors.AsType[*http1.Error](err); !ok || !is || bad.Text != says || bad.Error() != rule.Error() {
				t.Errorf("%#v", err)
			}
		} else {
			q.head(200)
			io.Copy(io.Discard, &q.Response)
			q.Response.Close()
		}
		n, most := 0, 0
		for len(w.watches) > 0 {
			n += <-w.watches
			most = max(most, n)
		}
		if n != 0 || most == 0 {
			t.Errorf("%d of %d are left", n, most)
		}
		r.CloseIdle()
	}
}
