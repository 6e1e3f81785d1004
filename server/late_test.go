package server_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/server"
)

// evil is what a client would take for a response, if it arrived where one is due.
const evil = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"

// late is a handler that changes its response after it has begun to write, and all that a client may see of it: for a
// response that is cut short, what comes before the connection breaks.
type late struct {
	name    string
	request string // "" is two GETs, one behind the other
	handler server.HandlerFunc
	want    string
}

// twoGets are two requests; a response with a surplus would be read as the response to the second as well.
const twoGets = "GET /1 HTTP/1.1\r\nHost: h\r\n\r\nGET /2 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"

// both is the responses to twoGets, with the same head.
func both(head, body string) string {
	return head + "\r\n" + body + head + closeField + "\r\n" + body
}

// statusLate writes, then sets a status that has no body, and then flushes if flush is true.
func statusLate(status int, flush bool) server.HandlerFunc {
	return func(w *server.ResponseWriter, r *server.Request) {
		w.WriteString(evil)
		w.SetStatus(status)
		if flush {
			w.Flush()
		}
	}
}

// lengthLate writes body, sets a length, and then does more.
func lengthLate(body, length string, more func(w *server.ResponseWriter)) server.HandlerFunc {
	return func(w *server.ResponseWriter, r *server.Request) {
		w.WriteString(body)
		w.Header().Set("Content-Length", length)
		if more != nil {
			more(w)
		}
	}
}

// Whatever a handler changes after it has written, no byte is sent for which the head that was sent before has no place.
func TestWhatAHandlerDoesLate(t *testing.T) {
	large := strings.Repeat("z", 30_000)
	name := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(name, []byte(large), 0o600); err != nil {
		t.Fatal(err)
	}
	file := func() io.Reader {
		f, err := os.Open(name)
		if err != nil {
			t.Error(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	for _, c := range []late{
		{"204", "", statusLate(204, false), both("HTTP/1.1 204 No Content\r\n", "")},
		{"204, flushed", "", statusLate(204, true), both("HTTP/1.1 204 No Content\r\n", "")},
		{"205", "", statusLate(205, false), both("HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\n", "")},
		{"304", "", statusLate(304, false), both("HTTP/1.1 304 Not Modified\r\n", "")},
		{"304, flushed", "", statusLate(304, true), both("HTTP/1.1 304 Not Modified\r\n", "")},
		{"101 and no take-over", "", statusLate(101, false), "HTTP/1.1 101 Switching Protocols\r\n\r\n"},
		{"CONNECT: 405, then 200", "CONNECT h:80 HTTP/1.1\r\nHost: h:80\r\n\r\n", func(w *server.ResponseWriter, r *server.Request) {
			w.SetStatus(405)
			w.WriteString(evil)
			w.SetStatus(200)
		}, "HTTP/1.1 200 OK\r\n\r\n"},
		{"204, then 200", "", func(w *server.ResponseWriter, r *server.Request) {
			w.SetStatus(204)
			w.SetStatus(200)
			w.WriteString("good")
		}, both("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n", "good")},

		{"a smaller length", "", lengthLate("ok"+evil, "2", nil), "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"},
		{"a smaller length, flushed", "", lengthLate("ok"+evil, "2", func(w *server.ResponseWriter) { w.Flush() }),
			"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"},
		{"a smaller length than the one before", "", func(w *server.ResponseWriter, r *server.Request) {
			w.Header().Set("Content-Length", "46")
			lengthLate("ok"+evil, "2", nil)(w, r)
		}, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"},
		{"a smaller length, and more", "", lengthLate("ok"+evil, "2", writeTooMuch(t)), "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"},
		{"the right length, and more", "", lengthLate("ok", "2", writeTooMuch(t)), both("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n", "ok")},
		{"a larger length, and the rest", "", lengthLate("ok", "5002", func(w *server.ResponseWriter) { w.WriteString(x5000) }),
			both("HTTP/1.1 200 OK\r\nContent-Length: 5002\r\n", "ok"+x5000)},
		{"a larger length and no more", "", lengthLate("ok", "3", nil), "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok"},
		{"HEAD: a smaller length", "HEAD / HTTP/1.1\r\nHost: h\r\n\r\n" + get("/"), lengthLate("ok", "1", nil),
			"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n" + "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection: close\r\n\r\no"},

		{"a file after the length was removed", "", func(w *server.ResponseWriter, r *server.Request) {
			w.Header().Set("Content-Length", "20000")
			w.WriteString("ab")
			w.Header().Del("Content-Length")
			if n, err := w.ReadFrom(file()); n != 30_000 || err != nil {
				t.Errorf("ReadFrom: %d, %v", n, err)
			}
		}, both("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n", "7532\r\nab"+large+"\r\n0\r\n\r\n")},
		{"a file after a larger length", "", lengthLate("ok", "30002", func(w *server.ResponseWriter) {
			if n, err := w.ReadFrom(file()); n != 30_000 || err != nil {
				t.Errorf("ReadFrom: %d, %v", n, err)
			}
		}), both("HTTP/1.1 200 OK\r\nContent-Length: 30002\r\n", "ok"+large)},
		{"a file where no body may be", "", func(w *server.ResponseWriter, r *server.Request) {
			w.SetStatus(304)
			w.Header().Set("Content-Length", "30000")
			if n, err := w.ReadFrom(file()); n != 0 || err != http.ErrBodyNotAllowed || w.Committed() {
				t.Errorf("ReadFrom: %d, %v", n, err)
			}
		}, both("HTTP/1.1 304 Not Modified\r\nContent-Length: 30000\r\n", "")},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t) })
	}
}

// writeTooMuch is a write of more than is buffered and more than the length allows.
func writeTooMuch(t *testing.T) func(w *server.ResponseWriter) {
	return func(w *server.ResponseWriter) {
		if n, err := w.WriteString(evil + x5000); n != 0 || err != http.ErrContentLength {
			t.Errorf("a write beyond the length: %d, %v", n, err)
		}
	}
}

func (c *late) run(t *testing.T) {
	t.Helper()
	k := handle(t, c.handler).talk(t)
	request := c.request
	if request == "" {
		request = twoGets
	}
	k.Send(request)
	all, _ := io.ReadAll(k.Conn) // a broken connection is one of the ways to end
	if got := undated(string(all)); got != c.want {
		t.Errorf("got  %.300q\nwant %.300q", got, c.want)
	}
}
