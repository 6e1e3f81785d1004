package httpclient_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	xhttp2 "golang.org/x/net/http2"

	"github.com/shockwave-go/shockwave/internal/join/httpclient"
	"github.com/shockwave-go/shockwave/internal/testsupport/h2talk"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// post is a call with a streamed body. With rewinds it can be sent again.
func post(key httpclient.Key, body string, rewinds bool) httpclient.Call {
	k := httpclient.Call{Key: key, Method: "POST", Head: ask("POST", "/p", "Transfer-Encoding: chunked\r\n"), Length: -1}
	k.Body = io.NopCloser(strings.NewReader(body))
	if rewinds {
		k.Rewind = func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(body)), nil }
	}
	return k
}

var chunkedHead = sent("POST", "/p", "Transfer-Encoding: chunked\r\n")

// A request on an idle connection that the server ends is sent again if that is safe and no response has begun.
func TestStaleConnection(t *testing.T) {
	for _, how := range []string{"end", "reset"} {
		for _, c := range []struct {
			name  string
			heard string
			call  httpclient.Call
			again bool
		}{
			{"GET", "", httpclient.Call{Key: a, Method: "GET", Head: ask("GET", "/p", ""), Replayable: true}, true},
			{"GET that was heard", "H", httpclient.Call{Key: a, Method: "GET", Head: ask("GET", "/p", ""), Replayable: true}, false},
			{"GET and 103", "HTTP/1.1 103 Early\r\n\r\n", httpclient.Call{Key: a, Method: "GET", Head: ask("GET", "/p", ""), Replayable: true}, false},
			{"not replayable", "", httpclient.Call{Key: a, Method: "POST", Head: ask("POST", "/p", "")}, false},
			{"body with rewind", "", func() httpclient.Call { k := post(a, "body", true); k.Replayable = true; return k }(), true},
			{"body without", "", func() httpclient.Call { k := post(a, "body", false); k.Replayable = true; return k }(), false},
			{"body, not replayable", "", post(a, "body", true), false},
		} {
			t.Run(how+" "+c.name, func(t *testing.T) {
				r := newRig(t, httpclient.Config{})
				first := r.get(a, "/keep")
				k := r.asked()
				near, far := r.pair()
				read := &counted{Conn: near}
				if c.heard != "" { // a reset may destroy unread bytes
					near = read
				}
				k.reply <- opened{o: httpclient.Opened{Conn: near}}
				p := wiretest.NewTalk(t, far)
				respond(p, "/keep")
				first.is("keep")
				call := c.call
				if call.Body != nil {
					call.Body = io.NopCloser(strings.NewReader("body"))
				}
				q := r.do(t.Context(), call)
				head := p.WantUntil("\r\n\r\n")
				if call.Body != nil {
					p.Want("4\r\nbody\r\n0\r\n\r\n")
				}
				p.Send(c.heard)
				if c.heard != "" {
					all := int64(len(ok("keep") + c.heard))
					wiretest.Eventually(t, "the client to hear it", func() bool { return read.n.Load() == all })
				}
				if how == "reset" {
					p.Reset()
				} else {
					p.Close()
				}
				if !c.again {
					if err := q.failed(); how == "end" && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
						t.Error(err)
					}
					time.Sleep(2 * time.Millisecond)
					r.none()
					return
				}
				p = r.accept()
				p.Want(head)
				if call.Body != nil {
					p.Want("4\r\nbody\r\n0\r\n\r\n")
				}
				p.Send(ok("fine"))
				q.is("fine")
				if n := r.Stats().Retries; n != 1 {
					t.Errorf("%d retries", n)
				}
			})
		}
	}
}

// counted is a connection that counts the bytes read from it.
type counted struct {
	net.Conn
	n atomic.Int64
}

// Read implements net.Conn.
func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.n.Add(int64(n))
	return n, err
}

// A request on a connection that Warm has opened and that the server ends is sent again, too.
func TestStaleWithoutARequest(t *testing.T) {
	r := newRig(t, httpclient.Config{})
	warm := make(chan error, 1)
	go func() { warm <- r.Warm(t.Context(), a, 1) }()
	p := r.accept()
	if err := wiretest.Within(t, "warmth", warm); err != nil {
		t.Fatal(err)
	}
	q := r.get(a, "/1")
	p.Want(sent("GET", "/1", ""))
	p.Close()
	respond(r.accept(), "/1")
	q.is("1")
	if s := r.Stats(); s.Retries != 1 || s.Reused != 0 {
		t.Errorf("%+v", s)
	}
}

