package httpclient_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/internal/join/httpclient"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// source is a body that returns the bytes it is given, until it is closed.
type source struct {
	*io.PipeReader
	closed atomic.Int32
}

func (s *source) Close() error {
	s.closed.Add(1)
	return s.PipeReader.Close()
}

func newSource() (*source, *io.PipeWriter) {
	r, w := io.Pipe()
	return &source{PipeReader: r}, w
}

// A request's body is closed if no connection can be opened, unless the request goes another way.
func TestBodyWithoutAConnection(t *testing.T) {
	no := errors.New("no")
	for err, closed := range map[error]int32{no: 1, fmt.Errorf("%w: %w", httpclient.ErrTakenOver, no): 0} {
		r := newRig(t, httpclient.Config{})
		body, _ := newSource()
		k := post(a, "", false)
		k.Body = body
		q := r.do(t.Context(), k)
		r.asked().fail(err)
		if got := q.failed(); !errors.Is(got, no) {
			t.Errorf("%v, want %v", got, err)
		}
		if n := body.closed.Load(); n != closed {
			t.Errorf("%v: the body was closed %d times, want %d", err, n, closed)
		}
	}
}

// When a response ends before its request, the rest is waited for a short time; then the connection and the body are
// closed.
func TestResponseEndsBeforeTheRequest(t *testing.T) {
	for _, late := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) { responseEndsFirst(t, late) })
	}
}

// responseEndsFirst has a response end before its request, which ends a moment after, or late.
func responseEndsFirst(t *testing.T, late bool) {
	near, far := wiretest.Pipe(wiretest.Config{}, wiretest.Config{})
	cl := httpclient.New(httpclient.Config{Open: func(context.Context, httpclient.Key) (httpclient.Opened, error) {
		return httpclient.Opened{Conn: near}, nil
	}})
	body, w := newSource()
	sent := make(chan error, 1)
	k := post(a, "", false)
	k.Body, k.Trace = body, &httpclient.Trace{Sent: func(err error) { sent <- err }}
	q := begin(t, cl.Do, t.Context(), k)
	p := wiretest.NewTalk(t, far)
	p.Want(chunkedHead)
	fmt.Fprint(w, "one")
	p.Want("3\r\none\r\n")
	p.Send(ok("early"))
	q.is("early")
	if late {
		if err := wiretest.Within(t, "sending to end", sent); err == nil {
			t.Error("everything has been sent")
		}
		if _, err := fmt.Fprint(w, "two"); err == nil {
			t.Error("the body is still read")
		}
		p.WantGone()
		wiretest.Eventually(t, "the connection to be gone", func() bool { return cl.Stats().Open == 0 })
	} else {
		time.Sleep(10 * time.Millisecond)
		w.Close()
		if err := wiretest.Within(t, "sending to end", sent); err != nil {
			t.Error(err)
		}
		p.Want("0\r\n\r\n")
		wiretest.Eventually(t, "the connection to be kept", func() bool { return cl.Stats().Idle == 1 })
		q = begin(t, cl.Do, t.Context(), httpclient.Call{Key: a, Head: ask("GET", "/next", ""), Method: "GET"})
		respond(p, "/next")
		q.is("next")
	}
	if n := body.closed.Load(); n != 1 {
		t.Errorf("the body was closed %d times", n)
	}
	cl.Close()
	wiretest.Eventually(t, "all connections to be accounted for", func() bool { return cl.Stats().Open == 0 })
}

// A request whose body fails has the body's error; over HTTP/2 the connection is kept.
func TestBodyFails(t *testing.T) {
	no := errors.New("no")
	for _, key := range []httpclient.Key{a, plain2} {
		r := newRig(t, httpclient.Config{})
		body, w := newSource()
		told := make(chan error, 1)
		k := post(key, "", true)
		k.Body, k.Trace = body, &httpclient.Trace{Sent: func(err error) { told <- err }}
		q := r.do(t.Context(), k)
		if key == a {
			r.accept().Want(chunkedHead)
		} else {
			r.asked().frames().request()
		}
		w.CloseWithError(no)
		if err := q.failed(); err != no {
			t.Errorf("%v", err)
		}
		if err := wiretest.Within(t, "sending to end", told); !errors.Is(err, no) {
			t.Errorf("got %v", err)
		}
		wiretest.Eventually(t, "the body to be closed", func() bool { return body.closed.Load() == 1 })
		r.none()
	}
}

