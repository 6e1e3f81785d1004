package httpread

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

const (
	get    = "GET /a HTTP/1.1\r\nHost: b\r\n\r\n"
	ok     = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
	early  = "HTTP/1.1 103 \r\nLink: <x>\r\n\r\n"
	behind = "and what comes behind"
)

// A request's head is read whole, in whatever pieces it arrives.
func TestRequestHead(t *testing.T) {
	for _, tc := range []struct {
		text, target string
		err          error
		rule         bool // a *http1.Error
	}{
		{text: get + behind, target: "/a"},
		{text: "\r\n" + get + behind, target: "/a"},
		{text: get + get, target: "/a"},
		{text: "", err: io.EOF},
		{text: get[:len(get)-1], err: io.ErrUnexpectedEOF},
		{text: "\r\n", err: io.ErrUnexpectedEOF},
		{text: "GET  / HTTP/1.1\r\n", rule: true},
	} {
		cuts(t, tc.text, func(c *Buffer) {
			var r http1.Request
			n, err := RequestHead(c, &r)
			var wrong *http1.Error
			switch {
			case tc.rule && errors.As(err, &wrong):
			case tc.rule || err != tc.err:
				t.Errorf("%q: %v", tc.text, err)
			case err == nil && (string(r.Target) != tc.target || string(c.Unread()[:n]) != tc.text[:n]):
				t.Errorf("%q: target %q, %q unread", tc.text, r.Target, c.Unread()[:n])
			case rest(t, c) != tc.text:
				t.Errorf("%q: bytes were taken", tc.text)
			}
		})
	}
}

// A response's head is read whole, in whatever pieces it arrives.
func TestResponseHead(t *testing.T) {
	for _, tc := range []struct {
		text, method string
		status       int
		left         string // head and what follows it
		err          error
		rule         bool // a *http1.Error
	}{
		{text: ok + behind, method: "GET", status: 200, left: ok + behind},
		{text: early + early + ok + behind, method: "GET", status: 200, left: ok + behind},
		{text: "HTTP/1.1 101 \r\n\r\n" + behind, method: "GET", status: 101, left: "HTTP/1.1 101 \r\n\r\n" + behind},
		{text: strings.Repeat(early, maxInterim) + ok, method: "GET", status: 200, left: ok},
		{text: strings.Repeat(early, maxInterim+1) + ok, method: "GET", err: ErrInterim},
		{text: "", method: "GET", err: io.ErrUnexpectedEOF},
		{text: early, method: "GET", err: io.ErrUnexpectedEOF},
		{text: ok[:len(ok)-1], method: "GET", err: io.ErrUnexpectedEOF},
		{text: early + "HTTP/1.1 20 OK\r\n", method: "GET", rule: true},
	} {
		cuts(t, tc.text, func(c *Buffer) {
			var r http1.Response
			n, err := ResponseHead(c, &r, tc.method)
			var wrong *http1.Error
			switch {
			case tc.rule && errors.As(err, &wrong):
			case tc.rule || err != tc.err || r.Status != tc.status && err == nil:
				t.Errorf("%q: %d, %v", tc.text, r.Status, err)
			case err != nil:
			case string(c.Unread()[:n]) != tc.left[:n] || rest(t, c) != tc.left:
				t.Errorf("%q: the unread bytes do not begin with the head", tc.text)
			}
		})
	}
}

// Whether a response has a body depends on the method of its request.
func TestResponseHeadOfMethod(t *testing.T) {
	for method, want := range map[string]http1.Delimiter{"GET": http1.ByLength, "HEAD": http1.NoBody, "CONNECT": http1.NoBody} {
		var r http1.Response
		c := received(t, "HTTP/1.1 200 \r\nContent-Length: 9\r\n\r\n", nil)
		if _, err := ResponseHead(c, &r, method); err != nil || r.Framing.Delimiter != want {
			t.Errorf("%s: %v, %v", method, r.Framing, err)
		}
	}
}

// Errors of the connection other than io.EOF are returned as they are.
func TestHeadFailsAsTheConnection(t *testing.T) {
	near, far := wiretest.Pipe(wiretest.Config{}, wiretest.Config{})
	far.Close()
	near.Close()
	c := NewBuffer(near, 1)
	_, want := near.Read(make([]byte, 1))
	if _, err := RequestHead(c, &http1.Request{}); err.Error() != want.Error() {
		t.Errorf("a request: %v, want %v", err, want)
	}
	if _, err := ResponseHead(c, &http1.Response{}, "GET"); err.Error() != want.Error() {
		t.Errorf("a response: %v, want %v", err, want)
	}
}

// However a head is cut into pieces, it gives the same fields and the same bytes after it.
func FuzzHead(f *testing.F) {
	for _, s := range []string{
		get + behind, get[:20], "HTTP/1.1 200 OK\r\n\r\nrest", "HTTP/1.0 404", "",
		"HTTP/1.1 100 \r\n\r\nHTTP/1.1 101 X\r\nUpgrade: a\r\n\r\n\x81\x00",
	} {
		f.Add(s, uint64(1))
	}
	request := func(c Conn) (string, error) {
		var r http1.Request
		n, err := RequestHead(c, &r)
		return string(r.Method) + string(r.Target) + string(c.Unread()[:n]) + string(r.Header.Bytes()), err
	}
	response := func(c Conn) (string, error) {
		var r http1.Response
		n, err := ResponseHead(c, &r, "GET")
		return string(r.Reason) + string(c.Unread()[:n]) + string(r.Header.Bytes()), err
	}
	f.Fuzz(func(t *testing.T, s string, seed uint64) {
		for _, read := range []func(Conn) (string, error){request, response} {
			said := func(split wiretest.Split) string {
				c := received(t, s, split)
				head, err := read(c)
				if err != nil {
					return err.Error()
				}
				return head + "|" + rest(t, c)
			}
			whole := said(nil)
			for _, split := range []wiretest.Split{wiretest.EveryByte, wiretest.Random(seed)} {
				if got := said(split); got != whole {
					t.Errorf("in pieces %q\n   whole %q", got, whole)
				}
			}
		}
	})
}
