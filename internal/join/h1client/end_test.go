package h1client_test

import (
	"context"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/h1client"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// awaits is Await on a goroutine of its own.
func (r *rig) awaits() <-chan error {
	return later(func() error {
		_, err := r.Await(&r.resp, nil, nil)
		return err
	})
}

// reads is Read of the rest on a goroutine of its own.
func (r *rig) reads() <-chan error {
	return later(func() error {
		_, err := io.Copy(io.Discard, r.Conn)
		return err
	})
}

// Cancel ends reads and sends, waiting and later ones, and the connection.
func TestCancel(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		for what, f := range map[string]func(r *rig) (reading, sending <-chan error){
			"before the head": func(r *rig) (_, _ <-chan error) {
				r.begin("GET")
				return r.awaits(), nil
			},
			"within the head": func(r *rig) (_, _ <-chan error) {
				r.begin("GET")
				r.peer.Send("HTTP/1.1 200 OK\r\nContent-")
				return r.awaits(), nil
			},
			"within the body": func(r *rig) (_, _ <-chan error) {
				r.begin("GET")
				r.peer.Send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel")
				r.status(200)
				return r.reads(), nil
			},
			"within a body without an end": func(r *rig) (_, _ <-chan error) {
				r.begin("GET")
				r.peer.Send("HTTP/1.1 200 OK\r\n\r\nhel")
				r.status(200)
				return r.reads(), nil
			},
			"while a request is sent": func(r *rig) (_, _ <-chan error) {
				sent := r.stuck()
				return r.awaits(), sent
			},
		} {
			t.Run(what, func(t *testing.T) {
				r := plainRig(t, k)
				reading, sending := f(r)
				r.cancel(errTest)
				r.cancel(io.EOF) // the first one counts
				if err := wiretest.Within(t, "the reader", reading); err != errTest {
					t.Errorf("the reader got %v", err)
				}
				if sending != nil {
					if err := wiretest.Within(t, "the sender", sending); err != errTest {
						t.Errorf("the sender got %v", err)
					}
				}
				r.failed(errTest)
				if _, err := r.Read(make([]byte, 10)); err != errTest && err != io.EOF {
					t.Errorf("Read: %v", err)
				}
				if r.NoResponse() {
					t.Error("the end is reported as the server's")
				}
				r.leave(false)
				r.peer.WantGone()
			})
		}
	})
}

// After Cancel bytes that have arrived are not returned.
func TestCancelAtOnce(t *testing.T) {
	r := plainRig(t, socket)
	r.begin("GET")
	r.peer.Send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
	r.status(200)
	r.cancel(errTest)
	if n, err := r.Read(make([]byte, 2)); n != 0 || err != errTest {
		t.Errorf("%d, %v", n, err)
	}
	if _, ok := r.Whole(nil); ok {
		t.Error("Whole returned the body")
	}
	r.leave(false)
}

// Cancel does nothing while no exchange is under way, and ends the connection after the response's end.
func TestCancelOutside(t *testing.T) {
	r := plainRig(t, socket)
	r.cancel(errTest)
	r.again()
	r.cancel(errTest)
	r.again()
	r.begin("GET")
	r.respondsOK()
	r.cancel(errTest)
	r.leave(false)
	r.peer.WantGone()
}

// Cancel with the number of an earlier exchange does nothing.
func TestCancelLate(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		r := plainRig(t, k)
		r.again()
		over := r.Served()
		r.StopSending(over, errTest)
		r.post(true)
		r.StopSending(over, errTest)
		if r.Cancel(over, errTest) {
			t.Error("it ended the next exchange")
		}
		r.sends("a", true)
		r.peer.Want("1\r\na\r\n0\r\n\r\n")
		r.late()
		r.respondsOK()
		r.leave(true)
		if r.Cancel(r.Served(), errTest) {
			t.Error("it ended an idle connection")
		}
		r.again()
	})
}

// Await fails when the time of Expire has passed.
func TestExpire(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		r := plainRig(t, k)
		r.begin("GET")
		heads := r.awaits()
		r.Expire(time.Minute)
		r.clock.Advance(59 * time.Second)
		r.peer.Send("HTTP/1.1 103 Early Hints\r\n\r\n")
		if err := wiretest.Within(t, "an interim head", heads); err != nil {
			t.Fatal(err)
		}
		heads = r.awaits()
		r.clock.Advance(2 * time.Second)
		if err := wiretest.Within(t, "the time to be over", heads); err != netconn.ErrSlow {
			t.Fatal(err)
		}
		if r.NoResponse() {
			t.Error("the end is reported as the server's")
		}
		r.Expire(0)
		r.respondsOK()
		r.leave(true)
		r.again()
	})
}

// Expire may be called before Await, and has no effect on the body and on later exchanges.
func TestExpireBefore(t *testing.T) {
	r := plainRig(t, socket)
	r.Expire(time.Second)
	r.clock.Advance(2 * time.Second)
	r.begin("GET")
	r.Expire(time.Second)
	r.clock.Advance(2 * time.Second)
	r.failed(netconn.ErrSlow)
	r.Expire(time.Second)
	r.peer.Send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n")
	r.status(200)
	r.clock.Advance(2 * time.Second)
	r.Expire(time.Second)
	r.clock.Advance(2 * time.Second)
	r.peer.Send("ok")
	r.body("ok")
	r.leave(true)
	r.again()
}

