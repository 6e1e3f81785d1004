package server_test

import (
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/server"
)

// With facelink.LikeNetHTTP the server behaves as net/http where the two differ, and otherwise as it does by itself.
func TestNetHTTP(t *testing.T) {
	h := server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
		switch string(r.Target()) {
		case "/416":
			w.SetStatus(416)
		case "/identity":
			w.Header().Add("Transfer-Encoding", "identity")
			w.WriteString("body")
		case "/gzip":
			w.Header().Add("Transfer-Encoding", "gzip, chunked, identity, a b")
			w.Header().Add("Transfer-Encoding", "chunked")
			w.WriteString("body")
		case "/long":
			w.WriteString(strings.Repeat("x", 5000))
		case "/read":
			r.Body()
		}
	})
	const host, gmt = " HTTP/1.1\r\nHost: h\r\nConnection: close\r\n", "GMT\r\nConnection: close\r\n\r\n"
	for _, c := range []struct{ say, own, asNetHTTP string }{
		{"GET /416" + host + "\r\n", "416 Range Not Satisfiable", "416 Requested Range Not Satisfiable"},
		{"GET / HTTP/1.0\r\n\r\n", "HTTP/1.1 200 OK\r\n", "HTTP/1.0 200 OK\r\n"},
		{"GET / HTTP/1.1\r\n\r\n", "\r\n\r\nmissing required Host", "\r\n\r\n400 Bad Request: missing required Host"},
		{"POST /" + host + "Transfer-Encoding: gzip\r\n\r\n", "HTTP/1.1 400 ", "HTTP/1.1 501 "},
		{"POST /" + host + "Transfer-Encoding: gzip\r\n\r\n", "\r\nDate: ",
			" Not Implemented\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\nUnsupported transfer encoding"},
		{"GET /gzip" + host + "\r\n", "GMT\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n4\r\nbody",
			"GMT\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n4\r\nbody"},
		{"GET /" + strings.Repeat("a", 50<<10) + host + "\r\n", "HTTP/1.1 414 ", "HTTP/1.1 431 "},
		{"GET /identity" + host + "\r\n", "Content-Length: 4\r\n", gmt + "body"},
		{"HEAD /long" + host + "\r\n", "Content-Length: 5000\r\n", gmt},
		{"POST /read" + host + "Expect: 100-continue\r\nContent-Length: 1\r\n\r\nx", "HTTP/1.1 200 OK", "100 Continue\r\n"},
	} {
		for like, want := range map[bool]string{false: c.own, true: c.asNetHTTP} {
			k := start(t, server.Manners(like, server.Config{Handler: h})).talk(t)
			k.Send(c.say)
			if got := k.Rest(); !strings.Contains(got, want) {
				t.Errorf("NetHTTP %v: the response to %.40q is\n%s\nwant a part that reads %q", like, c.say, got, want)
			}
		}
	}
}
