package http3_test

import (
	"crypto/tls"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/http3"
	"github.com/shockwave-go/shockwave/nethttp"
)

// The field Alt-Svc tells clients over TLS where HTTP/3 is served, only while it is served, and never replaces a handler's own
// field.
func TestAltSvc(t *testing.T) {
	cert, pool := certificate()
	s := &nethttp.Server{TLSConfig: &tls.Config{Certificates: []tls.Certificate{cert}}, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/own" {
			w.Header().Set("Alt-Svc", "clear")
		}
	})}
	secure, plain := tcp(t), tcp(t)
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer udp.Close()
	served := make(chan error, 3)
	go func() { served <- s.ServeTLS(secure, "", "") }()
	go func() { served <- s.Serve(plain) }()
	alt := func(url string, h2 bool) []string {
		t.Helper()
		tr := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: h2, DisableKeepAlives: true}
		resp, err := (&http.Client{Transport: tr}).Get(url)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if strings.HasPrefix(url, "https") && h2 != (resp.ProtoMajor == 2) {
			t.Error(resp.Proto)
		}
		return resp.Header["Alt-Svc"]
	}
	if got := alt("https://"+secure.Addr().String(), true); got != nil {
		t.Errorf("before: got %q", got)
	}
	go func() { served <- http3.NewServer(s, http3.Config{AltSvcPort: 4433}).Serve(udp, "", "") }()
	if err := eventually(func() bool { return alt("https://"+secure.Addr().String(), true) != nil }); err != nil {
		t.Fatal("got no Alt-Svc")
	}
	for _, h2 := range []bool{false, true} {
		if got, want := alt("https://"+secure.Addr().String(), h2), []string{`h3=":4433"; ma=86400`}; !slices.Equal(got, want) {
			t.Errorf("HTTP/2 %v: %q, want %q", h2, got, want)
		}
		if got := alt("https://"+secure.Addr().String()+"/own", h2); !slices.Equal(got, []string{"clear"}) {
			t.Errorf("a handler's own: got %q", got)
		}
		if got := alt("http://"+plain.Addr().String(), h2); got != nil {
			t.Errorf("without TLS: got %q", got)
		}
	}
	s.Close()
	for range cap(served) {
		if err := <-served; err != http.ErrServerClosed {
			t.Errorf("got %v, want %v", err, http.ErrServerClosed)
		}
	}
}

// tcp opens a TCP listener.
func tcp(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}