// odd is a body that does not end as it should.
type odd struct {
	io.Reader
	end error // instead of io.EOF
}

// Read implements io.Reader.
func (o *odd) Read(p []byte) (int, error) {
	n, err := o.Reader.Read(p)
	if err == io.EOF {
		err = o.end
	}
	return n, err
}

// Close implements io.Closer.
func (o *odd) Close() error { return nil }

// A body that goes on beyond its length fails the request.
func TestBodyDoesNotEnd(t *testing.T) {
	no := errors.New("no")
	for end, want := range map[error]error{no: no, nil: io.ErrNoProgress} {
		r := newRig(t, httpclient.Config{})
		k := post(a, "", false)
		k.Length, k.Head = 5, ask("POST", "/p", "Content-Length: 5\r\n")
		k.Body = &odd{strings.NewReader("abcde"), end}
		q := r.do(t.Context(), k)
		r.accept()
		if err := q.failed(); err != want {
			t.Errorf("%v, want %v", err, want)
		}
	}
}

// A failure is reported at once when the request was sent and nothing waits for its body.
func TestFailureIsToldAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := wiretest.Pipe(wiretest.Config{}, wiretest.Config{})
		cl := httpclient.New(httpclient.Config{Open: func(context.Context, httpclient.Key) (httpclient.Opened, error) {
			return httpclient.Opened{Conn: near}, nil
		}})
		start := time.Now()
		go func() {
			io.ReadFull(far, make([]byte, len(chunkedHead+"4\r\nbody\r\n0\r\n\r\n")))
			synctest.Wait()
			far.Close()
		}()
		k := post(a, "body", false)
		if err := cl.Do(t.Context(), &k, new(httpclient.Response)); err != io.EOF || time.Since(start) > 0 {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		cl.Close()
	})
}

// A body shorter or longer than its announced length is an error.
func TestLengthIsNotKept(t *testing.T) {
	for _, key := range []httpclient.Key{a, plain2} {
		for _, c := range []struct {
			length int64
			body   string
			want   error
		}{{5, "abc", io.ErrUnexpectedEOF}, {5, "abcdefg", httpclient.ErrTooLong}, {0, "abcdefg", httpclient.ErrTooLong}} {
			r := newRig(t, httpclient.Config{})
			k := post(key, c.body, false)
			k.Length, k.Head = c.length, ask("POST", "/p", fmt.Sprintf("Content-Length: %d\r\n", c.length))
			q := r.do(t.Context(), k)
			if key == a {
				p := r.accept()
				p.Conn.SetReadDeadline(time.Now().Add(patience))
				got, _ := io.ReadAll(p.Conn)                // until the end, or a reset
				if strings.Contains(string(got), "abcde") { // it would be taken for the next request
					t.Errorf("%q", got)
				}
			} else {
				r.asked().frames()
			}
			if err := q.failed(); !errors.Is(err, c.want) {
				t.Errorf("%v, want %v", err, c.want)
			}
		}
	}
}

// A body of exactly the announced length keeps the connection.
func TestLengthIsKept(t *testing.T) {
	r := newRig(t, httpclient.Config{})
	k := post(a, "abcde", false)
	k.Length, k.Head = 5, ask("POST", "/p", "Content-Length: 5\r\n")
	q := r.do(t.Context(), k)
	p := r.accept()
	p.Want(sent("POST", "/p", "Content-Length: 5\r\n") + "abcde")
	p.Send(ok("x"))
	q.is("x")
	wiretest.Eventually(t, "the connection to be kept", func() bool { return r.Stats().Idle == 1 })
}

