package nethttp_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/nethttp"
)

// A client that has connected just before Shutdown still gets its response, and Shutdown waits for a silent one as long
// as net/http does.
func TestShutdownAwaitsFirstRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := wiretest.Listen(wiretest.Config{}, wiretest.Config{})
		s := &nethttp.Server{Handler: says("hello"), ErrorLog: quiet()}
		go s.Serve(l)
		connect := func() net.Conn {
			c, err := l.DialContext(t.Context(), wiretest.Config{}, wiretest.Config{})
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		late, mute := connect(), connect()
		synctest.Wait()
		began := time.Now()
		down := make(chan error, 1)
		go func() { down <- s.Shutdown(context.Background()) }()
		time.Sleep(5*time.Second - 1)

		io.WriteString(late, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
		res, err := http.ReadResponse(bufio.NewReader(late), nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		if string(body) != "hello" || err != nil || !res.Close {
			t.Errorf("%q, %v, closes %v", body, err, res.Close)
		}
		late.Close()
		if n, err := mute.Read(make([]byte, 1)); err != io.EOF {
			t.Errorf("the silent one: %d, %v", n, err)
		}
		mute.Close()
		if err := <-down; err != nil {
			t.Errorf("Shutdown: %v", err)
		}
		if took := time.Since(began); took > 6*time.Second {
			t.Errorf("Shutdown took %v", took)
		}
	})
}

// A TLS client that has connected just before Shutdown still gets its response, and Shutdown waits no longer for one that
// begins no handshake.
func TestShutdownAwaitsHandshakes(t *testing.T) {
	cert, trusting := certificate()
	for _, ofListener := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			cfg := offers(cert, "http/1.1")
			l := wiretest.Listen(wiretest.Config{}, wiretest.Config{})
			s := &nethttp.Server{Handler: says("hello"), ErrorLog: quiet(), TLSConfig: cfg}
			if ofListener {
				go s.Serve(tls.NewListener(l, cfg))
			} else {
				go s.ServeTLS(l, "", "")
			}
			connect := func() net.Conn {
				c, err := l.DialContext(t.Context(), wiretest.Config{}, wiretest.Config{})
				if err != nil {
					t.Fatal(err)
				}
				return c
			}
			late, mute := tls.Client(connect(), trusting), connect()
			defer mute.Close()
			synctest.Wait()
			began := time.Now()
			down := make(chan error, 1)
			go func() { down <- s.Shutdown(context.Background()) }()
			time.Sleep(4 * time.Second)

			io.WriteString(late, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
			answer, err := io.ReadAll(late)
			if !strings.HasSuffix(string(answer), "\r\n\r\nhello") || err != nil {
				t.Errorf("%v: %q, %v", ofListener, answer, err)
			}
			late.Close()
			io.Copy(io.Discard, mute)
			mute.Close()
			if err := <-down; err != nil {
				t.Errorf("Shutdown: %v", err)
			}
			if took := time.Since(began); took < 5*time.Second || took > 6*time.Second {
				t.Errorf("%v: Shutdown took %v", ofListener, took)
			}
		})
	}
}

// FirstGrace sets how long Shutdown waits for the first request of a new connection.
func TestFirstGrace(t *testing.T) {
	for grace, want := range map[time.Duration]time.Duration{0: 5 * time.Second, -1: 0, time.Minute: time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			l := wiretest.Listen(wiretest.Config{}, wiretest.Config{})
			s := &nethttp.Server{Handler: says(""), ErrorLog: quiet(), FirstGrace: grace, IdleTimeout: -1}
			go s.Serve(l)
			c, err := l.DialContext(t.Context(), wiretest.Config{}, wiretest.Config{})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			synctest.Wait()
			began := time.Now()
			s.Shutdown(t.Context())
			if took := time.Since(began); took < want || took > want+time.Second {
				t.Errorf("FirstGrace %v: Shutdown took %v", grace, took)
			}
		})
	}
}

// A function of RegisterOnShutdown is called once, whether Shutdown of net/http's server or of ours is called first.
func TestRegisteredAreCalledOnce(t *testing.T) {
	for _, stdFirst := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			std := &http.Server{Handler: says(""), ErrorLog: quiet()}
			var calls atomic.Int64
			std.RegisterOnShutdown(func() { calls.Add(1) })
			s := nethttp.FromServer(std)
			go s.Serve(wiretest.Listen(wiretest.Config{}, wiretest.Config{}))
			synctest.Wait()
			if stdFirst {
				std.Shutdown(t.Context())
			} else {
				s.Shutdown(t.Context())
			}
			synctest.Wait()
			if n := calls.Load(); n != 1 {
				t.Errorf("net/http's first %v: called %d times", stdFirst, n)
			}
		})
	}
}

// Functions of RegisterOnShutdown are called when the listeners are closed, so no further connection arrives.
func TestRegisteredFindListenersClosed(t *testing.T) {
	s := &nethttp.Server{Handler: says(""), ErrorLog: quiet()}
	l := &closable{Listener: listen(t)}
	open := make(chan bool, 1)
	s.RegisterOnShutdown(func() { open <- !l.closed })
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	p := dial(t, l.Addr().String())
	p.say("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	p.answer("GET")
	if err := s.Shutdown(context.Background()); err != nil {
		t.Error(err)
	}
	if <-open {
		t.Error("a function of RegisterOnShutdown was called before the listener was closed")
	}
	<-served
}

// closable knows whether it was closed. Its Close takes long.
type closable struct {
	net.Listener
	closed bool
}

func (l *closable) Close() error {
	for range 1000 {
		runtime.Gosched() // a function that has already begun would run now
	}
	l.closed = true
	return l.Listener.Close()
}
