package websocket

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// opens is the request of RFC 6455 §1.2, with further fields.
func opens(fields ...string) string {
	return "GET /chat HTTP/1.1\r\nHost: server.example.com\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n" +
		"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n" + strings.Join(fields, "\r\n") +
		strings.Repeat("\r\n", min(len(fields), 1)) + "\r\n"
}

// acceptServer is net/http's server, on which every request is accepted with cfg and echoed.
func acceptServer(t *testing.T, cfg Config) func() *wiretest.Talk {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Session", "abc")
		c, err := Accept(w, r, cfg)
		if err != nil {
			var he *HandshakeError
			if !errors.As(err, &he) {
				t.Errorf("Accept: %v, want a HandshakeError", err)
			}
			return
		}
		defer c.CloseNow()
		for m, err := range c.Messages() {
			if err != nil || c.WriteMessage(m.Type, m.Data) != nil {
				return
			}
		}
	}))
	t.Cleanup(s.Close)
	return func() *wiretest.Talk {
		nc, err := net.Dial("tcp", s.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { nc.Close() })
		return wiretest.NewTalk(t, nc)
	}
}

// The handshake of RFC 6455 §1.2 is accepted, with the first message right after the request.
func TestAccept(t *testing.T) {
	dial := acceptServer(t, Config{Subprotocols: []string{"superchat", "chat"}})
	k := dial()
	k.Send(opens("Sec-WebSocket-Protocol: chat, superchat", "Origin: http://server.example.com") + text("Hello"))
	head := k.WantUntil("\r\n\r\n")
	for _, want := range []string{
		"HTTP/1.1 101 Switching Protocols\r\n", "Upgrade: websocket\r\n", "Connection: Upgrade\r\n",
		"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n", "Sec-WebSocket-Protocol: superchat\r\n", "X-Session: abc\r\n",
	} {
		if !strings.Contains(head, want) {
			t.Errorf("the response has no %q:\n%s", want, head)
		}
	}
	k.Want(bare(0x81, "Hello"))
	k.Send(closeFrame(CloseNormal, ""))
	k.Want(bare(0x88, "\x03\xE8"))
	k.WantEOF()
}

// A request that is no valid upgrade gets an HTTP error with its status.
func TestAcceptRefuses(t *testing.T) {
	for _, tc := range []struct {
		name, from, to string // what is different from a good request
		status         string
	}{
		{"another method", "GET", "PUT", "405 "},
		{"an old version", "HTTP/1.1", "HTTP/1.0", "426 "},
		{"no upgrade", "Upgrade: websocket", "X: websocket", "426 "},
		{"another upgrade", "Upgrade: websocket", "Upgrade: h2c", "426 "},
		{"Connection without Upgrade", "keep-alive, Upgrade", "keep-alive", "400 "},
		{"no key", "Sec-WebSocket-Key", "X-Key", "400 "},
		{"a short key", "dGhlIHNhbXBsZSBub25jZQ==", "dGhlIHNhbXBsZQ==", "400 "},
		{"a key of 17 bytes", "dGhlIHNhbXBsZSBub25jZQ==", "dGhlIHNhbXBsZSBub25jZQA=", "400 "},
		{"a key of 18 bytes", "dGhlIHNhbXBsZSBub25jZQ==", "dGhlIHNhbXBsZSBub25jZQAA", "400 "},
		{"a key that is no base64", "dGhlIHNhbXBsZSBub25jZQ==", "dGhlIHNhbXBsZSBub25jZ!==", "400 "},
		{"two keys", "Sec-WebSocket-Version", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version", "400 "},
		{"another version of the protocol", "Version: 13", "Version: 8", "426 "},
		{"a body", "Upgrade: websocket", "Content-Length: 1\r\nUpgrade: websocket", "400 "},
		{"a page from elsewhere", "Upgrade: websocket", "Origin: https://evil.example\r\nUpgrade: websocket", "403 "},
		{"a page from nowhere", "Upgrade: websocket", "Origin: null\r\nUpgrade: websocket", "403 "},
	} {
		t.Run(tc.name, func(t *testing.T) {
			k := acceptServer(t, Config{})()
			k.Send(strings.Replace(opens(), tc.from, tc.to, 1) + "x")
			k.HalfClose()
			response := k.Rest()
			if !strings.HasPrefix(response, "HTTP/1.1 "+tc.status) && !strings.HasPrefix(response, "HTTP/1.0 "+tc.status) {
				t.Errorf("got the response %q, want %s", response, tc.status)
			}
			if !strings.Contains(response, "Sec-Websocket-Version: 13\r\n") {
				t.Errorf("got %q, want %q in it", response, "Sec-Websocket-Version: 13\r\n")
			}
		})
	}
}

// Accept returns an error if the ResponseWriter cannot be hijacked.
func TestAcceptWithoutHijack(t *testing.T) {
	r, err := http.NewRequest(http.MethodGet, "http://server.example.com/chat", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(opens(), "\r\n")[2:] {
		if name, value, ok := strings.Cut(line, ": "); ok {
			r.Header.Add(name, value)
		}
	}
	w := httptest.NewRecorder()
	_, err = Accept(w, r, Config{})
	if he, ok := errors.AsType[*HandshakeError](err); !ok || he.Status != 500 || !errors.Is(err, http.ErrNotSupported) {
		t.Errorf("Accept returned %v", err)
	}
	if body, _ := io.ReadAll(w.Result().Body); w.Code != 500 || len(body) == 0 {
		t.Errorf("got the response %d %q", w.Code, body)
	}
}
