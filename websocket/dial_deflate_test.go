package websocket

import (
	"errors"
	"strings"
	"testing"
)

// offers are the offers of a client with ContextTakeover.
const offers = "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits, " +
	"permessage-deflate; client_no_context_takeover; client_max_window_bits\r\n"

// packed reads a short compressed message of the client and returns its payload, unmasked.
func (k *call) packed() string {
	k.t.Helper()
	head := k.WantN(6)
	if head[0] != 0xC1 || head[1] < 0x80 || head[1] > 0x80+125 {
		k.t.Fatalf("a frame that begins with % x", head)
	}
	p := []byte(k.WantN(int(head[1] - 0x80)))
	for i := range p {
		p[i] ^= head[2+i%4]
	}
	return string(p)
}

// The client uses the parameters that the server has chosen among its offers.
func TestDialFallsBack(t *testing.T) {
	for response, takeover := range map[string]bool{
		"permessage-deflate":                                                                                  true, // the first, or the second without counting on its hint
		"permessage-deflate; client_max_window_bits=15":                                                       true,
		"permessage-deflate; client_no_context_takeover":                                                      false,
		"permessage-deflate; client_no_context_takeover; client_max_window_bits=10":                           false,
		"permessage-deflate; server_no_context_takeover; client_no_context_takeover":                          false,
		"permessage-deflate; server_max_window_bits=9; client_no_context_takeover; client_max_window_bits=15": false,
	} {
		k := begin(t.Context(), t, "ws://example.com/", Config{Compression: ContextTakeover, CompressionThreshold: 1}, nil)
		if head := k.request(); !strings.Contains(head, offers) {
			t.Fatalf("no such offers in %q", head)
		}
		k.Send(k.response("Sec-WebSocket-Extensions: " + response))
		c := k.opened()
		if !c.Compressed() {
			t.Errorf("%s: no compression", response)
		}
		var said [2]string
		for i := range said {
			if err := c.WriteMessage(TextMessage, []byte(words(180))); err != nil {
				t.Fatal(err)
			}
			said[i] = k.packed()
		}
		if shorter := len(said[1]) < len(said[0])/2; shorter != takeover || !takeover && said[0] != said[1] {
			t.Errorf("%s: first %d bytes, then %d", response, len(said[0]), len(said[1]))
		}
	}
}

// Dial refuses parameters that fit none of its offers (RFC 7692 §7.1).
func TestDialRefusesParameters(t *testing.T) {
	for _, tc := range []struct {
		response string
		noMemory bool
	}{
		{response: "permessage-deflate; client_max_window_bits"},
		{response: "permessage-deflate; client_no_context_takeover=1"},
		{response: "permessage-deflate; client_no_context_takeover; client_no_context_takeover"},
		{response: "permessage-deflate; client_max_window_bits=10, permessage-deflate; client_no_context_takeover"},
		{response: "permessage-deflate", noMemory: true},
		{response: "permessage-deflate; client_no_context_takeover", noMemory: true},
	} {
		t.Run(tc.response, func(t *testing.T) {
			g := new(Group)
			if tc.noMemory {
				g.TakeoverMemory = 1
			}
			k := begin(t.Context(), t, "ws://example.com/", Config{Compression: ContextTakeover, Group: g}, nil)
			k.request()
			k.Send(k.response("Sec-WebSocket-Extensions: " + tc.response))
			var he *HandshakeError
			if c, _, err := k.result(); c != nil || !errors.As(err, &he) || he.Status != 101 {
				t.Errorf("got %v, %v", c, err)
			}
			k.WantGone()
		})
	}
}
