package server_test

import (
	"crypto/tls"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/server"
)

// HEAD gets the Content-Length that GET would get; with net/http's behaviour only if GET is not streamed.
func TestHEADOfExactlyTheBuffer(t *testing.T) {
	const buffer = 100
	for size, told := range map[int]map[bool]bool{
		buffer:     {false: true, true: true},
		buffer + 1: {false: true, true: false},
	} {
		for like, want := range told {
			f := start(t, server.Manners(like, server.Config{WriteBufferSize: buffer, Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
				w.WriteString(strings.Repeat("x", size))
			})}))
			if got := f.exchange(t, head1("/")); strings.Contains(got, "Content-Length: ") != want {
				t.Errorf("%d bytes, NetHTTP %v: its length is expected: %v; got %q", size, like, want, got)
			}
		}
	}
}

// A head that is cut short gets 400 with net/http's behaviour and no response otherwise, and a slow one gets 408 or, with
// net/http's behaviour, no response.
func TestHeadsThatDoNotCome(t *testing.T) {
	for like, want := range map[bool]struct{ cut, slow string }{
		false: {"", "HTTP/1.1 408 Request Timeout"},
		true:  {"HTTP/1.1 400 Bad Request", ""},
	} {
		f := start(t, server.Manners(like, server.Config{ReadHeaderTimeout: short, Handler: server.HandlerFunc(path)}))
		slow := f.talk(t)
		slow.Send("GET / HTTP/1.1\r\nHo")
		if got := slow.Rest(); !strings.HasPrefix(got, want.slow) || (got == "") != (want.slow == "") {
			t.Errorf("NetHTTP %v: a slow head gets %q, want %q", like, got, want.slow)
		}
		f = start(t, server.Manners(like, server.Config{Handler: server.HandlerFunc(path)}))
		cut := f.talk(t)
		cut.Send("GET / HTTP/1.1\r\nHo")
		cut.HalfClose()
		if got := cut.Rest(); !strings.HasPrefix(got, want.cut) || (got == "") != (want.cut == "") {
			t.Errorf("NetHTTP %v: a head that is cut gets %q, want %q", like, got, want.cut)
		}
		if n, told := f.Stats().BadRequests, want.cut != ""; (n == 1) != told {
			t.Errorf("NetHTTP %v: BadRequests is %d", like, n)
		}
		empty := f.talk(t)
		empty.Send("\r\n\r\n")
		empty.HalfClose()
		empty.WantEOF()
	}
}

// With net/http's behaviour Connection: close is not sent to HTTP/1.0, unless the handler sets it.
func TestTheEndOfHTTP10(t *testing.T) {
	h := server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
		if string(r.Path()) == "/close" {
			w.Header().Set("Connection", "close")
		}
	})
	for _, c := range []struct {
		like    bool
		request string
		want    bool
	}{
		{false, "GET / HTTP/1.0\r\n\r\n", true},
		{true, "GET / HTTP/1.0\r\n\r\n", false},
		{true, "GET /close HTTP/1.0\r\n\r\n", true},
		{true, get("/"), true},
	} {
		f := start(t, server.Manners(c.like, server.Config{Handler: h}))
		if got := f.exchange(t, c.request); strings.Contains(got, closeField) != c.want {
			t.Errorf("NetHTTP %v, %q: Connection: close is expected: %v; got %q", c.like, c.request, c.want, got)
		}
	}
}

// With net/http's behaviour a body left unread in full duplex ends the connection, and one that was read does not.
func TestABodyLeftInFullDuplexAsNetHTTP(t *testing.T) {
	f := start(t, server.Manners(true, server.Config{Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
		w.EnableFullDuplex()
		if string(r.Path()) == "/read" {
			r.Body()
		}
		w.WriteText("ok")
	})}))
	for _, body := range []string{"Content-Length: 3\r\n\r\nabc", chunkedField + "\r\n3\r\nabc\r\n0\r\n\r\n"} {
		k := f.talk(t)
		for range 2 {
			k.Send("POST /read HTTP/1.1\r\nHost: h\r\n" + body)
			k.WantUntil("\r\n\r\nok")
		}
		k.Send("POST /left HTTP/1.1\r\nHost: h\r\n" + body)
		k.WantUntil("\r\n\r\nok")
		k.WantEOF()
	}
}

