package serve

import (
	"net"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/clitest"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/site"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// The files, the page and the log work over HTTP/2, and name it.
func TestServeOverHTTP2(t *testing.T) {
	for _, secure := range []bool{false, true} {
		r := clitest.Serve(t, Options{Options: site.Options{TLS: secure}, logFile: "-"})
		r.OverHTTP2()
		resp, body := r.Do("GET", "/", "X-Odd: <b>")
		if resp.ProtoMajor != 2 || resp.StatusCode != 200 {
			t.Fatalf("GET /: %s, %s", resp.Proto, resp.Status)
		}
		for _, want := range []string{"HTTP/2", "GET / HTTP/2\nhost: " + r.Addr, "x-odd: &lt;b&gt;", "-h2 -c 4 -m 100 http", "</span> over HTTP/2, "} {
			clitest.WantText(t, "the page", body, want)
		}
		if _, body := r.Do("GET", "/connection"); !strings.Contains(body, `"protocol": "HTTP/2"`) {
			t.Errorf("the connection is %s", body)
		}
		for end := time.Now().Add(clitest.Patience); !strings.Contains(r.Out.String(), `"GET / HTTP/2.0" 200`); {
			if time.Now().After(end) {
				t.Fatalf("the log says %q", r.Out.String())
			}
			time.Sleep(time.Millisecond)
		}
		r = clitest.Serve(t, Options{Options: site.Options{TLS: secure}, dir: "."})
		r.OverHTTP2()
		resp, _ = r.Do("GET", "/serve.go", "Range: bytes=0-9")
		if resp.ProtoMajor != 2 || resp.StatusCode != 206 || resp.ContentLength != 10 {
			t.Errorf("a range: %s, %s, %d bytes", resp.Proto, resp.Status, resp.ContentLength)
		}
	}
}

// Responses over other versions say where HTTP/3 is.
func TestAltSvc(t *testing.T) {
	for opt, want := range map[site.Options]bool{{}: false, clitest.OverTLS: false, clitest.Everywhere: true} {
		r := clitest.Serve(t, Options{Options: opt})
		_, port, _ := net.SplitHostPort(r.Addr)
		offer := func() string {
			resp, _ := r.Do("GET", "/")
			return resp.Header.Get("Alt-Svc")
		}
		if want { // as soon as the socket of UDP is served
			wiretest.Eventually(t, "the offer", func() bool { return strings.Contains(offer(), `h3=":`+port+`"`) })
		} else if got := offer(); got != "" {
			t.Errorf("%+v: Alt-Svc is %q", opt, got)
		}
	}
}

// The files, the page and the log work over HTTP/3, and name it.
func TestServeOverHTTP3(t *testing.T) {
	r := clitest.Serve(t, Options{Options: clitest.Everywhere, logFile: "-"})
	r.Do("GET", "/plaintext")
	r.OverHTTP3()
	resp, body := r.Do("GET", "/", "X-Odd: <b>")
	if resp.ProtoMajor != 3 || resp.StatusCode != 200 {
		t.Fatalf("GET /: %s, %s", resp.Proto, resp.Status)
	}
	for _, want := range []string{"GET / HTTP/3\nhost: " + r.Addr, "x-odd: &lt;b&gt;", `<span id="requests">2<`, `<span id="http3">1</span> over HTTP/3`} {
		clitest.WantText(t, "the page", body, want)
	}
	if _, body := r.Do("GET", "/connection"); !strings.Contains(body, `"protocol": "HTTP/3"`) || !strings.Contains(body, `"alpn": "h3"`) {
		t.Errorf("the connection is %s", body)
	}
	wiretest.Eventually(t, "the log", func() bool { return strings.Contains(r.Out.String(), `"GET / HTTP/3.0" 200`) })
	r = clitest.Serve(t, Options{Options: clitest.Everywhere, dir: "."})
	r.OverHTTP3()
	resp, _ = r.Do("GET", "/serve.go", "Range: bytes=0-9")
	if resp.ProtoMajor != 3 || resp.StatusCode != 206 || resp.ContentLength != 10 {
		t.Errorf("a range: %s, %s, %d bytes", resp.Proto, resp.Status, resp.ContentLength)
	}
}
