package client_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/shockwave-go/shockwave/client"
)

const encodings = "Accept-Encoding: gzip, br, zstd"

// The head of a request has exactly these bytes.
func TestRequestHead(t *testing.T) {
	heads := make(chan string, 1)
	url := converse(t, func(_ int, p *peer) {
		for h := p.head(); h != ""; h = p.head() {
			heads <- h
			if strings.Contains(h, "Content-Length: 4") {
				p.body(4)
			}
			if p.say(ok("")); strings.Contains(h, "close") {
				return
			}
		}
	})
	c := newClient(t, client.Config{})
	host := strings.TrimPrefix(url, "http://")
	for _, tc := range []struct {
		name string
		req  client.Request
		want []string
	}{
		{"least", client.Request{URL: url}, []string{"GET / HTTP/1.1", "Host: " + host, "User-Agent: shockwave", encodings}},
		{"query", client.Request{URL: url + "?a=b#c"}, []string{"GET /?a=b HTTP/1.1", "Host: " + host, "User-Agent: shockwave", encodings}},
		{"own", client.Request{Method: "PURGE", URL: url + "/x%20y", Host: "other:1", Header: fields("b", "1", "A", "", "b", "2 3", "User-Agent", "me")},
			[]string{"PURGE /x%20y HTTP/1.1", "Host: other:1", "b: 1", "A: ", "b: 2 3", "User-Agent: me", encodings}},
		{"body", client.Request{Method: "POST", URL: url, Body: []byte("body"), Header: fields("Content-Length", "4")},
			[]string{"POST / HTTP/1.1", "Host: " + host, "User-Agent: shockwave", "Content-Length: 4", encodings}},
		{"no body", client.Request{Method: "PUT", URL: url}, []string{"PUT / HTTP/1.1", "Host: " + host, "User-Agent: shockwave", "Content-Length: 0", encodings}},
		{"head", client.Request{Method: "HEAD", URL: url}, []string{"HEAD / HTTP/1.1", "Host: " + host, "User-Agent: shockwave"}},
		{"range", client.Request{URL: url, Header: fields("Range", "bytes=1-2")}, []string{"GET / HTTP/1.1", "Host: " + host, "User-Agent: shockwave", "Range: bytes=1-2"}},
		{"coding", client.Request{URL: url, Header: fields("accept-encoding", "br", "user-agent", "")}, []string{"GET / HTTP/1.1", "Host: " + host, "accept-encoding: br"}},
		{"user", client.Request{URL: "http://us%40er:pass@" + host}, []string{"GET / HTTP/1.1", "Host: " + host, "User-Agent: shockwave", encodings, "Authorization: Basic dXNAZXI6cGFzcw=="}},
		{"user and own", client.Request{URL: "http://us%40er:pass@" + host, Header: fields("Authorization", "x")}, []string{"GET / HTTP/1.1", "Host: " + host, "User-Agent: shockwave", "Authorization: x", encodings}},
		{"cookies", client.Request{URL: url, Header: fields("Cookie", "a=b", "Cookie", "c=d; e=f")}, []string{"GET / HTTP/1.1", "Host: " + host, "User-Agent: shockwave", encodings, "Cookie: a=b; c=d; e=f"}},
		{"te", client.Request{URL: url, Header: fields("TE", "trailers", "Connection", "keep-alive")}, []string{"GET / HTTP/1.1", "Host: " + host, "User-Agent: shockwave", "Connection: TE", "TE: trailers", encodings}},
		{"close and te", client.Request{URL: url, Header: fields("TE", "trailers", "Connection", "x, close"[3:])}, []string{"GET / HTTP/1.1", "Host: " + host, "User-Agent: shockwave", "Connection: close, TE", "TE: trailers", encodings}},
		{"close", client.Request{URL: url, Close: true}, []string{"GET / HTTP/1.1", "Host: " + host, "User-Agent: shockwave", "Connection: close", encodings}},
		{"expect nothing", client.Request{URL: url, ExpectContinue: true}, []string{"GET / HTTP/1.1", "Host: " + host, "User-Agent: shockwave", encodings}},
	} {
		if _, _, err := do(c, &tc.req); err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		if got, want := <-heads, crlf(tc.want...); got != want {
			t.Errorf("%s:\n got %q\nwant %q", tc.name, got, want)
		}
	}
}