// A body waits for 100 Continue or the timeout, and is not sent after a final response that leaves the connection
// unused.
func TestExpectContinue(t *testing.T) {
	expecting := func() httpclient.Call {
		k := post(a, "body", false)
		k.Expect = time.Minute
		return k
	}
	t.Run("asked", func(t *testing.T) {
		r := newRig(t, httpclient.Config{})
		q := r.do(t.Context(), expecting())
		p := r.accept()
		p.Want(chunkedHead)
		p.WantSilence(10 * time.Millisecond)
		p.Send("HTTP/1.1 100 Continue\r\n\r\n")
		p.Want("4\r\nbody\r\n0\r\n\r\n")
		p.Send(ok("x"))
		q.is("x")
	})
	t.Run("time", func(t *testing.T) {
		r := newRig(t, httpclient.Config{})
		k := expecting()
		k.Expect = time.Millisecond
		q := r.do(t.Context(), k)
		p := r.accept()
		p.Want(chunkedHead + "4\r\nbody\r\n0\r\n\r\n")
		p.Send(ok("x"))
		q.is("x")
	})
	t.Run("bytes", func(t *testing.T) {
		r := newRig(t, httpclient.Config{})
		q := r.do(t.Context(), httpclient.Call{Key: a, Method: "PUT", Head: ask("PUT", "/p", "Content-Length: 3\r\n"), Bytes: []byte("abc"), Length: 3, Expect: time.Minute})
		p := r.accept()
		p.Want(sent("PUT", "/p", "Content-Length: 3\r\n"))
		p.WantSilence(10 * time.Millisecond)
		p.Send("HTTP/1.1 100 Continue\r\n\r\n")
		p.Want("abc")
		p.Send(ok("x"))
		q.is("x")
	})
	t.Run("the last", func(t *testing.T) {
		r := newRig(t, httpclient.Config{})
		k := expecting()
		k.Close = true
		q := r.do(t.Context(), k)
		p := r.accept()
		p.Want(chunkedHead)
		p.Send("HTTP/1.1 417 No\r\nContent-Length: 0\r\n\r\n")
		q.head(417)
		q.Response.Close()
		p.Conn.SetReadDeadline(time.Now().Add(patience))
		if rest, _ := io.ReadAll(p.Conn); len(rest) > 0 {
			t.Errorf("sent all the same: %q", rest)
		}
	})
	t.Run("context", func(t *testing.T) {
		r := newRig(t, httpclient.Config{})
		ctx, cancel := context.WithCancel(t.Context())
		q := r.do(ctx, expecting())
		r.accept().Want(chunkedHead)
		cancel()
		if err := q.failed(); err != context.Canceled {
			t.Error(err)
		}
	})
}

// Trailers follow the body, in both directions and both versions.
func TestTrailers(t *testing.T) {
	eachVersion(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Trailer", "X-Sum")
		io.Copy(w, r.Body)
		w.Header().Set("X-Sum", r.Trailer.Get("X-Sum"))
	}), func(t *testing.T, cl *httpclient.Client, key httpclient.Key) {
		for range 3 {
			k := post(key, "body", false)
			k.Head = ask("POST", "/p", "Transfer-Encoding: chunked\r\nTrailer: X-Sum\r\n")
			if key.Version == httpclient.HTTP2 || key.Secure {
				k.Head = &head{"POST", "https", "x", "/p", "Transfer-Encoding: chunked\r\nTrailer: X-Sum\r\n"}
			}
			var h shockwave.Header
			h.Add("X-Sum", "42")
			k.Trailer = func() (*shockwave.Header, error) { return &h, nil }
			var r httpclient.Response
			if err := cl.Do(t.Context(), &k, &r); err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(&r)
			if got := r.Trailer().GetString("X-Sum"); string(body) != "body" || err != nil || got != "42" && r.Major == 1 {
				t.Errorf("%q, %v, trailer %q", body, err, got)
			}
			r.Close()
		}
	})
}

