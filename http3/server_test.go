package http3_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/shockwave-go/shockwave/http3"
	"github.com/shockwave-go/shockwave/server"
)

// page responds to the paths of the tests.
func page(w *server.ResponseWriter, r *server.Request) {
	switch string(r.Path()) {
	case "/echo":
		io.Copy(w, r)
	case "/sum":
		h := sha256.New()
		n, err := io.Copy(h, r)
		fmt.Fprintf(w, "%d %x %v", n, h.Sum(nil), err)
	case "/big":
		w.Write(bytes.Repeat([]byte("0123456789abcdef"), 1<<16))
	case "/trailers":
		w.Trailer().Set("T", "v")
		b, err := r.Body()
		fmt.Fprintf(w, "%s %s %v", b, r.Trailer().Get("X"), err)
	case "/hint":
		w.Header().Set("Link", "</s.css>; rel=preload")
		w.WriteInformational(103, w.Header())
	default:
		fmt.Fprintf(w, "%s %d %s", r.Method(), r.ProtoMajor(), r.Host())
	}
}

// quic-go's client gets the responses of our handlers.
func TestServes(t *testing.T) {
	r := start(t, server.Config{Handler: server.HandlerFunc(page)}, http3.Config{})
	c := r.client()
	if got, want := r.get(c, "/"), "GET 3 "+r.addr; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := r.get(c, "/big"); len(got) != 1<<20 || !strings.HasSuffix(got, "0123456789abcdef") {
		t.Errorf("got %d bytes", len(got))
	}
	for _, size := range []int{0, 1, 100, 5000, 1 << 20, 10 << 20} {
		body := bytes.Repeat([]byte("x"), size)
		resp, err := c.Post("https://"+r.addr+"/sum", "", bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(resp.Body)
		if want := fmt.Sprintf("%d %x <nil>", size, sha256.Sum256(body)); string(b) != want || err != nil {
			t.Errorf("%d bytes: %q, %v; want %q", size, b, err, want)
		}
		resp.Body.Close()
	}
	req, _ := http.NewRequest("POST", "https://"+r.addr+"/trailers", io.NopCloser(strings.NewReader("abc")))
	req.Trailer = http.Header{"X": {"y"}}
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if string(b) != "abc y <nil>" || resp.Trailer.Get("T") != "v" || err != nil {
		t.Errorf(`got %q, %v, %v; want "abc y <nil>" and a trailer`, b, resp.Trailer, err)
	}
	if n := r.s.Stats(); n.Requests != 9 || n.OpenConnections != 1 || n.BytesIn < 11<<20 || n.BadRequests != 0 {
		t.Errorf("%+v\n%s", n, r.log)
	}
}

// A hook that panics ends its own connection only.
func TestHookPanics(t *testing.T) {
	var calls atomic.Int32
	r := start(t, server.Config{Handler: server.HandlerFunc(page), OnConn: func(net.Listener, net.Conn) any {
		if calls.Add(1) == 1 {
			panic("the first")
		}
		return nil
	}}, http3.Config{})
	if got := r.talk().closed(); got != "close H3_NO_ERROR" {
		t.Errorf(`got %q, want "close H3_NO_ERROR"`, got)
	}
	if got := r.get(r.client(), "/"); !strings.HasPrefix(got, "GET 3") {
		t.Errorf(`got %q, want "GET 3" at its start`, got)
	}
	if n := r.s.Stats(); n.Panics != 1 || !strings.Contains(r.log.String(), "the first") {
		t.Errorf("%+v\n%s", n, r.log)
	}
}

// With MaxConcurrentStreams 1 the next request is served when the one before has ended.
func TestOneStreamAtATime(t *testing.T) {
	r := start(t, server.Config{Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) { w.WriteString("ok") })},
		http3.Config{MaxConcurrentStreams: 1})
	k := &talk{r, r.dial()}
	for range 5 {
		if got := k.ask(unhex(t, get), true); got != "200 ok" {
			t.Fatalf(`got %q, want "200 ok"`, got)
		}
	}
}

// After Close, Serve returns even if a handler still runs.
func TestCloseIsAtOnce(t *testing.T) {
	free, begun := make(chan bool), make(chan bool)
	t.Cleanup(func() { close(free) }) // behind that of start, which waits for Serve
	r := start(t, server.Config{Handler: server.HandlerFunc(func(*server.ResponseWriter, *server.Request) {
		close(begun)
		<-free
	})}, http3.Config{})
	s, err := r.dial().OpenStream()
	if err != nil {
		t.Fatal(err)
	}
	s.Write(unhex(t, get))
	s.Close()
	<-begun
}
