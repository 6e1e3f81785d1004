package websocket

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// Dial accepts a valid response, with the first messages right after it or in pieces.
func TestDialAnswer(t *testing.T) {
	for name, tc := range map[string]struct {
		before string
		fields []string
		sub    string
		packed bool
	}{
		"bare":       {},
		"interim":    {before: "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"},
		"more":       {fields: []string{"X-Session: abc", "Set-Cookie: a=b", "Connection: x", "Content-Length: 5"}},
		"subproto":   {fields: []string{"Sec-WebSocket-Protocol: superchat"}, sub: "superchat"},
		"compressed": {fields: []string{"Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover; client_no_context_takeover"}, packed: true},
	} {
		for cut, split := range map[string]wiretest.Split{"whole": nil, "bytes": wiretest.EveryByte, "random": wiretest.Random(1)} {
			t.Run(name+"/"+cut, func(t *testing.T) {
				cfg := Config{Subprotocols: []string{"chat", "superchat"}, Compression: NoContextTakeover}
				k := begin(t.Context(), t, "ws://example.com/", cfg, split)
				k.request()
				k.Send(tc.before + k.response(tc.fields...) + bare(0x81, "Hello") + bare(0x01, "wor"))
				c := k.opened()
				wantMessage(t, c, "Hello")
				k.Send(bare(0x80, "ld") + bare(0x89, "ping"))
				wantMessage(t, c, "world")
				if c.Subprotocol() != tc.sub || c.Compressed() != tc.packed {
					t.Errorf("subprotocol %q, compressed %v", c.Subprotocol(), c.Compressed())
				}
				if k.resp.StatusCode != 101 || k.resp.Status != "101 Switching Protocols" || k.resp.Header.Get("Upgrade") != "websocket" {
					t.Errorf("got %v", k.resp)
				}
			})
		}
	}
}

// Messages right after the response go to the callbacks.
func TestDialCallbacks(t *testing.T) {
	got := make(chan string, 3)
	k := begin(t.Context(), t, "ws://example.com/", Config{
		OnOpen:    func(*Conn) { got <- "open" },
		OnMessage: func(_ *Conn, _ MessageType, p []byte) { got <- string(p) },
		OnClose:   func(_ *Conn, err error) { got <- err.Error() },
	}, nil)
	k.request()
	k.Send(k.response() + bare(0x81, "Hello") + bare(0x88, "\x03\xe8bye"))
	k.opened()
	for _, want := range []string{"open", "Hello", (&CloseError{Code: CloseNormal, Reason: "bye"}).Error()} {
		select {
		case s := <-got:
			if s != want {
				t.Errorf("got %q, want %q", s, want)
			}
		case <-time.After(patience):
			t.Fatal("nothing for", want)
		}
	}
}

// Dial refuses a response that breaks a rule of RFC 6455 §4.1.
func TestDialRefusesAnswer(t *testing.T) {
	for name, tc := range map[string]struct {
		old, new string // in the response
		want     string
	}{
		"200":                     {"101 Switching Protocols", "200 OK", "the status 200 OK"},
		"HTTP/1.0":                {"HTTP/1.1", "HTTP/1.0", "not HTTP/1.1"},
		"no Upgrade":              {"Upgrade: websocket\r\n", "", "Upgrade is not"},
		"another Upgrade":         {"Upgrade: websocket", "Upgrade: h2c", "Upgrade is not"},
		"a list of Upgrades":      {"Upgrade: websocket", "Upgrade: websocket, h2c", "Upgrade is not"},
		"two Upgrades":            {"Upgrade: websocket", "Upgrade: websocket\r\nUpgrade: websocket", "Upgrade is not"},
		"no Connection":           {"Connection: Upgrade\r\n", "", "Connection does not"},
		"another Connection":      {"Connection: Upgrade", "Connection: keep-alive", "Connection does not"},
		"no Accept":               {"Sec-WebSocket-Accept:", "Sec-WebSocket-Accepted:", "does not match"},
		"another Accept":          {"Accept: ", "Accept: x", "does not match"},
		"the key itself":          {"Accept: ", "Accept: KEY\r\nX: ", "does not match"},
		"two Accepts":             {"Connection:", "Sec-WebSocket-Accept: x\r\nConnection:", "does not match"},
		"a subprotocol":           {"Connection:", "Sec-WebSocket-Protocol: other\r\nConnection:", "subprotocol"},
		"a subprotocol in capit.": {"Connection:", "Sec-WebSocket-Protocol: CHAT\r\nConnection:", "subprotocol"},
		"two subprotocols":        {"Connection:", "Sec-WebSocket-Protocol: chat, superchat\r\nConnection:", "subprotocol"},
		"a subprotocol twice":     {"Connection:", "Sec-WebSocket-Protocol: chat\r\nSec-WebSocket-Protocol: chat\r\nConnection:", "subprotocol"},
		"an empty subprotocol":    {"Connection:", "Sec-WebSocket-Protocol:\r\nConnection:", "subprotocol"},
		"an extension":            {"Connection:", "Sec-WebSocket-Extensions: permessage-deflate\r\nConnection:", "extension"},
		"no extension":            {"Connection:", "Sec-WebSocket-Extensions:\r\nConnection:", "extension"},
	} {
		t.Run(name, func(t *testing.T) {
			k := begin(t.Context(), t, "ws://example.com/", Config{Subprotocols: []string{"chat", "superchat"}}, nil)
			k.request()
			response := k.response()
			if !strings.Contains(response, tc.old) {
				t.Fatal("the test replaces nothing")
			}
			k.Send(strings.Replace(response, tc.old, strings.Replace(tc.new, "KEY", k.key, 1), 1))
			k.HalfClose()
			c, resp, err := k.result()
			var he *HandshakeError
			if c != nil || !errors.As(err, &he) || !strings.Contains(he.Msg, tc.want) || resp == nil || he.Status != resp.StatusCode {
				t.Errorf("got %v, %v, %v", c, resp, err)
			}
			k.WantGone()
		})
	}
}

// Dial refuses an extension that was not offered (RFC 7692 §7.1).
func TestDialRefusesExtensions(t *testing.T) {
	for _, extension := range []string{
		"x-webkit-deflate-frame", "permessage-deflate, permessage-deflate", "permessage-deflate; what", "permessage-deflate; server_max_window_bits=7",
	} {
		k := begin(t.Context(), t, "ws://example.com/", Config{Compression: ContextTakeover}, nil)
		k.request()
		k.Send(k.response("Sec-WebSocket-Extensions: " + extension))
		c, _, err := k.result()
		var he *HandshakeError
		if c != nil || !errors.As(err, &he) || he.Status != 101 {
			t.Errorf("%s: got %v, %v", extension, c, err)
		}
		k.WantGone()
	}
}
