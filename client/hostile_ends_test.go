package client_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"runtime"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/http2"

	"github.com/shockwave-go/shockwave/client"
)

// whole is a response with everything that HTTP/1.1 allows, and whole2 one of HTTP/2, to the first request.
const whole = "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" +
	"4;x=y\r\ngood\r\n0\r\nX: y\r\n\r\n"

func whole2() string {
	var b bytes.Buffer
	f := http2.NewFramer(&b, nil)
	f.WriteSettings()
	f.WriteSettingsAck()
	f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: []byte("\x88"), EndHeaders: true})
	f.WriteData(1, false, []byte("good"))
	f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: []byte("\x00\x01x\x01y"), EndHeaders: true, EndStream: true})
	return b.String()
}

// asked waits until a request has arrived, in either version: its last bytes are known.
func asked(nc net.Conn, p client.Protocol) {
	if p == client.HTTP1 {
		for b, got := make([]byte, 1), ""; !strings.HasSuffix(got, "\r\n\r\n"); got += string(b) {
			if _, err := nc.Read(b); err != nil {
				return
			}
		}
		return
	}
	io.ReadFull(nc, make([]byte, len(http2.ClientPreface)))
	for f := http2.NewFramer(io.Discard, nc); ; {
		switch fr, err := f.ReadFrame(); {
		case err != nil:
			return
		case fr.Header().Type == http2.FrameHeaders:
			return
		}
	}
}

// A response that ends at any byte, in good order, with a reset or in silence, is an error, and the next request gets its own
// response.
func TestEndsAtEveryByte(t *testing.T) {
	t.Parallel()
	for p, text := range map[client.Protocol]string{client.HTTP1: whole, client.HTTP2: whole2()} {
		for _, how := range []string{"end", "reset", "silence"} {
			t.Run(map[client.Protocol]string{client.HTTP1: "HTTP1", client.HTTP2: "HTTP2"}[p]+" "+how, func(t *testing.T) {
				var all sync.WaitGroup
				for n := range len(text) {
					said := make(chan bool)
					url := script(t, func(i int, nc net.Conn) {
						asked(nc, p)
						if i > 0 {
							io.WriteString(nc, text)
							io.Copy(io.Discard, nc)
							return
						}
						io.WriteString(nc, text[:n])
						close(said)
						switch how {
						case "silence":
							io.Copy(io.Discard, nc)
						case "reset":
							nc.(*net.TCPConn).SetLinger(0)
						}
					})
					c := newClient(t, client.Config{Protocol: p})
					all.Go(func() { endsAt(t, c, url, said, how == "silence", n) })
				}
				all.Wait()
			})
		}
	}
}

// endsAt ends the response to the first request at byte n; if it ends in silence the client gives it up.
func endsAt(t *testing.T, c *client.Client, url string, said <-chan bool, silence bool, n int) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if silence {
		go func() { <-said; cancel() }()
	}
	body := ""
	resp, err := c.Do(ctx, &client.Request{URL: url})
	if err == nil {
		var b []byte
		b, err = resp.AppendBody(nil)
		body = string(b)
		resp.Close()
	}
	var e *client.Error
	if !errors.As(err, &e) || e.Timeout() || errors.Is(err, context.Canceled) != silence {
		t.Errorf("after %d bytes: got %q, %v", n, body, err)
	}
	c.CloseIdle() // of HTTP/2 a connection stays
	if _, body, err := do(c, &client.Request{URL: url}); body != "good" || err != nil {
		t.Errorf(`after %d bytes, and another request: got %q, %v; want "good"`, n, body, err)
	}
}

// Bytes after a response without a body are not taken for the next response (RFC 9112 §6.3).
func TestBodiesThatAreNone(t *testing.T) {
	const evil = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
	for method, head := range map[string]string{
		"HEAD":   "HTTP/1.1 200 OK\r\nContent-Length: 43\r\n\r\n",
		"GET":    "HTTP/1.1 304 Not Modified\r\nContent-Length: 43\r\n\r\n",
		"PUT":    "HTTP/1.1 204 No Content\r\nContent-Length: 43\r\n\r\n",
		"DELETE": "HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n",
	} {
		url := converse(t, func(n int, p *peer) {
			for h := p.head(); h != ""; h = p.head() {
				if strings.Contains(h, " /bad ") {
					p.say(head + evil)
				} else {
					p.say(ok("good"))
				}
			}
		})
		c := newClient(t, client.Config{})
		for range 5 {
			_, body, err := do(c, &client.Request{Method: method, URL: url + "/bad"})
			if body != "" || err != nil && !strings.Contains(err.Error(), "http1: ") {
				t.Errorf("%s: got %q, %v", method, body, err)
			}
			if _, body, err := do(c, &client.Request{URL: url + "/good"}); body != "good" || err != nil {
				t.Errorf(`%s: got %q, %v; want "good"`, method, body, err)
			}
		}
	}
}

// Cookies that a server sets redirect by redirect go to no other host.
func TestCookieBomb(t *testing.T) {
	cookies := ""
	for range 190 {
		cookies += "Set-Cookie: a" + strings.Repeat("b", 250) + "=c\r\n"
	}
	bomb := converse(t, func(n int, p *peer) {
		for h := p.head(); h != ""; h = p.head() {
			p.say("HTTP/1.1 302 Found\r\nLocation: /" + strings.Repeat("x", n) + "\r\nContent-Length: 0\r\n" + cookies + "\r\n")
		}
	})
	good := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if len(r.Cookies()) > 0 {
			t.Error("cookies were sent to another host")
		}
		io.WriteString(w, "good")
	})
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	c := newClient(t, client.Config{Jar: jar})
	before := heap()
	if _, _, err := do(c, &client.Request{URL: bomb}); err == nil || !strings.Contains(err.Error(), "redirect") {
		t.Error(err)
	}
	if grown := heap() - before; grown > 4<<20 {
		t.Errorf("%d KiB more", grown>>10)
	}
	good = strings.Replace(good, "127.0.0.1", "localhost", 1)
	if _, body, err := do(c, &client.Request{URL: good}); body != "good" || err != nil {
		t.Errorf(`got %q, %v; want "good"`, body, err)
	}
}

// heap returns how much memory is in use.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