// Invalid requests are refused before anything is sent, and their streams are closed.
func TestRequestRefused(t *testing.T) {
	c := newClient(t, client.Config{NetDial: noDial(t)})
	for name, req := range map[string]*client.Request{
		"method":              {Method: "GET /x HTTP/1.1\r\nX: y", URL: "http://a"},
		"method with a space": {Method: "G T", URL: "http://a"},
		"CONNECT":             {Method: "CONNECT", URL: "http://a:1"},
		"URL":                 {URL: "http://a/ b"},
		"no URL":              {},
		"host":                {URL: "http://a", Host: "a b"},
		"host with a line":    {URL: "http://a", Host: "a\r\nX: y"},
		"host with a path":    {URL: "http://a", Host: "a/b"},
		"name":                {URL: "http://a", Header: fields("a b", "c")},
		"empty name":          {URL: "http://a", Header: fields("", "c")},
		"name with a line":    {URL: "http://a", Header: fields("A\r\nB", "c")},
		"name with a colon":   {URL: "http://a", Header: fields("A:", "c")},
		"value with CRLF":     {URL: "http://a", Header: fields("A", "b\r\nC: d")},
		"value with LF":       {URL: "http://a", Header: fields("A", "b\nC: d")},
		"value with CR":       {URL: "http://a", Header: fields("A", "b\r")},
		"value with NUL":      {URL: "http://a", Header: fields("A", "b\x00")},
		"agent with a line":   {URL: "http://a", Header: fields("User-Agent", "b\r\nC: d")},
		"Host":                {URL: "http://a", Header: fields("Host", "a")},
		"Transfer-Encoding":   {URL: "http://a", Header: fields("transfer-encoding", "chunked")},
		"Content-Length":      {URL: "http://a", Header: fields("Content-Length", "1")},
		"two lengths":         {URL: "http://a", Body: []byte("x"), Header: fields("Content-Length", "1", "Content-Length", "1")},
		"two zeros":           {URL: "http://a", Body: []byte{}, Stream: strings.NewReader(""), Header: fields("Content-Length", "0", "Content-Length", "0")},
		"length of nothing":   {URL: "http://a", Body: []byte("x"), Header: fields("Content-Length", "")},
		"length with a sign":  {URL: "http://a", Body: []byte("x"), Header: fields("Content-Length", "+1")},
		"length of chunks":    {URL: "http://a", Stream: io.MultiReader(), Header: fields("Content-Length", "1")},
		"Connection":          {URL: "http://a", Header: fields("Connection", "close, X")},
		"Upgrade":             {URL: "http://a", Header: fields("Upgrade", "websocket")},
		"Keep-Alive":          {URL: "http://a", Header: fields("Keep-Alive", "1")},
		"HTTP2-Settings":      {URL: "http://a", Header: fields("HTTP2-Settings", "")},
		"Proxy-Connection":    {URL: "http://a", Header: fields("Proxy-Connection", "close")},
		"Proxy-Authorization": {URL: "http://a", Header: fields("Proxy-Authorization", "x")},
		"Trailer":             {URL: "http://a", Header: fields("Trailer", "X")},
		"TE":                  {URL: "http://a", Header: fields("TE", "gzip")},
		"Expect":              {URL: "http://a", Header: fields("Expect", "200-ok")},
		"trailer's name":      {URL: "http://a", Body: []byte("x"), Trailer: fields("a b", "")},
		"trailer's value":     {URL: "http://a", Body: []byte("x"), Trailer: fields("A", "\n")},
		"framing as trailer":  {URL: "http://a", Body: []byte("x"), Trailer: fields("content-length", "1")},
	} {
		stream := &closing{Reader: strings.NewReader("x")}
		if req.Body == nil && req.Stream == nil {
			req.Stream = stream
		}
		if name == "Content-Length" {
			req.StreamLength = 2
		}
		resp, err := c.Do(context.Background(), req)
		var e *client.Error
		if resp != nil || !errors.Is(err, client.ErrRequest) || !errors.As(err, &e) || e.Timeout() {
			t.Errorf("%s: %v", name, err)
		}
		if req.Stream == stream && !stream.closed.Load() {
			t.Errorf("%s: the stream is not closed", name)
		}
	}
	if s := c.Stats(); s.OpenedConnections != 0 || s.Failures != s.Requests {
		t.Errorf("got %+v; want OpenedConnections 0, Failures %v", s, s.Requests)
	}
}

// closing is a reader that records whether it has been closed.
type closing struct {
	io.Reader
	closed atomic.Bool
}

func (c *closing) Close() error { c.closed.Store(true); return nil }

// Errors contain neither passwords nor values of fields.
func TestErrorSaysNoSecrets(t *testing.T) {
	c := newClient(t, client.Config{NetDial: noDial(t)})
	req := &client.Request{Method: "DELETE", URL: "http://user:secret@a/p?q#f", Header: fields("Authorization", "secret\n")}
	_, err := c.Do(context.Background(), req)
	if got := err.Error(); strings.Contains(got, "secret") || strings.Contains(got, "user") || !strings.HasPrefix(got, `Delete "http://a/p?q": `) {
		t.Error(got)
	}
	if _, err := c.Get("//user:secret@a/p"); err == nil || !strings.HasPrefix(err.Error(), `Get "//a/p": `) {
		t.Error(err) // which could not be taken apart
	}
}

