package server_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/server"
)

// A handler sees an HTTP/2 request as the equivalent one of HTTP/1.1 (RFC 9113 §8.3.1), whatever the request before it
// was like.
func TestH2RequestsAsSeen(t *testing.T) {
	rows := []struct {
		lines []string
		want  string
	}{
		{request("GET", "/a?b=c"), "GET /a?b=c \"/a\" \"b=c\" example.com 2.0 0 true false false\nhost: example.com"},
		{request("GET", "/"), "GET / \"/\" \"\" example.com 2.0 0 true false false\nhost: example.com"},
		{request("DELETE", "/?"), "DELETE /? \"/\" \"\" example.com 2.0 0 true false false\nhost: example.com"},
		{request("OPTIONS", "*"), "OPTIONS * \"*\" \"\" example.com 2.0 0 true false false\nhost: example.com"},
		{request("GET", "/a??b?"), "GET /a??b? \"/a\" \"?b?\" example.com 2.0 0 true false false\nhost: example.com"},
		{[]string{":method: GET", ":scheme: https", ":authority: b:1", ":path: /x", "x-a: 1"}, "GET /x \"/x\" \"\" b:1 2.0 0 true false false\nhost: b:1\nx-a: 1"},
		{[]string{":method: GET", ":scheme: coap+tcp", ":path: /x", "x-a: 1"}, "GET /x \"/x\" \"\"  2.0 0 true false false\nx-a: 1"},
		{[]string{":method: GET", ":scheme: http", ":path: /x", "x-a: 1", "host: b"}, "GET /x \"/x\" \"\" b 2.0 0 true false false\nhost: b\nx-a: 1"},
		{[]string{":path: /x", ":authority: b", ":scheme: http", ":method: GET", "host: b", "x-a: 1"}, "GET /x \"/x\" \"\" b 2.0 0 true false false\nhost: b\nx-a: 1"},
		{request("GET", "/", "x-a: 1", "cookie: a=1", "x-b: ", "cookie: b=2", "x-a: 3", "cookie: c"),
			"GET / \"/\" \"\" example.com 2.0 0 true false false\nhost: example.com\nx-a: 1\nx-b: \nx-a: 3\ncookie: a=1; b=2; c"},
		{request("GET", "/", "cookie: "), "GET / \"/\" \"\" example.com 2.0 0 true false false\nhost: example.com\ncookie: "},
		{request("GET", "/", "hosx: 1", "cookix: 2", "expecx: 3", "expect: 100-Continue"),
			"GET / \"/\" \"\" example.com 2.0 0 true false false\nhost: example.com\nhosx: 1\ncookix: 2\nexpecx: 3\nexpect: 100-Continue"},
		{request("POST", "/", "content-length: 0"), "POST / \"/\" \"\" example.com 2.0 0 true false false\nhost: example.com\ncontent-length: 0"},
		{[]string{":method: CONNECT", ":authority: b:1", "x-a: 1"}, "CONNECT b:1 \"\" \"\" b:1 2.0 0 true false false\nhost: b:1\nx-a: 1"},
		{[]string{":method: CONNECT", ":protocol: p", ":scheme: http", ":authority: b", ":path: /c?d", "x-a: 1"},
			"CONNECT /c?d \"/c\" \"d\" b 2.0 0 true false false\nhost: b\n:protocol: p\nx-a: 1"},
		{request("GET", "/"), "GET / \"/\" \"\" example.com 2.0 0 true false false\nhost: example.com"},
	}
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		if string(r.Method()) == "CONNECT" {
			w.SetStatus(400) // no tunnel
		}
		seen(w, r)
	})
	k := f.h2(t)
	for i, row := range rows {
		id := uint32(1 + 2*i)
		k.headers(id, true, row.lines...)
		status := 200
		if strings.HasPrefix(row.want, "CONNECT") {
			status = 400
		}
		k.wantStatusAndBody(id, status, row.want)
	}
	id := uint32(101)
	k.post(id, "/b", "content-length: 3")
	k.data(id, "abc", true)
	k.wantStatusAndBody(id, 200, "POST /b \"/b\" \"\" example.com 2.0 3 true false false\nhost: example.com\ncontent-length: 3")
	k.post(id+2, "/b")
	k.data(id+2, "abc", true)
	k.wantStatusAndBody(id+2, 200, "POST /b \"/b\" \"\" example.com 2.0 -1 true false false\nhost: example.com")
}

// A request has its own trailers, and no others.
func TestH2TrailersAreOneRequests(t *testing.T) {
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		body, err := r.Body()
		s := fmt.Sprintf("%s %v", body, err)
		for i := range r.Trailer().Len() {
			name, value := r.Trailer().At(i)
			s += fmt.Sprintf(" %s=%s", name, value)
		}
		w.WriteString(s)
	})
	k := f.h2(t)
	for i, want := range []string{"abc <nil> x-a=1 x-b=2 x-a=3", "abc <nil>", "abc <nil> x-a=1 x-b=2 x-a=3"} {
		id := uint32(1 + 2*i)
		k.post(id, "/")
		if strings.Contains(want, "x-a") {
			k.data(id, "abc", false)
			k.headers(id, true, "x-a: 1", "x-b: 2", "x-a: 3")
		} else {
			k.data(id, "abc", true)
		}
		k.wantStatusAndBody(id, 200, want)
	}
}