// A trailer section that cannot be produced or read fails the request with its error.
func TestTrailersFail(t *testing.T) {
	no := errors.New("no")
	for _, key := range []httpclient.Key{a, plain2} {
		r := newRig(t, httpclient.Config{})
		k := post(key, "body", false)
		k.Trailer = func() (*shockwave.Header, error) { return nil, no }
		q := r.do(t.Context(), k)
		if key == a {
			r.accept()
		} else {
			r.asked().frames()
		}
		if err := q.failed(); err != no {
			t.Error(err)
		}
	}
}

// Informational responses are reported in both versions, and the callback may end the request.
func TestInterim(t *testing.T) {
	no := errors.New("no")
	for _, key := range []httpclient.Key{a, plain2} {
		for _, bad := range []bool{false, true} {
			r := newRig(t, httpclient.Config{})
			var got []string
			q := r.do(t.Context(), httpclient.Call{Key: key, Method: "GET", Head: ask("GET", "/", ""), Interim: func(status int, h *shockwave.Header) error {
				got = append(got, fmt.Sprint(status, h.GetString("Link")))
				if bad && len(got) == 2 {
					return no
				}
				return nil
			}})
			if key == a {
				p := r.accept()
				p.Want(sent("GET", "/", ""))
				p.Send("HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 104 X\r\n\r\n" + ok("x"))
			} else {
				f := r.asked().frames()
				id := f.request()
				f.Headers(id, false, ":status", "103", "link", "a")
				f.Headers(id, false, ":status", "104")
				f.ok(id, "x")
			}
			if bad {
				if err := q.failed(); err != no {
					t.Error(err)
				}
			} else {
				q.is("x")
			}
			if s := fmt.Sprint(got); s != "[103a 104]" {
				t.Error(s)
			}
		}
	}
}

// After 101, or 2xx to CONNECT, the connection belongs to the caller, and counts until it is closed, once.
func TestTunnels(t *testing.T) {
	for _, how := range []string{"101", "CONNECT", "101 behind a body"} {
		t.Run(how, func(t *testing.T) {
			r := newRig(t, httpclient.Config{MaxConnsPerHost: 1})
			k := httpclient.Call{Key: a, Method: "GET", Head: ask("GET", "/t", "Upgrade: x\r\n")}
			var w *io.PipeWriter
			switch how {
			case "CONNECT":
				k.Method, k.Tunnel, k.Head = "CONNECT", true, ask("CONNECT", "/t", "")
			case "101 behind a body":
				k = post(a, "", false)
				k.Body, w = newSource()
			}
			q := r.do(t.Context(), k)
			p := r.accept()
			p.WantUntil("\r\n\r\n")
			if how == "CONNECT" {
				p.Send("HTTP/1.1 200 OK\r\n\r\nfirst")
				q.head(200)
			} else {
				p.Send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nfirst")
				q.head(101)
			}
			tunnel, err := q.Tunnel()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := q.Tunnel(); err == nil {
				t.Error("a second tunnel")
			}
			if _, err := q.Read(make([]byte, 1)); err != httpclient.ErrBodyClosed {
				t.Errorf("a body of a tunnel: %v", err)
			}
			buf := make([]byte, 5)
			if _, err := io.ReadFull(tunnel, buf); err != nil || string(buf) != "first" {
				t.Errorf("%q, %v", buf, err)
			}
			if w != nil {
				w.Close()
				p.Want("0\r\n\r\n")
				time.Sleep(2 * time.Millisecond)
			}
			fmt.Fprint(tunnel, "ping")
			p.Want("ping")
			next := r.get(a, "/next")
			r.waiting(2)
			r.none()
			q.Response.Close()
			tunnel.Close()
			tunnel.Close()
			p.WantGone()
			respond(r.accept(), "/next")
			next.is("next")
			if s := r.Stats(); s.Open != 1 || s.Idle != 1 {
				t.Errorf("%+v", s)
			}
		})
	}
}

