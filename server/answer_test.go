package server_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/server"
)

// table is a handler whose answer is chosen by the path.
func table(w *server.ResponseWriter, r *server.Request) {
	switch path := string(r.Path()); path {
	case "/text":
		w.WriteText("hello")
	case "/write":
		w.Header().Set("X-A", "1")
		w.Write([]byte("he"))
		w.WriteString("llo")
	case "/empty":
	case "/echo":
		body, err := r.Body()
		if err != nil {
			return
		}
		w.WriteBody("text/plain", body)
	case "/big":
		w.Write([]byte(strings.Repeat("x", 5000)))
	case "/biglength":
		w.Header().Set("Content-Length", "5000")
		w.Write([]byte(strings.Repeat("x", 5000)))
	case "/flush":
		w.Write([]byte("one"))
		w.Flush()
		w.Write([]byte("two"))
	case "/status":
		var code int
		fmt.Sscan(string(r.Query()), &code)
		w.SetStatus(code)
		_, err := w.Write([]byte("body"))
		w.Header().Set("X-Err", fmt.Sprint(err))
	case "/close":
		w.CloseAfter()
		w.WriteText("bye")
	case "/trailer":
		w.Header().Set("Trailer", "X-Sum")
		w.Write([]byte("data"))
		w.Trailer().Set("X-Sum", "4")
	default:
		w.Error(404, "no such page")
	}
}

const closing = " HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"

func TestAnswers(t *testing.T) {
	f := handle(t, table)
	for _, c := range []struct{ name, request, answer string }{
		{"text", "GET /text" + closing, lines("HTTP/1.1 200 OK", "Content-Length: 5", "Connection: close", "Content-Type: text/plain; charset=utf-8", "", "hello")},
		{"written in pieces", "GET /write" + closing, lines("HTTP/1.1 200 OK", "Content-Length: 5", "Connection: close", "X-A: 1", "", "hello")},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := f.exchange(c.request); got != c.answer {
				t.Errorf("%q\n got %q\nwant %q", c.request, got, c.answer)
			}
		})
	}
}
