package nethttp_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/nethttp"
)

// TestBaseContextCostsNoGoroutine: a listener with a context of its own is served as any other, so that idle
// connections are parked.
func TestBaseContextCostsNoGoroutine(t *testing.T) {
	if runtime.GOOS != "linux" || os.Getenv("SHOCKWAVE_LOOP") == "plain" {
		t.Skip("connections are parked on the latched loop only")
	}
	s := &nethttp.Server{Handler: says(""), BaseContext: func(net.Listener) context.Context { return context.Background() }}
	p := dial(t, serveOurs(t, s))
	p.say("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	p.answer("GET")
	for deadline := time.Now().Add(patience); s.Stats().ParkedConnections == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the connection is not parked: %+v", s.Stats())
		}
	}
}

// strange is a listener that cannot be compared, nor be the key of a map.
type strange struct {
	net.Listener
	_ []int
}

// TestBaseContexts: each listener has its own, whatever listener it is.
func TestBaseContexts(t *testing.T) {
	type key struct{}
	s := &nethttp.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, ok := r.Context().Value(http.ServerContextKey).(*http.Server)
			fmt.Fprint(w, r.Context().Value(key{}), " ", ok)
		}),
		BaseContext: func(l net.Listener) context.Context {
			return context.WithValue(context.Background(), key{}, fmt.Sprintf("%T %v", l, l.Addr()))
		},
	}
	for _, l := range []net.Listener{listen(t), listen(t), strange{Listener: listen(t)}} {
		ended := make(chan bool)
		go func() { s.Serve(l); close(ended) }()
		defer func() { s.Close(); <-ended }()
		_, body := get(t, client(t), request(t, "GET", "http://"+l.Addr().String(), nil))
		if want := fmt.Sprintf("%T %v true", l, l.Addr()); body != want {
			t.Errorf("%q, want %q", body, want)
		}
	}
}