// SetReadIdle bounds each wait for the body, and nothing else.
func TestReadIdle(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		r := plainRig(t, k)
		r.begin("GET")
		r.peer.Send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n")
		r.status(200)
		r.SetReadIdle(time.Minute)
		for _, s := range []string{"a", "b", "c"} {
			got := later(func() string {
				p := make([]byte, 1)
				_, err := r.Read(p)
				return fmt.Sprint(string(p), err)
			})
			r.clock.Advance(40 * time.Second)
			r.peer.Send(s)
			if s := wiretest.Within(t, "a byte", got); s != s[:1]+"<nil>" {
				t.Fatal(s)
			}
			r.clock.Advance(40 * time.Second)
		}
		rest := r.reads()
		wiretest.Eventually(t, "the time to be over", func() bool { r.clock.Advance(time.Second); return len(rest) > 0 })
		if err := <-rest; err != netconn.ErrSlow {
			t.Error(err)
		}
		r.leave(false)
	})
}

// SetReadIdle ends with the exchange.
func TestReadIdleEnds(t *testing.T) {
	r := plainRig(t, socket)
	r.begin("GET")
	r.peer.Send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n")
	r.status(200)
	r.SetReadIdle(time.Second)
	r.peer.Send("ok")
	r.body("ok")
	r.leave(true)
	r.clock.Advance(time.Minute)
	r.begin("GET")
	heads := r.awaits()
	r.clock.Advance(time.Minute)
	r.peer.Send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n")
	if err := wiretest.Within(t, "the head", heads); err != nil {
		t.Fatal(err)
	}
	rest := r.reads()
	r.clock.Advance(time.Minute)
	r.peer.Send("ok")
	if err := wiretest.Within(t, "the body", rest); err != nil {
		t.Error(err)
	}
	r.leave(true)
}

// After Last the connection takes no other request.
func TestLast(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		r := plainRig(t, k)
		r.begin("GET")
		r.Last()
		r.respondsOK()
		r.leave(false)
		r.peer.WantEOF()
		if err := r.Begin("GET", []byte(getHead), nil, false, false); err != h1client.ErrEnded || !r.NothingSent() {
			t.Errorf("another one: %v, nothing sent %v", err, r.NothingSent())
		}
	})
}

// Bytes behind a response are not taken for the next one.
func TestUnasked(t *testing.T) {
	r := plainRig(t, socket)
	r.begin("GET")
	r.peer.Send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nno")
	r.status(200)
	r.body("ok")
	r.leave(false)
	r.peer.WantGone()

	r = newRig(t, socket, h1client.Config{}, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nno")
	if r.Fresh() {
		t.Error("fresh, although something was read ahead")
	}
	if err := r.Begin("GET", []byte(getHead), nil, false, false); err != h1client.ErrEnded {
		t.Error(err)
	}
	wiretest.Within(t, "the end to be told", r.over)
	r.over <- r.Conn
}

// Shutting down the engine ends idle connections at once, and others after their exchange.
func TestShutdown(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		for _, watched := range []bool{false, true} {
			r := plainRig(t, k)
			r.again()
			if watched {
				r.Watch(0, func() { t.Error("the server is blamed for an end that was not its own") })
			}
			if err := r.eng.Shutdown(context.Background()); err != nil {
				t.Error(err)
			}
			if err := r.Begin("GET", []byte(getHead), nil, false, false); err != h1client.ErrEnded {
				t.Error(err)
			}
			r.peer.WantEOF()
		}
		r := plainRig(t, k)
		r.begin("GET")
		down := later(func() error { return r.eng.Shutdown(context.Background()) })
		wiretest.Eventually(t, "the shutdown to begin", r.Link().Draining)
		r.respondsOK()
		if len(down) > 0 {
			t.Error("the call did not wait")
		}
		r.leave(false)
		if err := wiretest.Within(t, "the shutdown", down); err != nil {
			t.Error(err)
		}
		r.peer.WantEOF()
		near, _ := ends(t, k)
		if c, err := h1client.New(r.eng, near, nil, &h1client.Config{}, nil, nil); c != nil || err != netconn.ErrShutdown {
			t.Errorf("another connection: %v", err)
		}
	})
}

// Closing the engine fails an exchange under way.
func TestEngineClose(t *testing.T) {
	r := plainRig(t, socket)
	r.begin("GET")
	heads := r.awaits()
	_ = r.eng.Close()
	if err := wiretest.Within(t, "Await", heads); err != netconn.ErrAbort {
		t.Error(err)
	}
	r.leave(false)
}

// Abort fails an exchange under way.
func TestAbort(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		r := plainRig(t, k)
		r.begin("GET")
		heads := r.awaits()
		r.Abort()
		if err := wiretest.Within(t, "Await", heads); err != netconn.ErrAbort {
			t.Error(err)
		}
		r.leave(false)
		r.Abort()
		r.peer.WantGone()
	})
}

// Close ends an idle connection at once in good order, and another one after its exchange.
func TestClose(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		r := plainRig(t, k)
		r.Close()
		r.Close()
		r.peer.WantEOF()
		if r.Reusable() || r.Fresh() {
			t.Error("reusable")
		}
		r = plainRig(t, k)
		r.begin("GET")
		r.Close()
		r.respondsOK()
		r.leave(false)
		r.peer.WantEOF()
	})
}
