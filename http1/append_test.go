package http1

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave"
)

// A status line has the standard phrase, or none, unless the given phrase is valid.
func TestStatusLines(t *testing.T) {
	for _, tc := range []struct {
		code         int
		reason, want string
	}{
		{200, "", "HTTP/1.1 200 OK\r\n"},
		{431, "", "HTTP/1.1 431 Request Header Fields Too Large\r\n"},
		{200, "Fine", "HTTP/1.1 200 Fine\r\n"},
		{299, "", "HTTP/1.1 299 \r\n"},
		{299, "Eh", "HTTP/1.1 299 Eh\r\n"},
		{999, "", "HTTP/1.1 999 \r\n"},
		{200, "a\r\nSet-Cookie: b", "HTTP/1.1 200 OK\r\n"},
		{299, "a\x00b", "HTTP/1.1 299 \r\n"},
	} {
		if got := string(AppendStatusLine(nil, tc.code, tc.reason)); got != tc.want {
			t.Errorf("%d %q: %q, want %q", tc.code, tc.reason, got, tc.want)
		}
	}
}

// Every code that net/http knows is known here; the phrases of some codes are newer here.
func TestStatusText(t *testing.T) {
	renamed := map[int]string{
		http.StatusRequestEntityTooLarge:        "Content Too Large",
		http.StatusRequestURITooLong:            "URI Too Long",
		http.StatusRequestedRangeNotSatisfiable: "Range Not Satisfiable",
		http.StatusUnprocessableEntity:          "Unprocessable Content",
		104:                                     "Upload Resumption Supported",
	}
	for code := -1; code < 1100; code++ {
		want := http.StatusText(code)
		if name, ok := renamed[code]; ok {
			want = name
		}
		if got := StatusText(code); got != want {
			t.Errorf("%d: %q, want %q", code, got, want)
		}
	}
}

// A status code outside 100 to 999 and a chunk without bytes panic.
func TestBadArgumentsPanic(t *testing.T) {
	for name, f := range map[string]func(){
		"status 99":   func() { AppendStatusLine(nil, 99, "") },
		"status 1000": func() { AppendStatusLine(nil, 1000, "") },
		"chunk 0":     func() { AppendChunkSize(nil, 0) },
		"chunk -1":    func() { AppendChunkSize(nil, -1) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		})
	}
}

// A value that would split a message is refused, and what was appended before it stays.
func TestNothingSplitsAMessage(t *testing.T) {
	const before = "before"
	for _, evil := range []string{"a\rb", "a\nb", "a\r\nb", "a\x00b", "a\x1fb", "a\x7fb", "\r\n", "b\n"} {
		if got, ok := AppendField([]byte(before), "Name", evil); ok || string(got) != before {
			t.Errorf("value %q: %q, %t", evil, got, ok)
		}
		if got, ok := AppendField([]byte(before), evil, "value"); ok || string(got) != before {
			t.Errorf("name %q: %q, %t", evil, got, ok)
		}
		if got, ok := AppendRequestLine([]byte(before), evil, "/"); ok || string(got) != before {
			t.Errorf("method %q: %q, %t", evil, got, ok)
		}
		if got, ok := AppendRequestLine([]byte(before), "GET", "/"+evil); ok || string(got) != before {
			t.Errorf("target %q: %q, %t", evil, got, ok)
		}
		var h shockwave.Header
		h.Add("Good", "value")
		h.Add("Bad", evil)
		if got, ok := AppendHeader([]byte(before), &h); ok || string(got) != before {
			t.Errorf("header with %q: %q, %t", evil, got, ok)
		}
		if got := string(AppendLastChunk(nil, &h)); got != "0\r\nGood: value\r\n\r\n" {
			t.Errorf("trailer with %q: %q", evil, got)
		}
	}
	for _, target := range []string{"", "/a b", "/a#b"} {
		if _, ok := AppendRequestLine(nil, "GET", target); ok {
			t.Errorf("target %q was written", target)
		}
	}
	for _, name := range []string{"", "a b", "a:", "caf\u00e9", "a\t"} {
		if _, ok := AppendField(nil, name, "v"); ok {
			t.Errorf("name %q was written", name)
		}
	}
}

// A message that is appended piece by piece is read back, without the trailer fields that are forbidden.
func TestWriteAMessage(t *testing.T) {
	b, _ := AppendRequestLine(nil, "POST", "/a?b")
	b, _ = AppendField(b, "Host", "x")
	b, _ = AppendField(b, "Transfer-Encoding", "chunked")
	b = append(b, "\r\n"...)
	b = append(AppendChunkSize(b, 26), "abcdefghijklmnopqrstuvwxyz\r\n"...)
	var trailer shockwave.Header
	trailer.Add("Content-Length", "9")
	trailer.Add("X-Sum", "z")
	b = AppendLastChunk(b, &trailer)
	if strings.Contains(string(b), "Content-Length") {
		t.Errorf("%q has a trailer that must not be one", b)
	}
	log := converse(&conversation{}, b, nil)
	want := []string{
		`request POST "/a?b" HTTP/1.1 origin path "/a" query "b" host "x" chunks`,
		`  Host: "x"`, `  Transfer-Encoding: "chunked"`,
		`data "abcdefghijklmnopqrstuvwxyz"`, `trailer`, `  X-Sum: "z"`, `end`,
	}
	if got := strings.Join(log, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("%q is read as\n%s", b, got)
	}
}

// An error names the broken rule, its RFC section and the side that broke it.
func TestErrorsTellWhoAndWhere(t *testing.T) {
	var r Request
	_, err := r.Parse([]byte("GET / HTTP/1.1\r\n\r\n"))
	var perr shockwave.ProtocolError
	if !errors.As(err, &perr) || perr.Blame() != shockwave.Peer || perr.Reference() != "RFC 9112 §3.2" {
		t.Errorf("%#v", err)
	}
	if want := "http1: missing required Host header (RFC 9112 §3.2)"; err.Error() != want {
		t.Errorf("%q, want %q", err, want)
	}
}