// Over HTTP/2 such a request is sent again, too, also after a GOAWAY with an error; on a new connection that ends it is
// not.
func TestStaleWithoutARequest2(t *testing.T) {
	for _, known := range []bool{false, true} {
		for _, how := range []string{"end", "GOAWAY"} {
			key := httpclient.Key{Secure: true, Host: "a"}
			if known {
				key = plain2
			}
			r := newRig(t, httpclient.Config{})
			warm := make(chan error, 1)
			go func() { warm <- r.Warm(t.Context(), key, 1) }()
			f := r.asked().frames()
			if err := wiretest.Within(t, "warmth", warm); err != nil {
				t.Fatal(err)
			}
			q := r.get(key, "/1")
			end := func() {
				if f.request(); how == "GOAWAY" {
					f.Framer.WriteGoAway(0, xhttp2.ErrCodeEnhanceYourCalm, nil)
				} else {
					f.Conn.Close()
				}
			}
			end()
			f = r.asked().frames()
			end()
			q.failed()
			r.none()
			if s := r.Stats(); s.Retries != 1 || s.Reused != 0 {
				t.Errorf("%s: %+v", how, s)
			}
		}
	}
}

// A request whose context ends before it is sent again fails with the context's cause.
func TestContextEndsBetweenAttempts(t *testing.T) {
	r := newRig(t, httpclient.Config{})
	p := r.keep(a, 1)[0]
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	q := r.do(ctx, httpclient.Call{Key: a, Method: "GET", Head: ask("GET", "/1", ""), Replayable: true,
		Trace: &httpclient.Trace{PutIdle: func(error) { cancel(enough) }}})
	p.Want(sent("GET", "/1", ""))
	p.Close()
	if err := q.failed(); err != enough {
		t.Error(err)
	}
	r.none()
}

// A request on a new connection that ends is not sent again.
func TestNewConnectionEnds(t *testing.T) {
	r := newRig(t, httpclient.Config{})
	q := r.get(a, "/")
	p := r.accept()
	p.Want(sent("GET", "/", ""))
	p.Close()
	if err := q.failed(); err != io.EOF {
		t.Error(err)
	}
	q = r.get(plain2, "/")
	f := r.asked().frames()
	f.request()
	f.Conn.Close()
	if err := q.failed(); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
	r.none()
}

// A new connection that is dead before the request begins fails it at once.
func TestNewConnectionIsDead(t *testing.T) {
	r := newRig(t, httpclient.Config{})
	q := r.get(a, "/")
	k := r.asked()
	near, far := r.pair()
	wiretest.NewTalk(t, far).Reset()
	k.reply <- opened{o: httpclient.Opened{Conn: near}}
	err := q.failed()
	if sees := runtime.GOOS == "linux" && os.Getenv("SHOCKWAVE_LOOP") != "plain"; sees && !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, syscall.EPIPE) {
		t.Error(err)
	}
	r.none()
}

// Each idle connection that has ended unseen costs one attempt, and then a new one is opened.
func TestManyStaleConnections(t *testing.T) {
	r := newRig(t, httpclient.Config{})
	peers := r.keep(a, 20)
	q := r.get(a, "/x")
	for _, p := range peers {
		go func() { // whichever it takes
			buf := make([]byte, 1000)
			p.Conn.Read(buf)
			p.Conn.Close()
		}()
	}
	respond(r.accept(), "/x")
	q.is("x")
}

// frames is a server of HTTP/2 with frames written by hand. It does not see SETTINGS, windows and resets.
type frames struct {
	*h2talk.Talk
	t testing.TB
}

// frames lets a connection be opened and sends the server's preface.
func (k *opening) frames(settings ...xhttp2.Setting) *frames {
	k.rig.t.Helper()
	return newFrames(k.rig.t, k.accept2(), settings...)
}

// newFrames sends the server's preface on nc.
func newFrames(t testing.TB, nc net.Conn, settings ...xhttp2.Setting) *frames {
	t.Helper()
	f := &frames{h2talk.New(t, nc), t}
	f.Timeout = patience
	f.WantPreface()
	f.Text = func(f xhttp2.Frame) string {
		switch f.(type) {
		case *xhttp2.DataFrame, *xhttp2.MetaHeadersFrame, *xhttp2.PingFrame:
			return h2talk.Describe(f)
		}
		return ""
	}
	f.Framer.WriteSettings(settings...)
	f.Framer.WriteSettingsAck()
	return f
}

// next returns the next frame of a request, or a PING.
func (f *frames) next() string {
	f.t.Helper()
	got, err := f.Next()
	if err != nil {
		f.t.Fatalf("waited for a frame: %v", err)
	}
	return got
}

// request expects a request's head, or its end, and returns its stream.
func (f *frames) request() (id uint32) {
	f.t.Helper()
	for n := 0; n == 0; {
		n, _ = fmt.Sscanf(f.next(), "HEADERS %d", &id)
	}
	return id
}

// heard expects that the client has processed everything that was sent to it.
func (f *frames) heard() {
	f.t.Helper()
	f.Framer.WritePing(false, [8]byte{7: 0xee})
	for f.next() != "PING ee ack" {
	}
}

