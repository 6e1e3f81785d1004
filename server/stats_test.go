package server_test

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/shockwave-go/shockwave/server"
)

// canPark reports whether connections of this run can give their goroutine back.
func canPark() bool { return runtime.GOOS == "linux" && os.Getenv("SHOCKWAVE_LOOP") != "plain" }

func TestStats(t *testing.T) {
	f := handle(t, path)
	for range 3 {
		k := f.talk(t)
		for range 2 {
			k.Send("GET /a HTTP/1.1\r\nHost: h\r\n\r\n")
			k.WantUntil("/a")
		}
	}
	s := f.Stats()
	if s.Connections != 3 || s.OpenConnections != 3 || s.Requests != 6 || s.BytesIn != 6*28 {
		t.Errorf("%+v", s)
	}
	// A response may have arrived before it is counted.
	eventually(t, "the responses to be counted", func() bool { return f.Stats().BytesOut >= 6*60 })
	f.Close()
	if s = f.Stats(); s.Connections != 3 || s.Requests != 6 || s.BadRequests+s.Timeouts+s.Panics+s.AcceptErrors != 0 {
		t.Errorf("after Close: %+v", s)
	}
}

// A handler that calls Stats finds its own request counted.
func TestARequestIsCountedBeforeItsHandlerRuns(t *testing.T) {
	var f *fixture
	f = handle(t, func(w *server.ResponseWriter, r *server.Request) { fmt.Fprint(w, "now ", f.Stats().Requests) })
	k := f.talk(t)
	for i := range 3 {
		k.Send("GET /a HTTP/1.1\r\nHost: h\r\n\r\n")
		k.WantUntil(fmt.Sprint("now ", i+1))
	}
}

func TestOnState(t *testing.T) {
	var mu sync.Mutex
	var states []http.ConnState
	closed := make(chan struct{})
	f := start(t, server.Config{Handler: server.HandlerFunc(path), OnState: func(nc net.Conn, s http.ConnState) {
		mu.Lock()
		defer mu.Unlock()
		states = append(states, s)
		if s == http.StateClosed {
			close(closed)
		}
	}})
	k := f.talk(t)
	k.Send("GET /a HTTP/1.1\r\nHost: h\r\n\r\n")
	k.WantUntil("/a")
	k.Close()
	<-closed
	mu.Lock()
	defer mu.Unlock()
	want := []http.ConnState{http.StateNew, http.StateActive, http.StateIdle, http.StateClosed}
	if !slices.Equal(states, want) {
		t.Errorf("got %v, want %v", states, want)
	}
}
