package httpclient_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	xhttp2 "golang.org/x/net/http2"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/internal/join/httpclient"
	"github.com/shockwave-go/shockwave/internal/testsupport/h2talk"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// A trailer section follows the body in HEADERS (RFC 9113 §8.1); one without fields is not sent.
func TestTrailersOverHTTP2(t *testing.T) {
	for _, fields := range []int{0, 1} {
		r := newRig(t, httpclient.Config{})
		var h shockwave.Header
		for range fields {
			h.Add("X-Sum", "42")
		}
		k := post(plain2, "body", false)
		k.Trailer = func() (*shockwave.Header, error) { return &h, nil }
		q := r.do(t.Context(), k)
		f := r.asked().frames()
		id := f.request()
		got := []string{f.next(), f.next()}
		want := [][]string{{`DATA 1 "body"`, `DATA 1 "" END`}, {`DATA 1 "body"`, "HEADERS 1 x-sum=42 END"}}[fields]
		if got[0] != want[0] || got[1] != want[1] {
			t.Errorf("%q, want %q", got, want)
		}
		f.ok(id, "x")
		q.is("x")
	}
}

// Over HTTP/2, too, a body waits for 100 Continue.
func TestExpectOverHTTP2(t *testing.T) {
	r := newRig(t, httpclient.Config{})
	k := post(plain2, "body", false)
	k.Expect = time.Minute
	q := r.do(t.Context(), k)
	f := r.asked().frames()
	id := f.request()
	time.Sleep(5 * time.Millisecond)
	f.heard() // a body would have come before this
	f.Headers(id, false, ":status", "100")
	if got := f.next(); got != `DATA 1 "body"` && got != `DATA 1 "body" END` {
		t.Error(got)
	}
	f.ok(id, "x")
	q.is("x")
}

