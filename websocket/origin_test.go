package websocket

import "testing"

// A server refuses the pages that CheckOrigin refuses, with status 403.
func TestCheckOrigin(t *testing.T) {
	k := acceptServer(t, Config{CheckOrigin: func(origin, host string) bool { return origin+host == "https://bserver.example.com" }})
	for origin, want := range map[string]string{"https://b": "101", "http://server.example.com": "403"} {
		talk := k()
		talk.Send(opens("Origin: " + origin))
		talk.Want("HTTP/1.1 " + want)
	}
}
