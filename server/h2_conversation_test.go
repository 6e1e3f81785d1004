package server_test

import (
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/server"
	"golang.org/x/net/http2"
)

// h2Answers is a handler for conversations, by path.
func h2Answers(w *server.ResponseWriter, r *server.Request) {
	switch string(r.Path()) {
	case "/hello":
		w.WriteString("hello")
	case "/echo":
		body, err := r.Body()
		if err != nil {
			return
		}
		fmt.Fprintf(w, "%s %s", body, r.Trailer().Get("x-sum"))
	case "/empty":
		w.SetStatus(204)
	case "/same":
		w.SetStatus(304)
	case "/fields":
		h := w.Header()
		h.Set("X-Upper", "1")
		h.Set("Connection", "x-upper")
		h.Set("Keep-Alive", "1")
		h.Set("Proxy-Connection", "1")
		h.Set("Transfer-Encoding", "chunked")
		h.Set("Upgrade", "h2c")
		h.Set("Bad Name", "1")
		h.Set("X-Bad", "a\nb")
		w.WriteString("fields")
	case "/cookies":
		fmt.Fprintf(w, "%s", r.Header().Get("Cookie"))
	case "/trailers":
		w.Header().Set("Trailer", "X-Sum")
		w.WriteString("body")
		w.Trailer().Set("X-Sum", "4")
		w.Trailer().Set("Content-Length", "9")
	case "/hints":
		var h shockwave.Header
		h.Set("Link", "</a>")
		h.Set("Connection", "x")
		w.WriteInformational(103, &h)
		w.WriteString("hinted")
	case "/short":
		w.Header().Set("Content-Length", "5")
		w.WriteString("shrt")
	case "/long":
		w.Header().Set("Content-Length", "2")
		_, err := w.WriteString("long")
		if err != http.ErrContentLength {
			panic(err)
		}
	case "/panic":
		w.WriteString("half")
		w.Flush()
		panic(server.ErrAbort)
	case "/goexit":
		runtime.Goexit()
	case "/stream":
		for i := range 3 {
			fmt.Fprintf(w, "part %d", i)
			w.Flush()
		}
	case "/duplex":
		w.EnableFullDuplex()
		p := make([]byte, 100)
		for {
			n, err := r.Read(p)
			if n > 0 {
				w.Write(p[:n])
				w.Flush()
			}
			if err == io.EOF {
				return
			}
			if err != nil {
				panic(server.ErrAbort)
			}
		}
	case "/early":
		w.WriteString("no body needed")
	default:
		w.Error(404, "no such thing")
	}
}

// asText is the end of the fields of a response that the server sends in place of the handler.
const asText = " content-type=text/plain; charset=utf-8 x-content-type-options=nosniff"

// The same requests get the same responses on every way to serve them.
func TestH2Conversation(t *testing.T) {
	cfg := server.Config{Handler: server.HandlerFunc(h2Answers), MaxBodyBytes: 100, MaxTargetBytes: 1000}
	onH2Ways(t, cfg, func(t *testing.T, f *fixture, k *h2Talk) {
		k.get(1, "/hello")
		k.Want("HEADERS 1 200 content-length=5", `DATA 1 "hello" END`)
		k.headers(3, true, request("HEAD", "/hello")...)
		k.Want("HEADERS 3 200 content-length=5 END")
		k.get(5, "/empty")
		k.Want("HEADERS 5 204 END")
		k.get(7, "/same")
		k.Want("HEADERS 7 304 END")
		k.get(9, "/fields")
		k.Want("HEADERS 9 200 x-upper=1", `DATA 9 "fields" END`)
		k.get(11, "/cookies", "cookie: a=1", "x: y", "cookie: b=2")
		k.Want("HEADERS 11 200 content-length=8", `DATA 11 "a=1; b=2" END`)
		k.get(13, "/trailers")
		k.Want("HEADERS 13 200 trailer=X-Sum", `DATA 13 "body"`, "HEADERS 13 x-sum=4 END")
		k.get(15, "/hints")
		k.Want("HEADERS 15 103 link=</a>", "HEADERS 15 200 content-length=6", `DATA 15 "hinted" END`)
		k.get(17, "/short")
		k.Want("HEADERS 17 200 content-length=5", `DATA 17 "shrt"`, "RST_STREAM 17 INTERNAL_ERROR")
		k.get(19, "/long")
		k.Want("HEADERS 19 200 content-length=2", `DATA 19 "lo" END`)
		k.get(21, "/panic")
		k.Want("HEADERS 21 200", `DATA 21 "half"`, "RST_STREAM 21 INTERNAL_ERROR")
		k.get(23, "/stream")
		k.Want("HEADERS 23 200", `DATA 23 "part 0"`, `DATA 23 "part 1"`, `DATA 23 "part 2"`, `DATA 23 "" END`)
		k.get(25, "/nothing")
		k.Want("HEADERS 25 404 content-length=14"+asText, `DATA 25 "no such thing\n" END`)
		k.WantIdle()
		if n := f.Stats().Requests; n != 13 {
			t.Errorf("%d requests were counted", n)
		}
	})
}

