package nethttp_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/nethttp"
	"golang.org/x/net/http2"
)

// TestH2RequestTrailers: they come whether or not the length is known.
func TestH2RequestTrailers(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &nethttp.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s %d %v %s", r.Proto, b, r.ContentLength, err, r.Trailer.Get("X-Sum"))
	})}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	defer func() { s.Close(); <-ended }()
	p := new(http.Protocols)
	p.SetUnencryptedHTTP2(true)
	tr := &http.Transport{Protocols: p}
	defer tr.CloseIdleConnections()
	for _, length := range []int64{-1, 5} {
		req, _ := http.NewRequest("POST", "http://"+l.Addr().String(), io.NopCloser(strings.NewReader("hello")))
		req.ContentLength = length
		req.Trailer = http.Header{"X-Sum": {"5"}}
		res, err := tr.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if want := fmt.Sprintf("HTTP/2.0 hello %d <nil> 5", length); string(got) != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestH2Pings: a client that says nothing is asked after SendPingTimeout, and sent away after PingTimeout.
func TestH2Pings(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &nethttp.Server{
		Handler: http.NotFoundHandler(),
		HTTP2:   &http.HTTP2Config{SendPingTimeout: 20 * time.Millisecond, PingTimeout: 30 * time.Millisecond},
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	defer func() { s.Close(); <-ended }()
	nc, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	nc.SetDeadline(time.Now().Add(10 * time.Second))
	fr := http2.NewFramer(nc, nc)
	io.WriteString(nc, http2.ClientPreface)
	fr.WriteSettings()
	pings := 0
	for {
		f, err := fr.ReadFrame()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if f, ok := f.(*http2.PingFrame); ok && !f.IsAck() {
			if pings++; pings < 3 {
				fr.WritePing(true, f.Data)
			}
		}
	}
	if pings != 3 {
		t.Errorf("%d pings came", pings)
	}
}