// Bodies of every kind arrive, with a length where it is known.
func TestRequestBodies(t *testing.T) {
	got := make(chan string, 1)
	url := converse(t, func(_ int, p *peer) {
		for h := p.head(); h != ""; h = p.head() {
			switch {
			case strings.Contains(h, "Transfer-Encoding: chunked"):
				got <- "chunked " + p.chunks()
			case strings.Contains(h, "Content-Length: 5"):
				got <- "length " + p.body(5)
			case strings.Contains(h, "Content-Length: 0"):
				got <- "empty"
			default:
				got <- "none"
			}
			p.say(ok("done"))
		}
	})
	c := newClient(t, client.Config{})
	trailer := fields("X-Sum", "1")
	for name, tc := range map[string]struct {
		req  client.Request
		want string
	}{
		"bytes":              {client.Request{Body: []byte("hello")}, "length hello"},
		"strings.Reader":     {client.Request{Stream: strings.NewReader("hello")}, "length hello"},
		"bytes.Reader":       {client.Request{Stream: bytes.NewReader([]byte("hello"))}, "length hello"},
		"bytes.Buffer":       {client.Request{Stream: bytes.NewBufferString("hello")}, "length hello"},
		"empty reader":       {client.Request{Stream: strings.NewReader("")}, "empty"},
		"length":             {client.Request{Stream: io.MultiReader(strings.NewReader("hello")), StreamLength: 5}, "length hello"},
		"unknown":            {client.Request{Stream: io.MultiReader(strings.NewReader("hello"))}, "chunked 5\r\nhello\r\n0\r\n\r\n"},
		"unknown and empty":  {client.Request{Stream: io.MultiReader()}, "chunked 0\r\n\r\n"},
		"bytes and trailer":  {client.Request{Body: []byte("hello"), Trailer: trailer}, "chunked 5\r\nhello\r\n0\r\nX-Sum: 1\r\n\r\n"},
		"stream and trailer": {client.Request{Stream: strings.NewReader("hello"), Trailer: trailer}, "chunked 5\r\nhello\r\n0\r\nX-Sum: 1\r\n\r\n"},
		"only a trailer":     {client.Request{Trailer: trailer}, "chunked 0\r\nX-Sum: 1\r\n\r\n"},
		"none":               {client.Request{}, "empty"},
	} {
		tc.req.Method, tc.req.URL = "POST", url
		if status, body, err := do(c, &tc.req); status != 200 || body != "done" || err != nil {
			t.Errorf("%s: got %d, %q, %v", name, status, body, err)
			continue
		}
		if g := <-got; g != tc.want {
			t.Errorf("%s: %q, want %q", name, g, tc.want)
		}
	}
	// A connection may come back while another is dialled in its place: then there is one more.
	if s := c.Stats(); s.Requests != 12 || s.Reused+s.OpenedConnections < 12 || s.Reused == 0 {
		t.Errorf("got %+v; want 12 requests, some on reused connections", s)
	}
}

// A stream that does not have its declared length is an error, and the server does not take it for complete.
func TestBodyLies(t *testing.T) {
	url := converse(t, func(_ int, p *peer) {
		p.head()
		if got := p.body(6); got == "hellos" {
			t.Errorf("the server got %q", got)
		}
		p.rest()
	})
	c := newClient(t, client.Config{})
	for name, text := range map[string]string{"short": "hell", "long": "hellos"} {
		req := &client.Request{Method: "POST", URL: url, Stream: io.MultiReader(strings.NewReader(text)), StreamLength: 5}
		_, _, err := do(c, req)
		if err == nil || !strings.Contains(err.Error(), "ength") {
			t.Errorf("%s: %v", name, err)
		}
	}
	boom := errors.New("boom")
	req := &client.Request{Method: "POST", URL: url, Stream: io.MultiReader(strings.NewReader("hell"), failing{boom})}
	if _, _, err := do(c, req); !errors.Is(err, boom) {
		t.Error(err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// Reset keeps little memory, and releases much.
func TestRequestReset(t *testing.T) {
	for _, size := range []int{1 << 10, 1 << 20} {
		var req client.Request
		req.Header.Set("A", strings.Repeat("x", size))
		req.Trailer.Set("A", strings.Repeat("x", size))
		req.Reset()
		for name, h := range map[string]*client.Header{"header": &req.Header, "trailer": &req.Trailer} {
			if kept := cap(h.Bytes()); h.Len() != 0 || (kept == 0) != (size > 4<<10) {
				t.Errorf("of a %s of %d bytes %d are kept", name, size, kept)
			}
		}
	}
}
