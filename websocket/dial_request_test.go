package websocket

import (
	"net/http"
	"testing"
)

const upgradeLines = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"

// The request is made of the URL and the Config as RFC 6455 §4.1 says.
func TestDialRequest(t *testing.T) {
	for _, tc := range []struct {
		url    string
		cfg    Config
		addr   string
		target string
		host   string
		more   string
	}{
		{url: "ws://example.com", addr: "example.com:80", target: "/", host: "example.com"},
		{url: "ws://example.com:80?", addr: "example.com:80", target: "/?", host: "example.com"},
		{url: "http://example.com:443/a%2Fb/../c?q=%20;x&y", addr: "example.com:443", target: "/a%2Fb/../c?q=%20;x&y", host: "example.com:443"},
		{url: "ws://[2001:db8::1]:8080//x", addr: "[2001:db8::1]:8080", target: "//x", host: "[2001:db8::1]:8080"},
		{url: "ws://[fe80::1%25eth0]/é", addr: "[fe80::1%eth0]:80", target: "/%C3%A9", host: "[fe80::1]"},
		{url: "WS://bücher.example/", addr: "xn--bcher-kva.example:80", target: "/", host: "xn--bcher-kva.example"},
		{
			url: "ws://me:se%3Acret@example.com/", addr: "example.com:80", target: "/", host: "example.com",
			more: "Authorization: Basic bWU6c2U6Y3JldA==\r\n",
		},
		{
			url: "ws://me@example.com/", addr: "example.com:80", target: "/", host: "other.example:1",
			cfg: Config{
				Header: http.Header{
					"cookie": {"a=b"}, "Authorization": {"Bearer x"}, "Origin": {"http://page"}, "host": {"other.example:1"}, "X": {"1", "2"},
				},
				Subprotocols: []string{"chat", "superchat"},
			},
			more: "Sec-WebSocket-Protocol: chat, superchat\r\nAuthorization: Bearer x\r\nCookie: a=b\r\nOrigin: http://page\r\nX: 1\r\nX: 2\r\n",
		},
		{
			url: "ws://example.com", addr: "example.com:80", target: "/", host: "example.com", cfg: Config{Compression: NoContextTakeover},
			more: "Sec-WebSocket-Extensions: " + "permessage-deflate; server_no_context_takeover; client_no_context_takeover; client_max_window_bits" + "\r\n",
		},
	} {
		k := begin(t.Context(), t, tc.url, tc.cfg, nil)
		want := "GET " + tc.target + " HTTP/1.1\r\nHost: " + tc.host + "\r\n" + upgradeLines + tc.more + "\r\n"
		if got := k.request(); got != want || k.addr != tc.addr {
			t.Errorf("%s: to %s\n got %q\nwant %q", tc.url, k.addr, got, want)
		}
		k.Close()
		k.result()
	}
}
