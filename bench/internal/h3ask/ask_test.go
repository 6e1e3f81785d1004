package h3ask

import (
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/quic-go/quic-go/http3"

	"github.com/shockwave-go/shockwave/bench/internal/frame"
	"github.com/shockwave-go/shockwave/server"
)

// serve starts quic-go's server, and returns its address.
func serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	cert, err := server.DevelopmentCertificate()
	if err != nil {
		t.Fatal(err)
	}
	pc, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &http3.Server{Handler: h, TLSConfig: &tls.Config{Certificates: []tls.Certificate{cert}}}
	go s.Serve(pc)
	t.Cleanup(func() {
		s.Close()
		pc.Close()
	})
	return pc.LocalAddr().String()
}

// The error says in what a response differs from the one that is expected.
func TestDifferencesAreNamed(t *testing.T) {
	for _, tc := range []struct {
		what   string
		change func(h http.Header)
		body   string
		status int
		want   string // in the error; "" for none
	}{
		{what: "as it must be", body: "out", status: 200},
		{what: "another status", body: "out", status: 201, want: `the status is "201", want "200"`},
		{what: "another type", body: "out", status: 200, want: `content-type is "text/html", want "text/plain"`,
			change: func(h http.Header) { h.Set("Content-Type", "text/html") }},
		{what: "no date", body: "out", status: 200, want: `date is ""`, change: func(h http.Header) { h["Date"] = nil }},
		{what: "other bytes", body: "oat", status: 200, want: "the body is another"},
		{what: "no length", body: "out", status: 200, want: `content-length is "", want "3"`,
			change: func(h http.Header) { h.Del("Content-Length") }},
	} {
		addr := serve(t, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if r.Method != "POST" || r.URL.Path != "/p" || r.Header.Get("X-A") != "b" || string(body) != "in" || r.Proto != "HTTP/3.0" {
				t.Errorf("%s: the request is %+v, %q", tc.what, r, body)
			}
			w.Header().Set("Content-Type", "text/plain")
			w.Header().Set("Content-Length", "3")
			if tc.change != nil {
				tc.change(w.Header())
			}
			w.WriteHeader(tc.status)
			w.(http.Flusher).Flush()
			io.WriteString(w, tc.body)
		})
		err := Once(addr, &frame.Exchange{Method: "POST", Path: "/p", Fields: []string{"X-A: b"}, Body: []byte("in"),
			ContentType: "text/plain", Response: []byte("out")})
		switch {
		case tc.want == "" && err != nil:
			t.Errorf("%s: %v", tc.what, err)
		case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
			t.Errorf("%s: %v, want %q", tc.what, err, tc.want)
		}
	}
}

// A stream that the server resets is an error.
func TestAStreamThatIsResetIsAnError(t *testing.T) {
	addr := serve(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	if err := Once(addr, &frame.Exchange{Method: "GET", Path: "/"}); err == nil || !strings.Contains(err.Error(), "GET /: ") {
		t.Errorf("an aborted response: %v", err)
	}
}

// Open returns all connections, or none and the error of the first that fails.
func TestManyConnectionsOpenAllOrNone(t *testing.T) {
	asked := 0 // the connections are opened one by one
	addr := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if asked++; asked > 3 {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Length", "2")
		io.WriteString(w, "ok")
	})
	x := &frame.Exchange{Method: "GET", Path: "/", Response: []byte("ok")}
	all, err := Open(addr, 3, x)
	if err != nil || len(all) != 3 {
		t.Fatalf("%d connections, %v", len(all), err)
	}
	all.Close()
	if all, err := Open(addr, 1, x); err == nil || len(all) != 0 || !strings.Contains(err.Error(), "connection 0: ") {
		t.Errorf("%d connections, %v", len(all), err)
	}
}
