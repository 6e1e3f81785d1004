package server_test

import (
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/server"
)

// A handler sees the expected method, target, fields and body of each request.
func TestGetters(t *testing.T) {
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		fmt.Fprintf(w, "%s target=%s path=%s query=%s host=%s 1.%d length=%d chunked=%v keep=%v upgrade=%v",
			r.Method(), r.Target(), r.Path(), r.Query(), r.Host(), r.ProtoMinor(), r.ContentLength(), r.Chunked(), r.KeepAlive(), r.Upgrade())
	})
	for _, c := range []struct{ request, body string }{
		{"GET /a%20b?c=d?e HTTP/1.1\r\nHost: h:1\r\nConnection: close\r\n\r\n",
			"GET target=/a%20b?c=d?e path=/a%20b query=c=d?e host=h:1 1.1 length=0 chunked=false keep=false upgrade=false"},
		{"GET http://other?q HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
			"GET target=http://other?q path=/ query=q host=other 1.1 length=0 chunked=false keep=false upgrade=false"},
		{"OPTIONS * HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
			"OPTIONS target=* path=* query= host=h 1.1 length=0 chunked=false keep=false upgrade=false"},
		{"PUT / HTTP/1.0\r\nContent-Length: 2\r\n\r\nab",
			"PUT target=/ path=/ query= host= 1.0 length=2 chunked=false keep=false upgrade=false"},
		{"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nConnection: close, upgrade\r\nUpgrade: x\r\n\r\n0\r\n\r\n",
			"POST target=/ path=/ query= host=h 1.1 length=-1 chunked=true keep=false upgrade=true"},
	} {
		k := f.talk(t)
		k.Send(c.request)
		head(k)
		if got := k.Rest(); got != c.body {
			t.Errorf("%q\n got %s\nwant %s", c.request, got, c.body)
		}
	}
}

// The head stays valid while a long body is read, which moves the input buffer.
func TestBytesStayValid(t *testing.T) {
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		before := fmt.Sprintf("%s %s %s", r.Method(), r.Target(), r.Header().Get("X-Keep"))
		body, err := r.Body()
		after := fmt.Sprintf("%s %s %s", r.Method(), r.Target(), r.Header().Get("X-Keep"))
		fmt.Fprintf(w, "%v %v %d %s", before == after, err, len(body), after)
	})
	k := f.talk(t)
	k.Send("POST /long HTTP/1.1\r\nHost: h\r\nX-Keep: this\r\nContent-Length: 100000\r\nConnection: close\r\n\r\n")
	for range 100 {
		k.Send(string(make([]byte, 1000)))
	}
	k.WantUntil("\r\n\r\n")
	if got := k.Rest(); got != "true <nil> 100000 POST /long this" {
		t.Errorf("got %q", got)
	}
}

// A handler that appends to the slice of a body does not write to the request that follows it.
func TestABodyEndsWhereItEnds(t *testing.T) {
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		body, err := r.Body()
		fmt.Fprintf(w, "%s %s %v", r.Path(), append(body, "-and-more-of-it"...), err)
	})
	got := f.exchange(t, "POST /1 HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\none"+
		"POST /2 HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nConnection: close\r\n\r\ntwo")
	const head = "HTTP/1.1 200 OK\r\nContent-Length: 27\r\n"
	if want := head + "\r\n/1 one-and-more-of-it <nil>" + head + closeField + "\r\n/2 two-and-more-of-it <nil>"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestAddressesAndConnValue(t *testing.T) {
	type client struct{ addr string }
	f := start(t, server.Config{
		OnConn: func(l net.Listener, nc net.Conn) any {
			return &client{nc.RemoteAddr().String() + " " + l.Addr().String()}
		},
		Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
			fmt.Fprintf(w, "%s %s|%s %v", r.RemoteAddr(), r.LocalAddr(), r.ConnValue().(*client).addr, r.TLS() == nil)
		}),
	})
	k := f.talk(t)
	k.Send(get("/"))
	head(k)
	want := k.Conn.LocalAddr().String() + " " + f.addr
	if got := k.Rest(); got != want+"|"+want+" true" {
		t.Errorf("got %q, want %q twice", got, want)
	}
}

func TestOnGone(t *testing.T) {
	told := make(chan bool, 1)
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		gone := make(chan struct{})
		stop := r.OnClientGone(func() { close(gone) })
		w.Flush()
		<-gone
		told <- stop()
	})
	k := f.talk(t)
	k.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	head(k)
	k.Close()
	if <-told {
		t.Error("stop returned that f will not be called, and it was")
	}
}

// A second OnClientGone takes the place of the first.
func TestOnGoneReplaces(t *testing.T) {
	first, second := make(chan struct{}), make(chan struct{})
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		r.OnClientGone(func() { close(first) })
		r.OnClientGone(func() { close(second) })
		w.Flush()
		<-second
	})
	k := f.talk(t)
	k.Send(get("/"))
	head(k)
	k.Close()
	wiretest.Within(t, "the second call", second)
	select {
	case <-first:
		t.Error("the first function was called, too")
	case <-time.After(50 * time.Millisecond):
	}
}

// A stop function called after its handler has returned does not affect a later request, on the same or another
// connection, although they may use the same memory.
func TestStopOfAnEarlierRequest(t *testing.T) {
	stops := make(chan func() bool, 1)
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		if string(r.Path()) == "/first" {
			stops <- r.OnClientGone(func() { t.Error("the first function was called") })
			return
		}
		gone := make(chan struct{})
		r.OnClientGone(func() { close(gone) })
		stop := <-stops
		if stop() {
			t.Error("stop returned that it was in time")
		}
		stops <- stop
		w.Flush()
		<-gone
	})
	first := f.talk(t)
	first.Send("GET /first HTTP/1.1\r\nHost: h\r\n\r\nGET /next HTTP/1.1\r\nHost: h\r\n\r\n")
	head(first)
	head(first)
	other := f.talk(t)
	other.Send(get("/other"))
	head(other)
	first.Close()
	other.Close()
	f.Shutdown(t.Context())
}

// A function of OnClientGone is not called once the next request is handled.
func TestAWishEndsWithItsHandler(t *testing.T) {
	told, marked := make(chan struct{}, 1), make(chan struct{})
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		switch string(r.Path()) {
		case "/first":
			r.OnClientGone(func() { told <- struct{}{} })
		case "/last":
			w.Flush()
			<-marked
		case "/marker":
			r.OnClientGone(func() { close(marked) })
			w.Flush()
			<-marked
		}
	})
	k, marker := f.talk(t), f.talk(t)
	k.Send("GET /first HTTP/1.1\r\nHost: h\r\n\r\nGET /last HTTP/1.1\r\nHost: h\r\n\r\n")
	head(k)
	head(k)
	marker.Send("GET /marker HTTP/1.1\r\nHost: h\r\n\r\n")
	head(marker)
	k.Close()
	marker.Close() // when this is noticed, so is the one before it
	f.Shutdown(t.Context())
	if len(told) > 0 {
		t.Error("a wish outlived its handler")
	}
}
