package httpclient_test

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/join/httpclient"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// both runs f for a response whose head has come, with a body that goes on: more sends some of it.
func both(t *testing.T, f func(t *testing.T, r *rig, q *request, more func(string))) {
	t.Run("HTTP/1.1", func(t *testing.T) {
		r := newRig(t, httpclient.Config{})
		q := r.get(a, "/x")
		p := r.accept()
		p.Want(sent("GET", "/x", ""))
		p.Send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
		q.head(200)
		f(t, r, q, func(s string) { io.WriteString(p.Conn, s) })
	})
	t.Run("HTTP/2", func(t *testing.T) {
		r := newRig(t, httpclient.Config{})
		q := r.get(plain2, "/x")
		fr := r.asked().frames()
		id := fr.request()
		fr.Headers(id, false, ":status", "200")
		q.head(200)
		f(t, r, q, func(s string) { fr.Framer.WriteData(id, false, []byte(s)) })
	})
}

// Close ends a read that runs on another goroutine.
func TestCloseWhileReading(t *testing.T) {
	both(t, func(t *testing.T, r *rig, q *request, more func(string)) {
		more("some")
		buf := make([]byte, 100)
		if n, err := q.Read(buf); string(buf[:n]) != "some" || err != nil {
			t.Fatalf("%q, %v", buf[:n], err)
		}
		ended := make(chan error, 2)
		for range 2 {
			go func() { _, err := q.Read(make([]byte, 1)); ended <- err }()
		}
		if err := wiretest.Within(t, "the second reader to be refused", ended); err != httpclient.ErrTwoReaders {
			t.Errorf("a second reader: %v", err)
		}
		if err := q.Response.Close(); err != nil {
			t.Error(err)
		}
		if err := wiretest.Within(t, "the read to end", ended); err != httpclient.ErrBodyClosed {
			t.Error(err)
		}
		if _, err := q.Read(buf); !errors.Is(err, httpclient.ErrBodyClosed) {
			t.Error(err)
		}
		q.Response.Close()
	})
}

// gated is a connection that keeps back what it has read, once armed is set.
type gated struct {
	net.Conn
	armed    atomic.Bool
	has, let chan struct{}
}

// Read implements net.Conn.
func (g *gated) Read(p []byte) (int, error) {
	n, err := g.Conn.Read(p)
	if g.armed.CompareAndSwap(true, false) {
		close(g.has)
		<-g.let
	}
	return n, err
}

// Close leaves the end of a response to a read that is about to return something.
func TestCloseBehindARead(t *testing.T) {
	r := newRig(t, httpclient.Config{})
	q := r.get(a, "/")
	k := r.asked()
	near, far := r.pair()
	nc := &gated{Conn: near, has: make(chan struct{}), let: make(chan struct{})}
	k.reply <- opened{o: httpclient.Opened{Conn: nc}}
	p := wiretest.NewTalk(t, far)
	p.Want(sent("GET", "/", ""))
	nc.armed.Store(true)
	p.Send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
	wiretest.Within(t, "the head", nc.has)
	close(nc.let)
	q.head(200)
	nc.has, nc.let = make(chan struct{}), make(chan struct{})
	nc.armed.Store(true)
	read := make(chan int, 1)
	go func() { n, _ := q.Read(make([]byte, 10)); read <- n }()
	p.Send("x")
	wiretest.Within(t, "something to be read", nc.has)
	q.Response.Close()
	close(nc.let)
	if n := wiretest.Within(t, "the read to end", read); n != 1 {
		t.Errorf("%d bytes were read", n)
	}
	if _, err := q.Read(make([]byte, 1)); err != httpclient.ErrBodyClosed {
		t.Error(err)
	}
	wiretest.Eventually(t, "the connection to end", func() bool { return r.Stats().Open == 0 })
}

// Reading, closing and arriving bytes may meet at any moment.
func TestCloseAtAnyMoment(t *testing.T) {
	for range 100 {
		both(t, func(t *testing.T, r *rig, q *request, more func(string)) {
			read := make(chan error, 1)
			go func() { _, err := io.Copy(io.Discard, &q.Response); read <- err }()
			said := make(chan bool)
			go func() { more("x"); close(said) }()
			q.Response.Close()
			if err := wiretest.Within(t, "the read to end", read); err != httpclient.ErrBodyClosed {
				t.Error(err)
			}
			<-said
		})
	}
}

