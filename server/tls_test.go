package server_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/server"
)

// startTLS serves cfg over TLS.
func startTLS(t testing.TB, cfg server.Config, certFile, keyFile string) *fixture {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{Server: server.NewServer(cfg), t: t, addr: l.Addr().String()}
	f.run(func() error { return f.ServeTLS(l, certFile, keyFile) })
	return f
}

// devCert returns a development certificate and a pool that trusts it.
func devCert(t testing.TB) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	cert, err := server.DevelopmentCertificate()
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(cert.Leaf)
	return cert, pool
}

// talkTLS begins a conversation over TLS.
func (f *fixture) talkTLS(t *testing.T, cfg *tls.Config) *wiretest.Talk {
	t.Helper()
	nc, err := tls.Dial("tcp", f.addr, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return wiretest.NewTalk(t, nc)
}

// secure responds with what it knows of TLS, and reads the body.
func secure(w *server.ResponseWriter, r *server.Request) {
	body, err := r.Body()
	s := r.TLS()
	fmt.Fprintf(w, "%s %s %v %d %v", s.ServerName, s.NegotiatedProtocol, s.HandshakeComplete, len(body), err)
}

func TestTLS(t *testing.T) {
	cert, pool := devCert(t)
	own := &tls.Config{Certificates: []tls.Certificate{cert}, NextProtos: []string{"h2", "mine"}}
	f := startTLS(t, server.Config{Handler: server.HandlerFunc(secure), TLSConfig: own, Protocols: speak((*http.Protocols).SetHTTP1)}, "", "")
	if len(own.NextProtos) != 2 {
		t.Error("Config.TLSConfig was changed")
	}
	for _, host := range []string{"localhost", "127.0.0.1", "::1"} {
		k := f.talkTLS(t, &tls.Config{RootCAs: pool, ServerName: host, NextProtos: []string{"h2", "http/1.1"}})
		name := host
		if net.ParseIP(host) != nil {
			name = "" // RFC 6066 §3: no addresses in server_name
		}
		k.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
		k.WantUntil("\r\n\r\n" + name + " http/1.1 true 0 <nil>")
		k.Send(post(chunkedField, "3\r\nabc\r\n0\r\n\r\n") + post("Content-Length: 100000\r\n", strings.Repeat("a", 100000)))
		k.WantUntil("true 3 <nil>")
		k.WantUntil("true 100000 <nil>")
		k.Send("GET / HTTP/1.1\r\nHost: h\r\n" + closeField + "\r\n")
		k.WantUntil("true 0 <nil>")
		k.WantEOF()
	}
	k := f.talkTLS(t, &tls.Config{RootCAs: pool, ServerName: "localhost", NextProtos: []string{"mine"}})
	k.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	k.WantUntil("localhost mine true")
}

// A request of plain HTTP to a TLS port gets a response that says so.
func TestPlainHTTPOnATLSPort(t *testing.T) {
	cert, _ := devCert(t)
	f := startTLS(t, server.Config{Handler: server.HandlerFunc(secure), TLSConfig: &tls.Config{Certificates: []tls.Certificate{cert}}}, "", "")
	k := f.talk(t)
	k.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	wantStatus(t, k.Rest(), "400 Bad Request")

	k = f.talk(t)
	k.Send("\x00\x01\x02\x03\x04\x05\x06\x07") // neither: no response
	if got, _ := io.ReadAll(k.Conn); bytes.Contains(got, []byte("HTTP")) {
		t.Errorf("got %q", got)
	}
}

func TestHandshakeTimeout(t *testing.T) {
	cert, _ := devCert(t)
	f := startTLS(t, server.Config{TLSHandshakeTimeout: short, Handler: server.HandlerFunc(secure), TLSConfig: &tls.Config{Certificates: []tls.Certificate{cert}}}, "", "")
	f.talk(t).WantGone()
}

// writeCert writes a new certificate to the files and returns it.
func writeCert(t *testing.T, certFile, keyFile string) tls.Certificate {
	t.Helper()
	cert, _ := devCert(t)
	key, err := x509.MarshalPKCS8PrivateKey(cert.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{
		certFile: {Type: "CERTIFICATE", Bytes: cert.Certificate[0]},
		keyFile:  {Type: "PRIVATE KEY", Bytes: key},
	} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert
}

// presented returns the certificate that a new connection gets.
func (f *fixture) presented(t *testing.T) []byte {
	t.Helper()
	nc, err := tls.Dial("tcp", f.addr, &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	return nc.ConnectionState().PeerCertificates[0].Raw
}

// eventually waits until ok is true.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

func TestCertificatesAreReadAnew(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	first := writeCert(t, certFile, keyFile)
	j := new(journal)
	f := startTLS(t, server.Config{Handler: server.HandlerFunc(secure), Logger: j.logger()}, certFile, keyFile)
	if !bytes.Equal(f.presented(t), first.Certificate[0]) {
		t.Fatal("another certificate than the files'")
	}
	if err := os.WriteFile(certFile, []byte("nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the log to name the bad file", func() bool {
		f.presented(t)
		return strings.Contains(j.String(), "the old one is kept")
	})
	if !bytes.Equal(f.presented(t), first.Certificate[0]) {
		t.Error("a bad file replaced the old certificate")
	}
	second := writeCert(t, certFile, keyFile)
	eventually(t, "the new certificate is shown", func() bool { return bytes.Equal(f.presented(t), second.Certificate[0]) })
}

func TestServeTLSErrors(t *testing.T) {
	for name, files := range map[string][2]string{"no certificate": {"", ""}, "no such file": {"/nowhere/cert.pem", "/nowhere/key.pem"}} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		if err := server.NewServer(server.Config{Handler: server.HandlerFunc(secure)}).ServeTLS(l, files[0], files[1]); err == nil || err == server.ErrServerClosed {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := l.Accept(); err == nil {
			t.Errorf("%s: the listener is open", name)
		}
	}
}

// A server listens on a path, and replaces a socket left behind by a process that has ended.
func TestUnixSocket(t *testing.T) {
	name := filepath.Join(t.TempDir(), "s")
	old, err := net.ListenUnix("unix", &net.UnixAddr{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	second := server.NewServer(server.Config{Addr: "unix:" + name, Handler: server.HandlerFunc(path)})
	if err := second.ListenAndServe(); err == nil || err == server.ErrServerClosed {
		t.Errorf("listened where somebody else does: %v", err)
	}
	old.SetUnlinkOnClose(false)
	old.Close()
	f := &fixture{Server: server.NewServer(server.Config{Addr: "unix:" + name, Handler: server.HandlerFunc(path)}), t: t}
	f.run(f.ListenAndServe)
	var nc net.Conn
	eventually(t, "the server listens", func() bool {
		nc, err = net.Dial("unix", name)
		return err == nil
	})
	k := wiretest.NewTalk(t, nc)
	k.Send("GET /a HTTP/1.1\r\nHost: h\r\n\r\n")
	k.WantUntil("/a")
}

func TestListenAndServeTLS(t *testing.T) {
	cert, pool := devCert(t)
	name := filepath.Join(t.TempDir(), "s")
	own := &tls.Config{Certificates: []tls.Certificate{cert}}
	f := &fixture{t: t, Server: server.NewServer(server.Config{
		Addr: "unix:" + name, TLSConfig: own, Handler: server.HandlerFunc(secure),
	})}
	f.run(func() error { return f.ListenAndServeTLS("", "") })
	var nc net.Conn
	eventually(t, "the server listens", func() (ok bool) {
		var err error
		nc, err = net.Dial("unix", name)
		return err == nil
	})
	k := wiretest.NewTalk(t, tls.Client(nc, &tls.Config{RootCAs: pool, ServerName: "localhost"}))
	k.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	k.WantUntil("localhost  true 0 <nil>")
}

// A server that was shut down does not serve again.
func TestSeveralListeners(t *testing.T) {
	f := handle(t, path)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f.run(func() error { return f.Serve(l) })
	for _, addr := range []string{f.addr, l.Addr().String()} {
		res, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Get("http://" + addr + "/a")
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if string(body) != "/a" {
			t.Errorf("%s: %q", addr, body)
		}
	}
}

// Handlers see the TLS state of a listener's own TLS, as with ServeTLS.
func TestTLSListener(t *testing.T) {
	cert, pool := devCert(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	own := &tls.Config{Certificates: []tls.Certificate{cert}, NextProtos: []string{"http/1.1"}}
	f := startOn(t, tls.NewListener(l, own), server.Config{Handler: server.HandlerFunc(secure)})
	k := f.talkTLS(t, &tls.Config{RootCAs: pool, ServerName: "localhost", NextProtos: []string{"http/1.1"}})
	k.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	k.WantUntil("\r\n\r\nlocalhost http/1.1 true 0 <nil>")
	k.Send(post("Content-Length: 100000\r\n", strings.Repeat("a", 100000)))
	k.WantUntil("true 100000 <nil>")
	plain := f.talk(t)
	plain.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	wantStatus(t, plain.Rest(), "400 Bad Request")
}

// A TLS handshake has a deadline.
func TestTLSListenerTimeout(t *testing.T) {
	cert, _ := devCert(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	own := &tls.Config{Certificates: []tls.Certificate{cert}}
	f := startOn(t, tls.NewListener(l, own), server.Config{TLSHandshakeTimeout: short, Handler: server.HandlerFunc(secure)})
	f.talk(t).WantGone()
}

// A client that negotiates HTTP/2 with a listener's own TLS, while the server does not speak it, gets the error that asks
// for HTTP/1.1, and the log says why.
func TestTLSListenerWithH2(t *testing.T) {
	cert, pool := devCert(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var log journal
	own := &tls.Config{Certificates: []tls.Certificate{cert}, NextProtos: []string{"h2", "http/1.1"}}
	f := startOn(t, tls.NewListener(l, own), server.Config{
		Handler: server.HandlerFunc(secure), Logger: log.logger(), Protocols: speak((*http.Protocols).SetHTTP1),
	})
	for range 2 {
		k := f.talkTLS(t, &tls.Config{RootCAs: pool, ServerName: "localhost", NextProtos: []string{"h2", "http/1.1"}})
		k.Send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
		const settings, goAway = "\x00\x00\x00\x04\x00\x00\x00\x00\x00", "\x00\x00\x08\x07\x00\x00\x00\x00\x00"
		if got := k.Rest(); got != settings+goAway+"\x00\x00\x00\x00\x00\x00\x00\x0d" {
			t.Errorf("got %q", got)
		}
	}
	if n := strings.Count(log.String(), "NextProtos"); n != 1 {
		t.Errorf("%d lines in the log:\n%s", n, log.String())
	}
	k := f.talkTLS(t, &tls.Config{RootCAs: pool, ServerName: "localhost"}) // a client that does not ask for it
	k.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	k.WantUntil("localhost  true 0 <nil>")
}
