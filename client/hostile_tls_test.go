package client_test

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/client"
)

// record returns a record of TLS (RFC 8446 §5.1).
func record(kind byte, body string) string {
	return string([]byte{kind, 3, 3, byte(len(body) >> 8), byte(len(body))}) + body
}

// mostOpened is the most connections of HTTP/2 that a request tries if they end before it begins.
const mostOpened = 5

// A TLS handshake that fails, never ends or ends too early is an error in time, and the next connection works.
func TestHostileTLS(t *testing.T) {
	s := httptest.NewTLSServer(nil)
	defer s.Close()
	config := func(protocol string) *tls.Config {
		return &tls.Config{Certificates: s.TLS.Certificates, NextProtos: []string{protocol}}
	}
	say := func(text string) func(net.Conn) {
		return func(nc net.Conn) { io.WriteString(nc, text); io.Copy(io.Discard, nc) }
	}
	endless := func(begin, more string) func(net.Conn) {
		return func(nc net.Conn) {
			io.WriteString(nc, begin)
			for {
				if _, err := io.WriteString(nc, more); err != nil {
					return
				}
			}
		}
	}
	drip := func(nc net.Conn) {
		for _, err := io.WriteString(nc, record(22, "\x02\x00\x40\x00")); err == nil; _, err = io.WriteString(nc, record(22, "x")) {
			time.Sleep(10 * time.Millisecond)
		}
	}
	// inside is what a server says that has shaken hands and seen a request.
	inside := func(protocol, text string, then func(nc net.Conn, tc *tls.Conn)) func(net.Conn) {
		return func(nc net.Conn) {
			tc := tls.Server(nc, config(protocol))
			tc.Read(make([]byte, 4096))
			io.WriteString(tc, text)
			then(nc, tc)
		}
	}
	rest := func(_ net.Conn, tc *tls.Conn) { io.Copy(io.Discard, tc) }
	for name, tc := range map[string]struct {
		f    func(nc net.Conn)
		want string
	}{
		"garbage":                 {say("\x00\x01\x02\x03\x04\x05\x06\x07"), "tls: "},
		"HTTP":                    {say("HTTP/1.1 400 Bad Request\r\n\r\n"), "tls: "},
		"end":                     {func(nc net.Conn) { nc.Read(make([]byte, 4096)) }, "EOF"},
		"reset":                   {func(nc net.Conn) { nc.Read(make([]byte, 10)); nc.(*net.TCPConn).SetLinger(0) }, "reset"},
		"silence":                 {say(""), "handshake"},
		"by the byte":             {drip, "handshake"},
		"half a record":           {say("\x16\x03\x03\x40"), "handshake"},
		"an alert":                {say(record(21, "\x02\x28")), "tls: "},
		"endless alerts":          {endless("", record(21, "\x01\x00")), ""},
		"empty records":           {endless("", record(22, "")), "tls: "},
		"a message of 16 MiB":     {endless(record(22, "\x02\xff\xff\xff"), record(22, strings.Repeat("x", 1<<14))), "tls: "},
		"a record of 64 KiB":      {say("\x16\x03\x03\xff\xff" + strings.Repeat("x", 1<<16)), "tls: "},
		"garbage inside":          {inside("http/1.1", "", func(nc net.Conn, _ *tls.Conn) { say(record(23, strings.Repeat("x", 50)))(nc) }), "tls: "},
		"cut in a body":           {inside("http/1.1", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nevil", func(nc net.Conn, _ *tls.Conn) { nc.Close() }), "EOF"},
		"cut, and none the wiser": {inside("http/1.1", "HTTP/1.1 200 OK\r\n\r\nevil", func(nc net.Conn, _ *tls.Conn) { nc.Close() }), "EOF"},
		"HTTP/1.1 instead of 2":   {inside("h2", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil", rest), "connection error: "},
		"HTTP/2 instead of 1.1":   {inside("http/1.1", "\x00\x00\x00\x04\x00\x00\x00\x00\x00", rest), "http1: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := strings.Replace(script(t, func(n int, nc net.Conn) {
				if n == 0 || n < mostOpened && name == "HTTP/1.1 instead of 2" {
					tc.f(nc)
					return
				}
				good := tls.Server(nc, config("http/1.1"))
				for p := (&peer{good, bufio.NewReader(good)}); p.head() != ""; {
					p.say(ok("good"))
				}
			}), "http:", "https:", 1)
			cfg := client.Config{TLSConfig: &tls.Config{InsecureSkipVerify: true}, HeadTimeout: 10 * time.Second, BodyTimeout: 10 * time.Second}
			if tc.want == "handshake" {
				cfg.TLSHandshakeTimeout = 300 * time.Millisecond
			}
			c := newClient(t, cfg)
			begun := time.Now()
			_, body, err := do(c, &client.Request{URL: url})
			var e *client.Error
			if !errors.As(err, &e) || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("%q, %v, want %q", body, err, tc.want)
			}
			if took := time.Since(begun); took > 5*time.Second {
				t.Errorf("that took %v", took)
			}
			for range 20 {
				if _, body, err = do(c, &client.Request{URL: url}); err == nil || !e.Timeout() && tc.want != "connection error: " {
					break // a machine that is too busy may take longer than that for the good one, too
				}
			}
			if body != "good" || err != nil {
				t.Errorf(`after it: got %q, %v; want "good"`, body, err)
			}
		})
	}
}

// A body that ends with the connection is whole only if TLS has ended in good order (RFC 9112 §9.8).
func TestEndInTLS(t *testing.T) {
	s := httptest.NewTLSServer(nil)
	defer s.Close()
	long := bytes.Repeat([]byte("good"), 30_000)
	url := strings.Replace(script(t, func(n int, nc net.Conn) {
		tc := tls.Server(nc, &tls.Config{Certificates: s.TLS.Certificates})
		tc.Read(make([]byte, 4096))
		io.WriteString(tc, "HTTP/1.1 200 OK\r\n\r\n")
		tc.Write(long)
		tc.Close()
	}), "http:", "https:", 1)
	c := newClient(t, client.Config{TLSConfig: &tls.Config{InsecureSkipVerify: true}})
	if _, body, err := do(c, &client.Request{URL: url}); body != string(long) || err != nil {
		t.Errorf("got %d bytes, %v", len(body), err)
	}
}