// Close reads the rest of a body if it is short, so that the connection is kept.
func TestCloseReadsTheRest(t *testing.T) {
	for _, c := range []struct {
		name, rest string
		length     string
		kept       bool
	}{
		{"all there", strings.Repeat("x", 100), "100", true},
		{"just short enough", strings.Repeat("x", 256<<10), "262144", true},
		{"too long", "xxx", "262145", false},
		{"does not come", "xxx", "100", false},
		{"chunks", "5\r\nabcde\r\n0\r\n\r\n", "", true},
		{"chunks that end badly", "5\r\nabcde\r\nzz\r\n\r\n", "", false},
		{"until the end", "abcde", "end", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, httpclient.Config{})
			q := r.get(a, "/x")
			p := r.accept()
			p.Want(sent("GET", "/x", ""))
			switch c.length {
			case "":
				p.Send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
			case "end":
				p.Send("HTTP/1.1 200 OK\r\n\r\n")
			default:
				p.Send("HTTP/1.1 200 OK\r\nContent-Length: " + c.length + "\r\n\r\n")
			}
			q.head(200)
			if c.length == "end" {
				q.Read(make([]byte, 0))
			}
			p.Send(c.rest)
			closed := make(chan error, 1)
			go func() { closed <- q.Response.Close() }()
			if c.name == "does not come" {
				r.failing(closed)
			} else if err := wiretest.Within(t, "Close", closed); err != nil {
				t.Error(err)
			}
			wiretest.Eventually(t, "the connection to be put aside or ended", func() bool { s := r.Stats(); return s.Idle == s.Open })
			if n := r.Stats().Idle; (n == 1) != c.kept {
				t.Errorf("kept: %v", n == 1)
			}
		})
	}
}

// Each wait for a head and for a part of a body ends after its timeout.
func TestTimeouts(t *testing.T) {
	for _, key := range []httpclient.Key{a, plain2} {
		for _, phase := range []string{"head", "body", "head of a streamed request"} {
			t.Run(key.Host+" "+phase, func(t *testing.T) {
				r := newRig(t, httpclient.Config{})
				k := httpclient.Call{Key: key, Method: "GET", Head: ask("GET", "/x", "")}
				if phase == "head of a streamed request" {
					k = post(key, "body", false)
				}
				k.Timeouts = &httpclient.Timeouts{Head: time.Minute, Idle: time.Minute}
				q := r.do(t.Context(), k)
				var say, half func()
				if key == a {
					p := r.accept()
					p.WantUntil("\r\n\r\n")
					half = func() { p.Send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n1") }
					say = func() { p.Send("2") }
				} else {
					f := r.asked().frames()
					id := f.request()
					f.heard()
					half = func() { f.Headers(id, false, ":status", "200"); f.Framer.WriteData(id, false, []byte("1")) }
					say = func() { f.Framer.WriteData(id, false, []byte("2")) }
				}
				if phase != "body" {
					r.clock.Advance(59 * time.Second)
					time.Sleep(5 * time.Millisecond)
					q.pending()
					if err := r.failing(q.done); err != httpclient.ErrHeadTimeout {
						t.Error(err)
					}
					return
				}
				half()
				q.head(200)
				buf := make([]byte, 100)
				q.Read(buf)
				r.clock.Advance(50 * time.Minute) // no request waits
				say()
				if n, err := q.Read(buf); n != 1 || err != nil {
					t.Fatal(n, err)
				}
				failed := make(chan error, 1)
				go func() { _, err := q.Read(buf); failed <- err }()
				if err := r.failing(failed); err != httpclient.ErrIdleTimeout {
					t.Error(err)
				}
				q.Response.Close()
			})
		}
	}
}

// failing moves the time on until something has failed.
func (r *rig) failing(ch <-chan error) (err error) {
	r.t.Helper()
	wiretest.Eventually(r.t, "the timeout", func() bool {
		select {
		case err = <-ch:
			return true
		default:
			r.clock.Advance(2 * time.Second)
			return false
		}
	})
	return err
}

// A connection that is opened after the client was closed is closed at once.
func TestOpenedAfterTheEnd(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		near, far := net.Pipe()
		opening, open := make(chan bool), make(chan bool)
		cl := httpclient.New(httpclient.Config{Open: func(context.Context, httpclient.Key) (httpclient.Opened, error) {
			close(opening)
			<-open // whatever becomes of the context
			return httpclient.Opened{Conn: near, HTTP2: http2}, nil
		}})
		q := begin(t, cl.Do, t.Context(), httpclient.Call{Key: secure, Head: ask("GET", "/", ""), Method: "GET"})
		wiretest.Within(t, "the opening", opening)
		cl.Close()
		close(open)
		if err := q.failed(); err == nil {
			t.Error("a request of a closed client got a response")
		}
		far.SetReadDeadline(time.Now().Add(10 * time.Second))
		if _, err := far.Read(make([]byte, 1)); err != io.EOF {
			t.Errorf("HTTP/2 %v: the peer sees %v", http2, err)
		}
		wiretest.Eventually(t, "nothing to be left", func() bool { return cl.Stats().Open == 0 })
	}
}
