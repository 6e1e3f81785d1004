package gateway

import (
	"net/http"
	"testing"

	"github.com/shockwave-go/shockwave/websocket"
)

// Only the configured paths, origins, subprotocols and numbers of peers are accepted, and a refused request is reported
// and holds no place.
func TestRefusals(t *testing.T) {
	r := newRig(t, ways[0], Config{MaxPeers: 1, Subprotocols: []string{"binary", "base64"}, Origins: []string{"*.example.com"}})
	good := websocket.Config{Subprotocols: []string{"other", "binary"}, Header: http.Header{"Origin": {"https://www.example.com"}}}
	foreign := good
	foreign.Header = http.Header{"Origin": {"https://www.example.org"}}
	own := good
	own.Header = http.Header{"Origin": {"http" + r.url[2:]}}
	for _, tc := range []struct {
		name, path string
		cfg        websocket.Config
		want       int
	}{
		{"a path below", "/a", good, 404}, {"a query", "/?a=b", good, 101}, {"another writing of the path", "/%2f", good, 404},
		{"a foreign page", "/", foreign, 403}, {"a page of the gateway's own host", "/", own, 101},
		{"none of the subprotocols", "/", websocket.Config{Subprotocols: []string{"other"}}, 400}, {"no subprotocol", "/", websocket.Config{}, 400},
	} {
		if got := r.refused(tc.path, tc.cfg); got != tc.want {
			t.Errorf("%s: %d, want %d", tc.name, got, tc.want)
		}
		if tc.want == 101 {
			r.accept().Close()
		}
		if e := <-r.ends; e.Status != tc.want || e.Target != tc.path || e.Method != "GET" || e.Protocol != "HTTP/1.1" || e.Remote == "" {
			t.Errorf("%s: told %+v", tc.name, e)
		}
	}
	resp, err := http.Get("http" + r.url[2:] + "/")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusUpgradeRequired {
		t.Errorf("a plain request: %d, want 426", resp.StatusCode)
	}
	<-r.ends
	p := r.dialWith(good)
	b := r.accept()
	if got := r.refused("/", good); got != 503 {
		t.Errorf("one too many: %d, want 503", got)
	}
	<-r.ends
	p.end(1000, "")
	b.wantEOF()
	b.Close()
	r.wantEnd("peer closed 1000")
	p = r.dialWith(good)
	r.accept().Close()
	p.want("close 1000")
}

// A route is a path and an address, and anything else is refused.
func TestParseRoute(t *testing.T) {
	for s, want := range map[string]Route{
		"/=tcp://127.0.0.1:80":         {"/", "tcp://127.0.0.1:80", false, "127.0.0.1:80"},
		"/a/b%20c=tls://example.com:1": {"/a/b%20c", "tls://example.com:1", true, "example.com:1"},
		"/a=b=tcp://[::1]:65535":       {"/a=b", "tcp://[::1]:65535", false, "[::1]:65535"},
	} {
		if got, err := ParseRoute(s); got != want || err != nil {
			t.Errorf("%s: %+v, %v", s, got, err)
		}
	}
	for _, s := range []string{
		"", "/a", "tcp://127.0.0.1:80", "a=tcp://127.0.0.1:80", "=tcp://127.0.0.1:80", "/a?=tcp://h:80", "/a?b=tcp://h:80", "/a b=tcp://h:80",
		"/ä=tcp://h:80", "/a#=tcp://h:80", "/a%=tcp://h:80", "/=http://h:80", "/=tcp://h", "/=tcp://h:", "/=tcp://:80", "/=tcp://h:0", "/=tcp://h:65536",
		"/=tcp://h:x", "/=tcp://h:80/path", "/=tcp://h:80?q", "/=tcp://h:80#f", "/=tcp://u@h:80", "/=",
	} {
		if got, err := ParseRoute(s); err == nil {
			t.Errorf("%q is taken: %+v", s, got)
		}
	}
}