// ok responds with a body.
func (f *frames) ok(id uint32, body string) {
	f.Headers(id, false, ":status", "200")
	f.Framer.WriteData(id, true, []byte(body))
}

var plain2 = httpclient.Key{Host: "p", Version: httpclient.HTTP2}

// A request that the server refused before it worked on it is sent again, whatever its method is.
func TestRefusedStream(t *testing.T) {
	for _, rewinds := range []bool{true, false} {
		r := newRig(t, httpclient.Config{})
		q := r.do(t.Context(), post(plain2, "body", rewinds))
		f := r.asked().frames()
		id := f.request()
		if !rewinds {
			f.next() // the body: one that was not read is sent again as it is
		}
		f.Framer.WriteRSTStream(id, xhttp2.ErrCodeRefusedStream)
		if !rewinds {
			if err := q.failed(); !strings.Contains(err.Error(), "REFUSED_STREAM") {
				t.Error(err)
			}
			continue
		}
		f.ok(f.request(), "fine")
		q.is("fine")
	}
}

// After GOAWAY, streams beyond the last one are sent again on another connection, and the others finish.
func TestGoAway(t *testing.T) {
	r := newRig(t, httpclient.Config{})
	one := r.get(plain2, "/1")
	f := r.asked().frames()
	id := f.request()
	two := r.do(t.Context(), post(plain2, "body", true))
	f.request()
	f.Framer.WriteGoAway(id, xhttp2.ErrCodeNo, nil)
	g := r.asked().frames()
	g.ok(g.request(), "2")
	two.is("2")
	f.ok(id, "1")
	one.is("1")
}

// A server that ends each new connection with GOAWAY is given up after a few attempts.
func TestGoAwayAlways(t *testing.T) {
	r := newRig(t, httpclient.Config{})
	q := r.get(plain2, "/")
	f := r.asked().frames()
	f.request()
	f.Framer.WriteGoAway(0, xhttp2.ErrCodeEnhanceYourCalm, []byte("calm"))
	if err := q.failed(); !strings.Contains(err.Error(), "ENHANCE_YOUR_CALM") || !strings.Contains(err.Error(), "calm") {
		t.Error(err)
	}
}

// An idle HTTP/2 connection may end just as a request comes, which is then sent again.
func TestStaleStream(t *testing.T) {
	for _, how := range []string{"end", "reset"} {
		for _, replayable := range []bool{true, false} {
			t.Run(how, func(t *testing.T) {
				r := newRig(t, httpclient.Config{})
				q := r.get(plain2, "/1")
				k := r.asked()
				near, far := r.pair()
				k.reply <- opened{o: httpclient.Opened{Conn: near, HTTP2: true}}
				f := newFrames(t, far)
				f.ok(f.request(), "1")
				q.is("1")
				q = r.do(t.Context(), httpclient.Call{Key: plain2, Method: "GET", Head: ask("GET", "/2", ""), Replayable: replayable})
				f.request()
				if how == "reset" {
					wiretest.NewTalk(t, far).Reset()
				} else {
					far.Close()
				}
				if !replayable {
					q.failed()
					r.none()
					return
				}
				g := r.asked().frames()
				g.ok(g.request(), "2")
				q.is("2")
			})
		}
	}
}

// The wait between attempts grows while the server refuses a request, and ends with its context.
func TestRefusedAgainAndAgain(t *testing.T) {
	r := newRig(t, httpclient.Config{})
	ctx, cancel := context.WithCancel(t.Context())
	q := r.doGet(ctx, plain2, "/")
	f := r.asked().frames()
	f.Framer.WriteRSTStream(f.request(), xhttp2.ErrCodeRefusedStream)
	f.Framer.WriteRSTStream(f.request(), xhttp2.ErrCodeRefusedStream)
	f.heard() // otherwise the client would reset the stream
	start := time.Now()
	time.AfterFunc(20*time.Millisecond, cancel)
	if err := q.failed(); err != context.Canceled || time.Since(start) > 900*time.Millisecond {
		t.Error(err, time.Since(start))
	}
	f.Framer.WritePing(false, [8]byte{})
	if got := f.next(); got != "PING 00 ack" {
		t.Errorf("after its end came %s", got)
	}
}

// A request that must be sent again fails if its body cannot be rewound.
func TestRewindFails(t *testing.T) {
	r := newRig(t, httpclient.Config{})
	k := post(plain2, "body", true)
	k.Rewind = func() (io.ReadCloser, error) { return nil, errors.New("no") }
	q := r.do(t.Context(), k)
	f := r.asked().frames()
	id := f.request()
	f.next() // the body: one that was not read is sent again as it is
	f.Framer.WriteRSTStream(id, xhttp2.ErrCodeRefusedStream)
	q.failed()
}
