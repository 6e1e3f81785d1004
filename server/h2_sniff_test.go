package server_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/server"
	"golang.org/x/net/http2"
)

// Where both protocols are spoken, bytes that are neither a request nor a preface end the connection without a response,
// and a malformed request gets one.
func TestNeither(t *testing.T) {
	const preface = "INVALID CONNECTION PREFACE\r\n\r\n"
	both, old := server.Config{}, server.Config{Protocols: speak((*http.Protocols).SetHTTP1)}
	for _, tc := range []struct {
		name, said string
		cfg        server.Config
		answered   bool
	}{
		{"a wrong preface", preface, both, false},
		{"the first line of a wrong preface", preface[:len(preface)-2], both, false},
		{"a wrong preface of other letters", "AZ ZA AZAZ\r\n\r\n", both, false},
		{"a byte after Z", "AZ Z[ AZAZ\r\n\r\n", both, true},
		{"a byte before A", "AZ Z@ AZAZ\r\n\r\n", both, true},
		{"a wrong preface, where only HTTP/1 is spoken", preface, old, true},
		{"a wrong preface on a connection that is used", "GET / HTTP/1.1\r\nHost: a\r\n\r\n" + preface, both, true},
		{"another version", "INVALID CONNECTION HTTP/3\r\n\r\n", both, true},
		{"another version in lower case", "INVALID CONNECTION http/1.1\r\n\r\n", both, true},
		{"no version", "INVALID /\r\n\r\n", both, true},
		{"a word for a version", "INVALID / PREFACE\r\n\r\n", both, true},
		{"a word for a version, and a host", "INVALID a:80 PREFACE\r\n\r\n", both, true},
		{"a status line", "HTTP/1.1 200 OK\r\n\r\n", both, true},
		{"words for a version and a target", "invalid connection preface\r\n\r\n", both, true},
		{"numbers", "INVALID CONNECTION 2\r\n\r\n", both, true},
		{"a long line", strings.Repeat("LONG", 15) + "EST ONE EVER\r\n\r\n", both, true},
		{"a line that is just not too long", strings.Repeat("LONG", 12) + "EST ONE EVER\r\n\r\n", both, false},
		{"a line of 63 bytes", strings.Repeat("LONG", 13) + "EST ONE EVER\r\n\r\n"[1:], both, false},
		{"a line of 64 bytes", strings.Repeat("LONG", 13) + "EST ONE EVER\r\n\r\n", both, true},
		{"an empty line before a request", "\r\nGET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", both, true},
		{"four words", "AN INVALID CONNECTION PREFACE\r\n\r\n", both, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.cfg.Handler = server.HandlerFunc(func(*server.ResponseWriter, *server.Request) {})
			f := start(t, tc.cfg)
			nc, err := net.Dial("tcp", f.addr)
			if err != nil {
				t.Fatal(err)
			}
			defer nc.Close()
			nc.SetDeadline(time.Now().Add(time.Minute))
			for i := range tc.said { // the input gives the same byte by byte as at once: see FuzzConversation
				io.WriteString(nc, tc.said[i:i+1])
			}
			b, err := io.ReadAll(nc)
			if err != nil && len(b) == 0 {
				t.Fatal(err)
			}
			if got := strings.HasPrefix(string(b), "HTTP/1.1 "); got != tc.answered || !got && len(b) > 0 {
				t.Errorf("%q", b)
			}
			if n := f.Stats().BadRequests; !tc.answered && n != 1 {
				t.Errorf("%d were refused", n)
			}
		})
	}
}

// HTTP/2 is recognized wherever its preface is split, and a part of the preface is not taken for a request.
func TestPrefaceInPieces(t *testing.T) {
	splits := map[string]wiretest.Split{"every byte": wiretest.EveryByte}
	for at := range int64(len(http2.ClientPreface) + 9) {
		splits[fmt.Sprint("behind byte ", at+1)] = wiretest.At(at + 1)
	}
	l := wiretest.Listen(wiretest.Config{}, wiretest.Config{})
	f := startOn(t, l, server.Config{Handler: server.HandlerFunc(h2Answers)})
	for name, split := range splits {
		t.Run(name, func(t *testing.T) {
			nc, err := l.DialConfig(wiretest.Config{Split: split}, wiretest.Config{})
			if err != nil {
				t.Fatal(err)
			}
			k := h2On(t, nc)
			k.get(1, "/hello")
			k.Want("HEADERS 1 200 content-length=5", `DATA 1 "hello" END`)
			nc.Close()
		})
	}
	if n := f.Stats().BadRequests; n != 0 {
		t.Errorf("%d were refused", n)
	}
}
