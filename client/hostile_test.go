package client_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/client"
)

// Malformed, endless and inconsistent responses end with a clear error and little memory, and are not taken for the next
// response.
func TestHostile(t *testing.T) {
	endless := func(begin, more string) func(p *peer) {
		return func(p *peer) {
			p.say(begin)
			more := strings.Repeat(more, 1+(64<<10)/len(more))
			for {
				if _, err := io.WriteString(p, more); err != nil {
					return
				}
			}
		}
	}
	say := func(s string) func(p *peer) { return func(p *peer) { p.say(s) } }
	const smuggled = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
	for name, tc := range map[string]struct {
		f    func(p *peer)
		want string // of the error
	}{
		"nothing":              {say(""), "EOF"},
		"another protocol":     {say("SSH-2.0-OpenSSH_9.9\r\n"), "HTTP"},
		"half a line":          {say("HTTP/1.1 2"), "EOF"},
		"half a head":          {say("HTTP/1.1 200 OK\r\nA: b\r\n"), "EOF"},
		"HTTP/2's":             {say("\x00\x00\x00\x04\x00\x00\x00\x00\x00"), "HTTP"},
		"version 3":            {say("HTTP/3.0 200 OK\r\n\r\n"), "ersion"},
		"status 99":            {say("HTTP/1.1 99 X\r\n\r\n"), "status"},
		"status 1000":          {say("HTTP/1.1 1000 X\r\n\r\n"), "status"},
		"no field":             {say("HTTP/1.1 200 OK\r\nnothing\r\n\r\n"), "field"},
		"folded":               {say("HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n"), "white space"},
		"bare LF":              {say("HTTP/1.1 200 OK\nA: b\n\n"), "line"},
		"NUL":                  {say("HTTP/1.1 200 OK\r\nA: \x00\r\n\r\n"), "value"},
		"endless line":         {endless("HTTP/1.1 200 ", "O"), "head"},
		"endless field":        {endless("HTTP/1.1 200 OK\r\nA: ", "b"), "head"},
		"endless fields":       {endless("HTTP/1.1 200 OK\r\n", "A: b\r\n"), "field"},
		"endless interim":      {endless("", "HTTP/1.1 102 X\r\n\r\n"), "informational"},
		"two lengths":          {say("HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nevil!"), "ength"},
		"negative length":      {say("HTTP/1.1 200 OK\r\nContent-Length: -4\r\n\r\nevil"), "ength"},
		"huge length":          {say("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\nevil"), "ength"},
		"length and chunks":    {say("HTTP/1.1 200 OK\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + smuggled), "ransfer"},
		"1 TiB":                {say("HTTP/1.1 200 OK\r\nContent-Length: 1099511627776\r\n\r\nevil"), "EOF"},
		"short":                {say("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nevil"), "EOF"},
		"unknown coding":       {say("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nevil"), "ransfer"},
		"chunk without end":    {say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nevil"), "EOF"},
		"chunk of 2^40":        {say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10000000000\r\nevil"), "EOF"},
		"chunk beyond 2^64":    {say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1000000000000000000000\r\nevil"), "chunk"},
		"bad chunk":            {say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nevil"), "chunk"},
		"longer chunk":         {say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nevil\r\n0\r\n\r\n"), "chunk"},
		"endless extension":    {endless("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;a=", "b"), "chunk"},
		"endless tiny chunks":  {endless("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1;aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\nx\r\n"), "chunk"},
		"endless trailer":      {endless("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", "A: b\r\n"), "field lines"},
		"endless body":         {endless("HTTP/1.1 200 OK\r\n\r\n", "evil"), "too large"},
		"endless chunks":       {endless("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "4\r\nevil\r\n"), "too large"},
		"101 without Upgrade":  {say("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nevil"), "101"},
		"redirects for ever":   {say("HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"), "redirect"},
		"redirect to nowhere":  {say("HTTP/1.1 302 Found\r\nLocation: http://\r\nContent-Length: 0\r\n\r\n"), "Location"},
		"redirect to a file":   {say("HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n"), "Location"},
		"redirect with a line": {say("HTTP/1.1 302 Found\r\nLocation: /%0d%0aX:%20y\x7f\r\nContent-Length: 0\r\n\r\n"), "value"},
	} {
		t.Run(name, func(t *testing.T) { // one after another, for the memory of each is measured
			url := converse(t, func(_ int, p *peer) {
				for h := p.head(); h != ""; h = p.head() {
					if strings.HasPrefix(h, "GET /good ") {
						p.say(ok("good"))
						continue
					}
					tc.f(p)
					return
				}
			})
			c := newClient(t, client.Config{MaxBodyBytes: 1 << 20})
			before := heap()
			for range 2 {
				if _, body, err := do(c, &client.Request{URL: url + "/good"}); body != "good" || err != nil {
					t.Errorf(`a good request: got %q, %v; want "good"`, body, err)
				}
				begun := time.Now()
				_, _, err := do(c, &client.Request{URL: url + "/bad"})
				var e *client.Error
				if !errors.As(err, &e) || !strings.Contains(err.Error(), tc.want) {
					t.Errorf("%v, want %q", err, tc.want)
				}
				if time.Since(begun) > 20*time.Second {
					t.Error("the attacks took more than 20 s")
				}
			}
			if grown := heap() - before; grown > 16<<20 {
				t.Errorf("%d MiB more", grown>>20)
			}
		})
	}
}

// Bytes that a server sends without a request are not taken for a response.
func TestUnasked(t *testing.T) {
	const evil = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
	for name, tail := range map[string]string{"response": evil, "byte": "H", "line": "\r\n"} {
		url := converse(t, func(n int, p *peer) {
			for h := p.head(); h != ""; h = p.head() {
				p.say(ok("good") + tail)
			}
		})
		c := newClient(t, client.Config{})
		for range 20 {
			if _, body, err := do(c, &client.Request{URL: url}); body != "good" || err != nil {
				t.Errorf(`%s: got %q, %v; want "good"`, name, body, err)
			}
		}
		if s := c.Stats(); s.OpenedConnections != 20 {
			t.Errorf("%s: got %+v", name, s)
		}
	}
	url := converse(t, func(n int, p *peer) {
		if n == 0 {
			p.say(evil)
		}
		for h := p.head(); h != ""; h = p.head() {
			p.say(ok("good"))
		}
	})
	c := newClient(t, client.Config{})
	if err := c.Warmup(1, url); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); c.Stats().OpenConnections > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("got %+v; want these figures to settle", c.Stats())
		}
	}
	if _, body, err := do(c, &client.Request{URL: url}); body != "good" || err != nil {
		t.Errorf(`got %q, %v; want "good"`, body, err)
	}
}

// The rest of a body is not taken for the next response.
func TestBodyLeft(t *testing.T) {
	each(t, func(t *testing.T, p client.Protocol) {
		long := strings.Repeat("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil", 20_000)
		url := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/long" {
				io.WriteString(w, long)
			} else {
				io.WriteString(w, "good")
			}
		})
		c := newClient(t, client.Config{Protocol: p})
		for i := range 30 {
			resp, err := c.Get(url + "/long")
			if err != nil {
				t.Fatal(err)
			}
			io.CopyN(io.Discard, resp.Body(), int64(i*1000))
			resp.Close()
			if _, body, err := do(c, &client.Request{URL: url}); body != "good" || err != nil {
				t.Errorf(`got %q, %v; want "good"`, body, err)
			}
		}
	})
}