// A tunnel over HTTP/2 is a stream.
func TestTunnelOverHTTP2(t *testing.T) {
	r := newRig(t, httpclient.Config{})
	q := r.do(t.Context(), httpclient.Call{Key: plain2, Method: "CONNECT", Tunnel: true, Head: ask("CONNECT", "/", "")})
	handle2(t, r.asked().accept2(), func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(200)
		w.(http.Flusher).Flush()
		buf := make([]byte, 100)
		for {
			n, err := r.Body.Read(buf)
			w.Write([]byte(strings.ToUpper(string(buf[:n]))))
			w.(http.Flusher).Flush()
			if err != nil {
				return
			}
		}
	})
	q.head(200)
	tunnel, err := q.Tunnel()
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		fmt.Fprint(tunnel, "ping")
		buf := make([]byte, 4)
		if _, err := io.ReadFull(tunnel, buf); err != nil || string(buf) != "PING" {
			t.Fatalf("%q, %v", buf, err)
		}
	}
	if err := tunnel.(interface{ CloseWrite() error }).CloseWrite(); err != nil {
		t.Error(err)
	}
	if rest, err := io.ReadAll(tunnel); err != nil || len(rest) > 0 {
		t.Errorf("%q, %v", rest, err)
	}
	if err := tunnel.Close(); err != nil {
		t.Error(err)
	}
	if err := tunnel.Close(); err != net.ErrClosed {
		t.Error(err)
	}
	if _, err := tunnel.Read(make([]byte, 1)); err != net.ErrClosed {
		t.Error(err)
	}
	if _, err := tunnel.Write(make([]byte, 1)); err != net.ErrClosed {
		t.Error(err)
	}
	// a read that waits is ended by Close
	q = r.do(t.Context(), httpclient.Call{Key: plain2, Method: "CONNECT", Tunnel: true, Head: ask("CONNECT", "/", "")})
	q.head(200)
	tunnel, _ = q.Tunnel()
	failed := make(chan error, 2)
	go func() { _, err := io.Copy(io.Discard, tunnel); failed <- err }()
	go func() {
		var err error
		for err == nil {
			_, err = fmt.Fprint(tunnel, "ping")
		}
		failed <- err
	}()
	time.Sleep(time.Millisecond)
	tunnel.Close()
	for range 2 {
		if err := wiretest.Within(t, "reading and writing to end", failed); err == nil {
			t.Error("the upload succeeded")
		}
	}
	r.CloseIdle()
	wiretest.Eventually(t, "the connection to end", func() bool { r.CloseIdle(); return r.Stats().Open == 0 })
}

// lingering is a body whose Read ends a while after Close.
type lingering struct {
	reading, closed chan struct{}
	left            atomic.Bool
}

func (b *lingering) Read([]byte) (int, error) {
	close(b.reading)
	<-b.closed
	time.Sleep(20 * time.Millisecond)
	b.left.Store(true)
	return 0, io.ErrClosedPipe
}

func (b *lingering) Close() error { close(b.closed); return nil }

// A request that fails returns only when its body is not used any more.
func TestFailsBehindTheBody(t *testing.T) {
	r := newRig(t, httpclient.Config{})
	body := &lingering{reading: make(chan struct{}), closed: make(chan struct{})}
	k := post(a, "", false)
	k.Body = body
	q := r.do(t.Context(), k)
	p := r.accept()
	wiretest.Within(t, "the body to be read", body.reading)
	p.Close()
	if q.failed(); !body.left.Load() {
		t.Error("the body is still in use")
	}
}

// The response to a CONNECT that is not 2xx has a body like any other, and opens no tunnel.
func TestNoTunnel(t *testing.T) {
	for _, status := range []int{300, 403} {
		r := newRig(t, httpclient.Config{})
		q := r.do(t.Context(), httpclient.Call{Key: a, Method: "CONNECT", Tunnel: true, Head: ask("CONNECT", "/t", "")})
		p := r.accept()
		p.WantUntil("\r\n\r\n")
		p.Send(fmt.Sprintf("HTTP/1.1 %d No\r\nContent-Length: 4\r\n\r\nbody", status))
		q.head(status)
		if _, err := q.Tunnel(); err == nil {
			t.Errorf("%d has made a tunnel", status)
		}
		if body, err := io.ReadAll(&q.Response); string(body) != "body" || err != nil {
			t.Errorf("%d: %q, %v", status, body, err)
		}
		q.Response.Close()
	}
}
