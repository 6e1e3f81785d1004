package websocket

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/websocket/internal/handshake"
)

// A response that is malformed or ends too soon fails the Dial.
func TestDialBrokenAnswer(t *testing.T) {
	var broken *http1.Error
	for name, response := range map[string]string{
		"no HTTP":      "SSH-2.0-OpenSSH_9\r\n\r\n",
		"a bare LF":    "HTTP/1.1 101 Switching Protocols\nUpgrade: websocket\n\n",
		"a split name": "HTTP/1.1 101 Switching Protocols\r\nUpgrade : websocket\r\n\r\n",
		"too long":     "HTTP/1.1 101 Switching Protocols\r\nA: " + strings.Repeat("a", 65<<10),
	} {
		k := begin(t.Context(), t, "ws://example.com/", Config{}, nil)
		k.request()
		k.Send(response[:min(len(response), 64<<10)])
		if c, resp, err := k.result(); c != nil || resp != nil || !errors.As(err, &broken) {
			t.Errorf("%s: got %v, %v, %v", name, c, resp, err)
		}
		k.WantGone()
	}
	for _, response := range []string{"", "HTTP/1.1 101 Switching Protocols\r\nUpgrade"} {
		k := begin(t.Context(), t, "ws://example.com/", Config{}, nil)
		k.request()
		k.Send(response)
		k.HalfClose()
		if c, resp, err := k.result(); c != nil || resp != nil || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%q: got %v, %v, %v", response, c, resp, err)
		}
	}
}

// The body of a refusal is returned, up to 1 KiB.
func TestDialRefusal(t *testing.T) {
	long := strings.Repeat("a long story. ", 200)
	for name, tc := range map[string]struct {
		response string
		length   int64
		want     string
	}{
		"by length":  {"HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic\r\nContent-Length: 8\r\n\r\nwho? me?, and more", 8, "who? me?"},
		"by chunks":  {"HTTP/1.1 403 \r\nTransfer-Encoding: chunked\r\n\r\n3\r\nnot\r\n5;x\r\n here\r\n0\r\n\r\n", -1, "not here"},
		"by close":   {"HTTP/1.0 503 Busy\r\n\r\nlater", -1, "later"},
		"long":       {"HTTP/1.1 500 Oh\r\nContent-Length: 2800\r\n\r\n" + long, 2800, long[:1024]},
		"cut off":    {"HTTP/1.1 500 Oh\r\nContent-Length: 20\r\n\r\nbut", 20, "but"},
		"bad chunks": {"HTTP/1.1 500 Oh\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nnot\r\nzz\r\n", -1, "not"},
		"without":    {"HTTP/1.1 204 No Content\r\n\r\n", 0, ""},
		"a redirect": {"HTTP/1.1 302 Found\r\nLocation: ws://other/\r\nContent-Length: 0\r\n\r\n", 0, ""},
	} {
		for cut, split := range map[string]wiretest.Split{"whole": nil, "bytes": wiretest.EveryByte} {
			t.Run(name+"/"+cut, func(t *testing.T) {
				k := begin(t.Context(), t, "ws://example.com/", Config{}, split)
				k.request()
				k.Send(tc.response)
				k.HalfClose()
				c, resp, err := k.result()
				var he *HandshakeError
				if c != nil || !errors.As(err, &he) || he.Status != resp.StatusCode {
					t.Fatalf("got %v, %v, %v", c, resp, err)
				}
				if body, err := io.ReadAll(resp.Body); string(body) != tc.want || err != nil || resp.ContentLength != tc.length {
					t.Errorf("got %d bytes: %q, %v", resp.ContentLength, body, err)
				}
				k.WantGone()
			})
		}
	}
}

// Dial waits at most a second for the body of a refusal.
func TestDialEndlessRefusal(t *testing.T) {
	t.Parallel()
	k := begin(t.Context(), t, "ws://example.com/", Config{}, nil)
	k.request()
	k.Send("HTTP/1.1 403 Forbidden\r\n\r\nno")
	_, resp, err := k.result()
	var he *HandshakeError
	if !errors.As(err, &he) {
		t.Fatal(err)
	}
	if body, _ := io.ReadAll(resp.Body); string(body) != "no" {
		t.Errorf("got %q", body)
	}
	k.WantGone()
}

// A response that Dial accepts is an upgrade for net/http, too.
func FuzzAnswer(f *testing.F) {
	const key = "dGhlIHNhbXBsZSBub25jZQ=="
	f.Add(response101(handshake.AcceptKey(key)), false)
	f.Add(response101(handshake.AcceptKey(key), "Sec-WebSocket-Protocol: chat", "Sec-WebSocket-Extensions: permessage-deflate"), true)
	f.Add("HTTP/1.1 403 Forbidden\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nno\r\n0\r\n\r\n", false)
	f.Fuzz(func(t *testing.T, sent string, compress bool) {
		cfg := Config{Subprotocols: []string{"chat"}}
		if compress {
			cfg.Compression = ContextTakeover
		}
		req := &http.Request{Host: "example.com", Header: http.Header{}}
		p, err := cfg.settings().propose(req)
		if err != nil {
			t.Fatal(err)
		}
		p.SetFields(req.Header)
		//lint:ignore SA1008 the field is set in this spelling, as RFC 6455 writes it
		accept := handshake.AcceptKey(req.Header["Sec-WebSocket-Key"][0])
		sent = strings.ReplaceAll(sent, handshake.AcceptKey(key), accept)
		near, far := wiretest.Pipe(wiretest.Config{Buffer: len(sent) + 1}, wiretest.Config{})
		defer near.Close()
		io.WriteString(far, sent)
		far.CloseWrite()
		r, rest, err := exchange(near, nil)
		if err != nil {
			return
		}
		resp := response(r, &http.Request{}, near)
		a, refused := p.CheckResponse(resp)
		if refused != nil {
			body, err := io.ReadAll(refusalBody(near, r, rest))
			if len(body) > maxRefusalBody || err != nil || refused.Status != resp.StatusCode {
				t.Errorf("got %d bytes, %v, %v", len(body), err, refused)
			}
			return
		}
		h := resp.Header
		if resp.StatusCode != 101 || !strings.EqualFold(h.Get("Upgrade"), "websocket") || h.Get("Sec-Websocket-Accept") != accept ||
			h.Get("Sec-Websocket-Protocol") != a.Subprotocol || (h["Sec-Websocket-Extensions"] != nil) != (a.Deflate != nil) {
			t.Errorf("accepted %q", sent)
		}
	})
}