// A body and trailers reach the handler, and an unread or refused body ends as the protocol requires.
func TestH2Bodies(t *testing.T) {
	t.Parallel()
	cfg := server.Config{Handler: server.HandlerFunc(h2Answers), MaxBodyBytes: 100}
	onH2Ways(t, cfg, func(t *testing.T, f *fixture, k *h2Talk) {
		t.Parallel() // after an early response the rest of the request has a second to arrive
		k.post(1, "/echo")
		k.data(1, "a", false)
		k.WantIdle()
		k.data(1, "b", true)
		k.Want("HEADERS 1 200 content-length=3", `DATA 1 "ab " END`)

		k.post(3, "/echo", "trailer: x-sum")
		k.data(3, "abc", false)
		k.headers(3, true, "x-sum: 3")
		k.Want("HEADERS 3 200 content-length=5", `DATA 3 "abc 3" END`)

		k.post(5, "/echo", "expect: 100-continue")
		k.Want("HEADERS 5 100")
		k.data(5, "now", true)
		k.Want("HEADERS 5 200 content-length=4", `DATA 5 "now " END`)

		k.post(7, "/early", "expect: 100-continue")
		k.Want("HEADERS 7 200 content-length=14", `DATA 7 "no body needed" END`, "RST_STREAM 7 NO_ERROR")

		k.post(9, "/echo", "content-length: 101")
		k.Want("HEADERS 9 413 content-length=32" + asText)
		k.Want(`DATA 9 "the request's body is too large\n" END`, "RST_STREAM 9 NO_ERROR")

		k.post(11, "/echo")
		k.data(11, strings.Repeat("x", 101), false)
		k.Want("HEADERS 11 413 content-length=32" + asText)
		k.Want(`DATA 11 "the request's body is too large\n" END`, "RST_STREAM 11 NO_ERROR")

		k.post(13, "/echo", "content-length: 2")
		k.data(13, "abc", true)
		k.Want("RST_STREAM 13 PROTOCOL_ERROR")

		k.post(15, "/duplex")
		k.data(15, "p", false)
		k.Want("HEADERS 15 200", `DATA 15 "p"`)
		k.data(15, "q", false)
		k.Want(`DATA 15 "q"`)
		k.data(15, "", true)
		k.Want(`DATA 15 "" END`)

		k.post(17, "/echo", "expect: nonsense")
		k.Want("HEADERS 17 417 content-length=40" + asText)
		k.Want(`DATA 17 "an expectation that is not 100-continue\n" END`, "RST_STREAM 17 NO_ERROR")

		k.post(19, "/duplex")
		k.data(19, "cut", false)
		k.Want("HEADERS 19 200", `DATA 19 "cut"`)
		k.Framer.WriteRSTStream(19, http2.ErrCodeCancel)
		k.WantIdle()
	})
}