// With net/http's behaviour four statuses have net/http's older reason phrases.
func TestOldWords(t *testing.T) {
	for path, want := range map[string]string{
		"/status?413": "413 Request Entity Too Large", "/status?414": "414 Request URI Too Long",
		"/status?416": "416 Requested Range Not Satisfiable", "/status?422": "422 Unprocessable Entity", "/status?404": "404 Not Found",
	} {
		f := start(t, server.Manners(true, server.Config{Handler: server.HandlerFunc(site)}))
		wantStatus(t, f.exchange(t, get(path)), want)
	}
}

// A failed TLS handshake is logged as a warning with net/http's behaviour, and otherwise at level debug.
func TestHandshakesThatFailAreLogged(t *testing.T) {
	cert, _ := devCert(t)
	for like, want := range map[bool]string{false: "level=DEBUG msg=\"server: TLS handshake failed\"", true: "level=WARN msg=\"TLS handshake error from 127.0.0.1:"} {
		j := new(journal)
		f := startTLS(t, server.Manners(like, server.Config{Logger: j.logger(), Handler: server.HandlerFunc(path),
			TLSConfig: &tls.Config{Certificates: []tls.Certificate{cert}}}), "", "")
		k := f.talk(t)
		k.Send("\x00\x01\x02\x03\x04\x05\x06\x07")
		io.Copy(io.Discard, k.Conn)
		eventually(t, "the log tells", func() bool { return strings.Contains(j.String(), want) })
		if f.Stats().BadRequests != 0 {
			t.Error("what is no request was counted as one")
		}
	}
}

// The response to plain HTTP on a TLS port arrives, although not all of the request was read.
func TestALongPlainRequestOnATLSPort(t *testing.T) {
	cert, _ := devCert(t)
	f := startTLS(t, server.Config{Handler: server.HandlerFunc(secure), TLSConfig: &tls.Config{Certificates: []tls.Certificate{cert}}}, "", "")
	k := f.talk(t)
	k.Send("GET / HTTP/1.1\r\nHost: h\r\nCookie: " + strings.Repeat("c", 60_000) + "\r\n\r\n")
	wantStatus(t, k.Rest(), "400 Bad Request")
	k.Close()
	if n := f.Stats().BadRequests; n != 1 {
		t.Errorf("BadRequests is %d, want 1", n)
	}
}

// One source of certificates is enough to serve TLS, and one of the two files is not.
func TestOneWayToACertificateIsEnough(t *testing.T) {
	cert, _ := devCert(t)
	for name, cfg := range map[string]*tls.Config{
		"Certificates":   {Certificates: []tls.Certificate{cert}, NextProtos: []string{"http/1.1"}},
		"GetCertificate": {GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return &cert, nil }},
		"GetConfigForClient": {GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
			return &tls.Config{Certificates: []tls.Certificate{cert}}, nil
		}},
	} {
		t.Run(name, func(t *testing.T) {
			f := startTLS(t, server.Config{Handler: server.HandlerFunc(secure), TLSConfig: cfg}, "", "")
			k := f.talkTLS(t, &tls.Config{InsecureSkipVerify: true, ServerName: "localhost"})
			k.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
			k.WantUntil("localhost  true 0 <nil>")
		})
	}
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	writeCert(t, certFile, keyFile)
	for name, files := range map[string][2]string{"no key": {certFile, ""}, "no certificate": {"", keyFile}} {
		l := listen(t)
		s := server.NewServer(server.Config{Handler: server.HandlerFunc(secure), TLSConfig: &tls.Config{Certificates: []tls.Certificate{cert}}})
		if err := s.ServeTLS(l, files[0], files[1]); err == nil || err == server.ErrServerClosed {
			t.Errorf("%s: %v", name, err)
		}
	}
	l := listen(t)
	if err := server.NewServer(server.Config{}).ServeTLS(l, certFile, keyFile); err == nil || err == server.ErrServerClosed {
		t.Errorf("without a handler: %v", err)
	}
	if _, err := l.Accept(); err == nil {
		t.Error("without a handler: the listener is open")
	}
}

// An invalid address is an error of both functions that listen.
func TestAddressesThatAreNone(t *testing.T) {
	cert, _ := devCert(t)
	s := server.NewServer(server.Config{Addr: "127.0.0.1:-1", Handler: server.HandlerFunc(path),
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{cert}}})
	if err := s.ListenAndServe(); err == nil || err == server.ErrServerClosed {
		t.Errorf("ListenAndServe: %v", err)
	}
	if err := s.ListenAndServeTLS("", ""); err == nil || err == server.ErrServerClosed {
		t.Errorf("ListenAndServeTLS: %v", err)
	}
}
