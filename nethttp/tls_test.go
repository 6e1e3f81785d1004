package nethttp_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/nethttp"
)

// certificate returns a certificate for example.com and a client's configuration that trusts it.
func certificate() (tls.Certificate, *tls.Config) {
	ts := httptest.NewTLSServer(nil) // makes both
	defer ts.Close()
	roots := ts.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	return ts.TLS.Certificates[0], &tls.Config{RootCAs: roots, ServerName: "example.com"}
}

// serveTLS serves h over TLS until the test ends.
func serveTLS(t *testing.T, h http.Handler) (addr string, trusting *tls.Config) {
	t.Helper()
	cert, trusting := certificate()
	s := &nethttp.Server{Handler: h, ErrorLog: quiet(), TLSConfig: &tls.Config{
		Certificates: []tls.Certificate{cert}, NextProtos: []string{"h2", "http/1.1"},
	}}
	l := listen(t)
	ended := make(chan error)
	go func() { ended <- s.ServeTLS(l, "", "") }()
	t.Cleanup(func() {
		s.Close()
		if err := <-ended; err != http.ErrServerClosed {
			t.Errorf("ServeTLS returned %v", err)
		}
	})
	return l.Addr().String(), trusting
}

func TestTLS(t *testing.T) {
	addr, trusting := serveTLS(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.Proto, " ", r.TLS.HandshakeComplete, " ", r.TLS.ServerName)
	}))
	tr := &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: trusting}
	defer tr.CloseIdleConnections()
	c := &http.Client{Transport: tr, Timeout: patience}
	for range 2 {
		if _, body := get(t, c, request(t, "GET", "https://"+addr, nil)); body != "HTTP/2.0 true example.com" {
			t.Errorf("%q", body)
		}
	}
}

// The shortest timeout that is set bounds the TLS handshake.
func TestHandshakeTimeout(t *testing.T) {
	for _, test := range []struct {
		header, read, write, want time.Duration
	}{
		{0, 0, 0, 0},
		{-1, -1, -1, 0},
		{time.Second, 0, 0, time.Second},
		{0, time.Second, 0, time.Second},
		{0, 0, time.Second, time.Second},
		{3 * time.Second, 2 * time.Second, time.Second, time.Second},
		{time.Second, 2 * time.Second, -1, time.Second},
		{time.Hour, 0, 0, 0},
	} {
		s := &nethttp.Server{ReadHeaderTimeout: test.header, ReadTimeout: test.read, WriteTimeout: test.write}
		if got := nethttp.HandshakeTimeout(s); got != test.want {
			t.Errorf("%v %v %v: %v, want %v", test.header, test.read, test.write, got, test.want)
		}
	}
}

func TestTLSContextEndsWhenTheClientLeaves(t *testing.T) {
	entered, ended := make(chan bool, 1), make(chan error, 1)
	addr, trusting := serveTLS(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := r.Context()
		ctx.Done()
		entered <- true
		<-ctx.Done()
		ended <- ctx.Err()
	}))
	c, err := tls.Dial("tcp", addr, trusting)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(c, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	<-entered
	c.Close()
	select {
	case err := <-ended:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("it ended with %v", err)
		}
	case <-time.After(patience):
		t.Error("the context has not ended")
	}
}

func TestTLSHijack(t *testing.T) {
	addr, trusting := serveTLS(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		nc, rw, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		if _, ok := nc.(*tls.Conn); !ok {
			t.Errorf("hijacked a %T", nc)
		}
		defer nc.Close()
		line, _ := rw.ReadString('\n')
		rw.WriteString("echo " + line)
		rw.Flush()
	}))
	c, err := tls.Dial("tcp", addr, trusting)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(patience))
	fmt.Fprint(c, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	fmt.Fprint(c, "hello\n")
	if got, err := bufio.NewReader(c).ReadString('\n'); got != "echo hello\n" {
		t.Errorf("%q %v", got, err)
	}
}

func TestPlainTextOnTheTLSPort(t *testing.T) {
	addr, _ := serveTLS(t, http.NotFoundHandler())
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(patience))
	fmt.Fprint(c, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	line, _ := bufio.NewReader(c).ReadString('\n')
	if line != "" && !strings.Contains(line, " 400 ") {
		t.Errorf("%q", line)
	}
}

// With a listener that has its own TLS, such as autocert's, handlers and the log get the same as with ServeTLS: names,
// client certificates, failures.
func TestTLSListener(t *testing.T) {
	cert, trusting := certificate()
	for _, s := range servers {
		t.Run(s.name, func(t *testing.T) {
			var log journal
			std := &http.Server{
				Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					fmt.Fprint(w, r.TLS.ServerName, " ", r.TLS.HandshakeComplete, " ", r.TLS.Version >= tls.VersionTLS12, " ",
						len(r.TLS.PeerCertificates), " ", r.TLS.NegotiatedProtocol)
				}),
				ErrorLog: log.logger(),
			}
			l := listen(t)
			defer s.serve(std, tls.NewListener(l, &tls.Config{
				Certificates: []tls.Certificate{cert}, ClientAuth: tls.RequireAnyClientCert, NextProtos: []string{"http/1.1"},
			}))()
			cfg := trusting.Clone()
			cfg.Certificates = []tls.Certificate{cert}
			cfg.NextProtos = []string{"http/1.1"}
			tr := &http.Transport{TLSClientConfig: cfg}
			defer tr.CloseIdleConnections()
			c := &http.Client{Transport: tr, Timeout: patience}
			for range 2 {
				if _, body := get(t, c, request(t, "GET", "https://"+l.Addr().String(), nil)); body != "example.com true true 1 http/1.1" {
					t.Errorf("%q", body)
				}
			}
			p := dial(t, l.Addr().String())
			p.say("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
			if got := p.answer("GET"); got != "HTTP/1.0 400 Bad Request\n(closes)\n\nClient sent an HTTP request to an HTTPS server.\n\n" {
				t.Errorf("plain HTTP gets a response:\n%s", got)
			}
			const want = "http: TLS handshake error from %s: client sent an HTTP request to an HTTPS server\n"
			log.await(t, fmt.Sprintf(want, p.LocalAddr()))
		})
	}
}

// A client that does not finish its TLS handshake is disconnected, and the log says so.
func TestTLSListenerTimeout(t *testing.T) {
	cert, _ := certificate()
	for _, s := range servers {
		t.Run(s.name, func(t *testing.T) {
			var log journal
			l := listen(t)
			defer s.serve(&http.Server{ErrorLog: log.logger(), ReadTimeout: 50 * time.Millisecond},
				tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{cert}}))()
			p := dial(t, l.Addr().String())
			if got := p.answer("GET"); got != "closed\n" {
				t.Errorf("got\n%s", got)
			}
			log.await(t, "http: TLS handshake error from "+p.LocalAddr().String()+": ")
			log.await(t, "i/o timeout\n")
		})
	}
}
