package websocket

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

// Subprotocols returns the client's offers in their order.
func TestSubprotocols(t *testing.T) {
	for _, tc := range []struct {
		lines []string
		want  []string
	}{
		{nil, nil},
		{[]string{""}, nil},
		{[]string{"chat"}, []string{"chat"}},
		{[]string{"chat, superchat ,v2"}, []string{"chat", "superchat", "v2"}},
		{[]string{"b,a", "a,c"}, []string{"b", "a", "a", "c"}},
	} {
		r := &http.Request{Header: http.Header{"Sec-Websocket-Protocol": tc.lines}}
		if got := Subprotocols(r); !slices.Equal(got, tc.want) {
			t.Errorf("%q: got %q", tc.lines, got)
		}
	}
}

// IsUpgrade recognises a request for an upgrade to WebSocket over HTTP/1.1.
func TestIsUpgrade(t *testing.T) {
	for _, tc := range []struct {
		upgrade, connection string
		want                bool
	}{
		{"websocket", "Upgrade", true},
		{"WebSocket", "keep-alive, upgrade", true},
		{"h2c, websocket", "Upgrade", true},
		{"websocket", "keep-alive", false},
		{"h2c", "Upgrade", false},
		{"", "", false},
	} {
		r := &http.Request{Header: http.Header{"Upgrade": {tc.upgrade}, "Connection": {tc.connection}}}
		if got := IsUpgrade(r); got != tc.want {
			t.Errorf("Upgrade %q, Connection %q: got %v, want %v", tc.upgrade, tc.connection, got, tc.want)
		}
	}
	if IsUpgrade(new(http.Request)) {
		t.Error("a request without fields counts as an upgrade")
	}
	for major, want := range []bool{1: true, 2: false, 3: false} {
		fields := http.Header{"Upgrade": {"websocket"}, "Connection": {"Upgrade"}}
		if got := IsUpgrade(&http.Request{ProtoMajor: major, Header: fields}); got != want && major > 0 {
			t.Errorf("HTTP/%d: %v", major, got)
		}
	}
}

// ChooseSubprotocol may choose one of the offers or none.
func TestChooseSubprotocol(t *testing.T) {
	for choice, want := range map[string]string{
		"last": "\r\nSec-WebSocket-Protocol: v1\r\n", "none": "HTTP/1.1 101", "other": "HTTP/1.1 500",
	} {
		asked := make(chan []string, 1)
		k := acceptServer(t, Config{Subprotocols: []string{"v2"}, ChooseSubprotocol: func(offers []string) string {
			asked <- offers
			return map[string]string{"last": offers[len(offers)-1], "none": "", "other": "v3"}[choice]
		}})()
		k.Send(opens("Sec-WebSocket-Protocol: v2, v1"))
		if head := k.WantUntil("\r\n\r\n"); !strings.Contains(head, want) || choice == "none" && strings.Contains(head, "Sec-WebSocket-Protocol") {
			t.Errorf("%s: got the response %q", choice, head)
		}
		if got := <-asked; !slices.Equal(got, []string{"v2", "v1"}) {
			t.Errorf("asked with %q", got)
		}
	}
}
