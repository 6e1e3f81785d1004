package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/quic-go/quic-go/http3"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// overHTTP3 has r's client speak HTTP/3 and nothing else.
func (r *running) overHTTP3() {
	transport := &http3.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableCompression: true}
	r.t.Cleanup(func() { transport.Close() })
	r.client.Transport = transport
}

// TestAltSvc: clients of the other versions are told where HTTP/3 is.
func TestAltSvc(t *testing.T) {
	for opt, want := range map[siteOptions]bool{{}: false, overTLS: false, everywhere: true} {
		r := startServe(t, serveOptions{siteOptions: opt})
		_, port, _ := net.SplitHostPort(r.addr)
		offer := func() string {
			resp, _ := r.do("GET", "/")
			return resp.Header.Get("Alt-Svc")
		}
		if want { // as soon as the socket of UDP is served
			wiretest.Eventually(t, "the offer", func() bool { return strings.Contains(offer(), `h3=":`+port+`"`) })
		} else if got := offer(); got != "" {
			t.Errorf("%+v: Alt-Svc is %q", opt, got)
		}
	}
}

// TestServeOverHTTP3: files, the page, its counters and what is logged say which protocol it was.
func TestServeOverHTTP3(t *testing.T) {
	r := startServe(t, serveOptions{siteOptions: everywhere, logFile: "-"})
	r.do("GET", "/plaintext")
	r.overHTTP3()
	resp, body := r.do("GET", "/", "X-Odd: <b>")
	if resp.ProtoMajor != 3 || resp.StatusCode != 200 {
		t.Fatalf("GET /: %s, %s", resp.Proto, resp.Status)
	}
	for _, want := range []string{"GET / HTTP/3\nhost: " + r.addr, "x-odd: &lt;b&gt;", `<span id="requests">2<`, `<span id="http3">1</span> over HTTP/3`} {
		wantText(t, "the page", body, want)
	}
	if _, body := r.do("GET", "/connection"); !strings.Contains(body, `"protocol": "HTTP/3"`) || !strings.Contains(body, `"alpn": "h3"`) {
		t.Errorf("the connection is %s", body)
	}
	wiretest.Eventually(t, "the log", func() bool { return strings.Contains(r.out.String(), `"GET / HTTP/3.0" 200`) })
	r = startServe(t, serveOptions{siteOptions: everywhere, dir: "."})
	r.overHTTP3()
	resp, _ = r.do("GET", "/main.go", "Range: bytes=0-9")
	if resp.ProtoMajor != 3 || resp.StatusCode != 206 || resp.ContentLength != 10 {
		t.Errorf("a range: %s, %s, %d bytes", resp.Proto, resp.Status, resp.ContentLength)
	}
}

// TestStopOverHTTP3: the first signal lets a request finish, and its answer arrives; new requests are refused.
func TestStopOverHTTP3(t *testing.T) {
	for _, native := range []bool{false, true} {
		r := startEcho(t, echoOptions{native: native, siteOptions: alone})
		r.overHTTP3()
		in, out := io.Pipe()
		answered := make(chan string, 1)
		go func() {
			resp, err := r.client.Post(r.url+"/busy", "text/plain", in)
			if err != nil {
				answered <- err.Error()
				return
			}
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			answered <- fmt.Sprint(resp.Status, " ", string(body), err)
		}()
		io.WriteString(out, "hel")
		r.first()
		other := &http.Client{Timeout: time.Second}
		another := &http3.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
		defer another.Close()
		other.Transport = another
		wiretest.Eventually(t, "the server to refuse others", func() bool {
			resp, err := other.Get(r.url + "/plaintext")
			if err == nil {
				resp.Body.Close()
			}
			return err != nil
		})
		io.WriteString(out, "lo")
		out.Close()
		if got := wiretest.Within(t, "the answer", answered); !strings.HasPrefix(got, "200 OK ") || !strings.HasSuffix(got, "hello<nil>") {
			t.Errorf("the request in flight got %q", got)
		}
		if err := r.end(); err != nil {
			t.Errorf("the server ended with %v", err)
		}
	}
}

// TestSites: what the flags of a site mean.
func TestSites(t *testing.T) {
	for args, want := range map[string]string{
		"":                   "tcp",
		"-h3=false":          "tcp",
		"-tls":               "tcp tls udp",
		"-tls -h3=false":     "tcp tls",
		"-tls -h3":           "tcp tls udp",
		"-h3":                "udp",
		"-h3 -addr unix:a/b": "echo: -h3 wants a HOST:PORT, not a Unix socket",
	} {
		got := ""
		opt, err := parseEcho(strings.Fields("-addr 127.0.0.1:0 "+args), console{out: io.Discard, err: io.Discard})
		if err != nil {
			got = err.Error()
		} else {
			at, err := opt.open(console{out: io.Discard, err: io.Discard})
			if err != nil {
				t.Fatal(err)
			}
			if at.l != nil {
				got = "tcp"
			}
			if at.tls {
				got += " tls"
			}
			if at.udp != nil {
				got += " udp"
				if at.l != nil && at.udp.LocalAddr().String() != at.l.Addr().String() {
					t.Errorf("%s: UDP is at %v, TCP at %v", args, at.udp.LocalAddr(), at.l.Addr())
				}
			}
			at.close()
		}
		if got = strings.TrimSpace(got); got != want {
			t.Errorf("%q is %q, want %q", args, got, want)
		}
	}
}

// TestSiteWithoutUDP: where the port of UDP is taken, TLS is served without HTTP/3 and the user is told, or who asked for HTTP/3
// is refused.
func TestSiteWithoutUDP(t *testing.T) {
	var told buffer
	var opt siteOptions
	var at site
	err := error(syscall.EADDRINUSE)
	for range 20 {
		taken, e := net.ListenPacket("udp", "127.0.0.1:0")
		if e != nil {
			t.Fatal(e)
		}
		defer taken.Close()
		opt = siteOptions{addr: taken.LocalAddr().String(), tls: true, h3: true}
		if at, err = opt.open(console{out: &told, err: &told}); !errors.Is(err, syscall.EADDRINUSE) { // some other test may have the port of TCP
			break
		}
	}
	if err != nil || at.udp != nil || !at.tls || !strings.Contains(told.String(), "no HTTP/3 here: ") {
		t.Errorf("%+v, %v; told %q", at, err, told.String())
	}
	at.close()
	opt.asked = true
	if at, err := opt.open(console{out: &told, err: &told}); err == nil {
		t.Error("HTTP/3 was asked for and is not there")
		at.close()
	}
}