// A body that waits for 100 Continue stops waiting when its request ends, for whatever reason.
func TestExpectEndsWithTheRequest(t *testing.T) {
	no := errors.New("no")
	for _, key := range []httpclient.Key{a, plain2} {
		for _, how := range []string{"the server refuses", "the server ends", "it is cancelled", "the response is closed"} {
			t.Run(key.Host+" "+how, func(t *testing.T) {
				r := newRig(t, httpclient.Config{})
				sent := make(chan error, 2)
				k := post(key, "body", false)
				k.Expect, k.Trace = time.Hour, &httpclient.Trace{Sent: func(err error) { sent <- err }}
				q := r.do(t.Context(), k)
				var end, head, again func()
				if key == a {
					p := r.accept()
					p.Want(chunkedHead)
					end = p.Close
					head = func() { p.Send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n") } // the rest of it is not read
				} else {
					f := r.asked().frames()
					id := f.request()
					end = func() { f.Conn.Close() }
					head = func() { f.Headers(id, false, ":status", "200") }
					if how == "the server refuses" {
						end = func() { f.Framer.WriteRSTStream(id, xhttp2.ErrCodeRefusedStream) }
						again = func() { f.Headers(f.request(), true, ":status", "204") } // the body was not read
					}
				}
				switch how {
				case "it is cancelled":
					q.Response.Cancel(no)
				case "the response is closed":
					head()
					q.head(200)
					q.Response.Close()
				default:
					end()
				}
				if again == nil && how != "the response is closed" {
					q.failed()
				}
				// To a response that keeps its connection the body belongs all the same, on HTTP/1.1.
				if err := wiretest.Within(t, "sending to end", sent); err == nil && how != "the response is closed" {
					t.Error("everything has been sent")
				}
				if again != nil {
					again()
					q.head(204)
				}
			})
		}
	}
}

// A server that does not acknowledge our settings, or opens no window, fails the request in the end.
func TestDeafServers(t *testing.T) {
	r := newRig(t, httpclient.Config{})
	q := r.get(plain2, "/")
	nc := r.asked().accept2()
	h2talk.New(t, nc).Framer.WriteSettings()
	if err := r.failing(q.done); err == nil {
		t.Error("the settings were not acknowledged")
	}

	q = r.do(t.Context(), post(plain2, strings.Repeat("body", 50_000), false)) // more than a window
	g := r.asked().frames(xhttp2.Setting{ID: xhttp2.SettingInitialWindowSize})
	g.request()
	if err := r.failing(q.done); err == nil {
		t.Error("there was no window")
	}
}

// guest is a connection whose deadlines may have no effect.
type guest struct {
	net.Conn
	abandoned atomic.Int32
	marked    atomic.Int32
	refused   atomic.Bool
}

func (g *guest) Abandon()           { g.abandoned.Add(1); g.Conn.Close() }
func (g *guest) Mark()              { g.marked.Add(1) }
func (g *guest) FailedUnsent() bool { return g.refused.Load() }

// A connection that the user has passed is abandoned with its request, and a refused request is sent again on another.
func TestUserConn(t *testing.T) {
	for _, refuses := range []bool{false, true} {
		r := newRig(t, httpclient.Config{})
		ctx, cancel := context.WithCancel(t.Context())
		q := r.doGet(ctx, a, "/1")
		k := r.asked()
		near, far := r.pair()
		g := &guest{Conn: near}
		k.reply <- opened{o: httpclient.Opened{Conn: g}}
		buf := make([]byte, 1000)
		far.Read(buf)
		if !refuses {
			cancel()
			if err := q.failed(); err != context.Canceled {
				t.Error(err)
			}
			wiretest.Eventually(t, "the connection to be abandoned", func() bool { return g.abandoned.Load() > 0 && g.marked.Load() == 1 })
			continue
		}
		fmt.Fprint(far, ok("1"))
		q.is("1")
		g.refused.Store(true)
		q = r.do(ctx, httpclient.Call{Key: a, Method: "POST", Head: ask("POST", "/2", "")})
		far.Read(buf)
		far.Close()
		p := r.accept()
		p.Want(sent("POST", "/2", ""))
		p.Send(ok("2"))
		q.is("2")
		cancel()
	}
}

// Trailers that arrive together with the whole response are there, and do not leak into the next one.
func TestTrailersAtOnce(t *testing.T) {
	r := newRig(t, httpclient.Config{})
	var f *frames
	for _, sum := range []string{"1", ""} {
		q := r.get(plain2, "/")
		if f == nil {
			f = r.asked().frames()
		}
		id := f.request()
		f.Batch(func() { // in one write, so that nothing is waited for behind the head
			f.Headers(id, false, ":status", "200")
			f.Framer.WriteData(id, sum == "", []byte("body"))
			if sum != "" {
				f.Headers(id, true, "x-sum", sum)
			}
		})
		q.head(200)
		if got := q.Trailer().GetString("x-sum"); got != "" && got != sum {
			t.Errorf("the trailer is %q before the end", got)
		}
		body, err := io.ReadAll(&q.Response)
		if got := q.Trailer().GetString("x-sum"); string(body) != "body" || err != nil || got != sum {
			t.Errorf("%q, %v, trailer %q, want %q", body, err, got, sum)
		}
		q.Response.Close()
	}
}

// held is a guest that is slow to be abandoned for the first time.
type held struct {
	guest
	entered, leave chan struct{}
}

func (h *held) Abandon() {
	if h.guest.Abandon(); h.abandoned.Load() == 1 {
		close(h.entered)
		<-h.leave
	}
}

// A slow callback of a cancelled request delays neither that request nor the next one.
func TestSlowCancel(t *testing.T) {
	r := newRig(t, httpclient.Config{})
	ctx, cancel := context.WithCancel(t.Context())
	q := r.doGet(ctx, a, "/1")
	k := r.asked()
	near, far := r.pair()
	h := &held{guest: guest{Conn: near}, entered: make(chan struct{}), leave: make(chan struct{})}
	k.reply <- opened{o: httpclient.Opened{Conn: h}}
	far.Read(make([]byte, 1000))
	cancel()
	wiretest.Within(t, "the connection to be abandoned", h.entered)
	if err := q.failed(); err != context.Canceled {
		t.Error(err)
	}
	q = r.get(a, "/2")
	p := r.accept()
	p.Want(sent("GET", "/2", ""))
	close(h.leave)
	p.Send(ok("2"))
	q.is("2")
}

// Over HTTP/2 a response with an error status stops the request's body, and no other response does.
func TestUploadEndsWithAnError(t *testing.T) {
	for status, ends := range map[string]bool{"200": false, "299": false, "300": true, "403": true} {
		r := newRig(t, httpclient.Config{})
		body, w := newSource()
		k := post(plain2, "", false)
		k.Body = body
		q := r.do(t.Context(), k)
		f := r.asked().frames()
		id := f.request()
		f.Headers(id, false, ":status", status)
		if err := wiretest.Within(t, "the head", q.done); err != nil {
			t.Fatal(err)
		}
		if ends {
			wiretest.Eventually(t, "the body to be closed", func() bool { return body.closed.Load() == 1 })
		} else {
			fmt.Fprint(w, "more")
			if got := f.next(); got != `DATA 1 "more"` {
				t.Errorf("%s: %s", status, got)
			}
		}
		q.Response.Close()
		w.Close()
	}
}

// The count of informational responses starts anew after each one that is reported.
func TestManyInterim(t *testing.T) {
	for _, key := range []httpclient.Key{a, plain2} {
		for _, told := range []bool{false, true} {
			r := newRig(t, httpclient.Config{})
			n := 0
			k := httpclient.Call{Key: key, Method: "GET", Head: ask("GET", "/", "")}
			if told {
				k.Interim = func(int, *shockwave.Header) error { n++; return nil }
			}
			q := r.do(t.Context(), k)
			const many = 40
			if key == a {
				p := r.accept()
				p.Want(sent("GET", "/", ""))
				p.Send(strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", many) + ok("x"))
			} else {
				f := r.asked().frames()
				id := f.request()
				for range many {
					f.Headers(id, false, ":status", "103")
				}
				f.ok(id, "x")
			}
			if !told {
				if err := q.failed(); err != httpclient.ErrInterim {
					t.Error(err)
				}
				continue
			}
			if q.is("x"); n != many {
				t.Errorf("%d were reported", n)
			}
		}
	}
}

// A request whose short body waits for a window ends with its context.
func TestContextEndsTheWaitForAWindow(t *testing.T) {
	r := newRig(t, httpclient.Config{})
	q := r.get(plain2, "/")
	f := r.asked().frames(xhttp2.Setting{ID: xhttp2.SettingInitialWindowSize})
	f.ok(f.request(), "x")
	q.is("x")
	ctx, cancel := context.WithCancelCause(t.Context())
	q = r.do(ctx, httpclient.Call{Key: plain2, Method: "POST", Head: ask("POST", "/", ""), Bytes: []byte("body"), Length: 4})
	f.request()
	enough := errors.New("enough")
	cancel(enough)
	if err := q.failed(); err != enough {
		t.Error(err)
	}
}

// A response is read although the server opens no window for the request's short body.
func TestResponseWithoutAWindow(t *testing.T) {
	r := newRig(t, httpclient.Config{})
	q := r.get(plain2, "/")
	f := r.asked().frames(xhttp2.Setting{ID: xhttp2.SettingInitialWindowSize})
	f.ok(f.request(), "x")
	q.is("x")
	q = r.do(t.Context(), httpclient.Call{Key: plain2, Method: "POST", Head: ask("POST", "/", ""), Bytes: []byte("body"), Length: 4})
	f.ok(f.request(), "no")
	q.is("no")
}

// A short body is sent with its head, and the connection is idle once the response was read.
func TestShortBodyOverHTTP2(t *testing.T) {
	r := newRig(t, httpclient.Config{})
	q := r.do(t.Context(), httpclient.Call{Key: plain2, Method: "POST", Head: ask("POST", "/", ""), Bytes: []byte("body"), Length: 4})
	f := r.asked().frames()
	id := f.request()
	if got := f.next(); got != `DATA 1 "body" END` {
		t.Error(got)
	}
	f.ok(id, "x")
	q.is("x")
	wiretest.Eventually(t, "it to end", func() bool { r.CloseIdle(); return r.Stats().Open == 0 })
}
