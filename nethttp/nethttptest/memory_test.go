package nethttptest_test

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shockwave-go/shockwave/nethttp/nethttptest"
)

// Handlers, the server's timeouts and TLS use the bubble's time.
func TestInABubble(t *testing.T) {
	for name, start := range map[string]func(*nethttptest.Server){
		"cleartext": (*nethttptest.Server).Start, "TLS": (*nethttptest.Server).StartTLS,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := nethttptest.NewUnstartedMemoryServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					time.Sleep(time.Hour)
					io.WriteString(w, "an hour later")
				}))
				start(s)
				defer s.Close()
				before := time.Now()
				if got := get(t, s.Client(), s.URL); got != "an hour later" {
					t.Errorf("%q", got)
				}
				if waited := time.Since(before); waited < time.Hour || waited > 2*time.Hour {
					t.Errorf("it took %v", waited)
				}
			})
		})
	}
}

// A connection ends exactly when a test expects it to.
func TestIdleTimeoutInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := nethttptest.NewUnstartedMemoryServer(echo)
		s.Config.IdleTimeout = time.Minute
		s.Start()
		defer s.Close()
		nc, err := s.Listener.(*nethttptest.MemoryListener).DialContext(t.Context(), "tcp", "example.com:80")
		if err != nil {
			t.Fatal(err)
		}
		defer nc.Close()
		ended := make(chan time.Duration, 1)
		begun := time.Now()
		go func() { io.Copy(io.Discard, nc); ended <- time.Since(begun) }()
		time.Sleep(59 * time.Second)
		synctest.Wait()
		if len(ended) > 0 {
			t.Error("it ended early")
		}
		if after := <-ended; after > 62*time.Second {
			t.Errorf("it ended after %v", after)
		}
	})
}

// What a handler has flushed arrives before it returns, and the handler notices that the client has left.
func TestStreamInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone := false
		s := nethttptest.NewMemoryServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for tick := time.NewTicker(time.Second); ; {
				select {
				case <-tick.C:
					io.WriteString(w, "tick\n")
					http.NewResponseController(w).Flush()
				case <-r.Context().Done():
					gone = true
					return
				}
			}
		}))
		defer s.Close()
		ctx, cancel := context.WithCancel(t.Context())
		r, _ := http.NewRequestWithContext(ctx, "GET", s.URL, nil)
		res, err := s.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		ticks := make([]byte, 15)
		if _, err := io.ReadFull(res.Body, ticks); string(ticks) != "tick\ntick\ntick\n" {
			t.Errorf("%q, %v", ticks, err)
		}
		cancel()
		synctest.Wait()
		if !gone {
			t.Error("the handler goes on")
		}
		res.Body.Close()
	})
}

// Close that waits for long logs what it waits for.
func TestCloseTellsWhyItHangs(t *testing.T) {
	var out strings.Builder
	log.SetOutput(&out)
	defer log.SetOutput(os.Stderr)
	synctest.Test(t, func(t *testing.T) {
		s := nethttptest.NewMemoryServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(time.Minute)
		}))
		go get(t, s.Client(), s.URL)
		synctest.Wait()
		s.Close()
	})
	if !strings.Contains(out.String(), "blocked in Close after 5s, waiting for 1 connections") {
		t.Errorf("logged %q", out.String())
	}
}

// Close ends a connection without a request at once, and nothing is logged later.
func TestCloseDoesNotAwaitNewConnections(t *testing.T) {
	var out strings.Builder
	log.SetOutput(&out)
	defer log.SetOutput(os.Stderr)
	synctest.Test(t, func(t *testing.T) {
		s := nethttptest.NewMemoryServer(http.NotFoundHandler())
		c, err := s.Listener.(*nethttptest.MemoryListener).DialContext(t.Context(), "tcp", "example.com:80")
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		synctest.Wait()
		began := time.Now()
		s.Close()
		if took := time.Since(began); took > time.Second {
			t.Errorf("Close took %v", took)
		}
		time.Sleep(time.Minute)
	})
	if out.Len() > 0 {
		t.Errorf("logged %q", out.String())
	}
}

// Bodies larger than the buffers of a connection arrive whole.
func TestLargeBodiesInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := nethttptest.NewMemoryServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			w.Write(body)
		}))
		defer s.Close()
		sent := strings.Repeat("0123456789abcdef", 1<<16)
		res, err := s.Client().Post(s.URL, "text/plain", strings.NewReader(sent))
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		if got, err := io.ReadAll(res.Body); err != nil || string(got) != sent {
			t.Errorf("%d bytes of %d, %v", len(got), len(sent), err)
		}
	})
}

func TestMemoryListener(t *testing.T) {
	l := nethttptest.NewMemoryListener()
	type ends struct{ client, server net.Conn }
	dial := func(ctx context.Context, addr string) (e ends, err error) {
		accepted := make(chan net.Conn, 1)
		go func() {
			nc, _ := l.Accept()
			accepted <- nc
		}()
		e.client, err = l.DialContext(ctx, "tcp", addr)
		if err == nil {
			e.server = <-accepted
		}
		return e, err
	}
	var before string
	for _, addr := range []string{"example.com:80", "a.example.com:1234", l.Addr().String()} {
		e, err := dial(t.Context(), addr)
		if err != nil {
			t.Fatal(err)
		}
		client := e.server.RemoteAddr().String()
		if client != e.client.LocalAddr().String() || client == before || !strings.HasPrefix(client, "192.0.2.1:") {
			t.Errorf("the client's address is %s", client)
		}
		if e.client.RemoteAddr().String() != l.Addr().String() || e.server.LocalAddr().String() != "192.0.2.2:80" {
			t.Errorf("the server's address is %s", e.server.LocalAddr())
		}
		before = client
		e.client.Close()
		e.server.Close()
	}
	if _, err := l.DialContext(t.Context(), "tcp", "other.test:80"); err == nil || !strings.Contains(err.Error(), "other.test:80") {
		t.Errorf("another server: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if nc, err := l.DialContext(ctx, "tcp", "example.com:80"); !errors.Is(err, context.Canceled) || nc != nil {
		t.Errorf("with a context that is over: %v", err)
	}
	l.Close()
	if nc, err := l.DialContext(t.Context(), "tcp", "example.com:80"); !errors.Is(err, net.ErrClosed) || nc != nil {
		t.Errorf("after Close: %v", err)
	}
}
