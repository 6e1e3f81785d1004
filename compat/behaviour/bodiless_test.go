package behaviour

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

func bodilessRows() []row {
	return append(append(headMethodRows(), statusWithoutBodyRows()...), connectRows()...)
}

// head is a row about the response to HEAD.
func head(name, want string, h http.HandlerFunc) row {
	return row{name: name, say: "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n", handler: h, want: want}
}

func headMethodRows() []row {
	return []row{
		head("HEAD: nothing written", "200 OK\n200 OK (closes)", func(w http.ResponseWriter, r *http.Request) {}),
		head("HEAD: length and type of a short body",
			"Content-Length: 10\nContent-Type: text/html; charset=utf-8\n200 OK (closes)",
			func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "<html>"); io.WriteString(w, "789a") }),
		head("HEAD: Copy", "Content-Length: 10", func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, "<html>")
			io.Copy(w, struct{ io.Reader }{strings.NewReader("789a")})
		}),
		head("HEAD: a declared length and no body", "Content-Length: 1234567\n200 OK (closes)",
			func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Length", "1234567")
			}),
		head("HEAD: a declared length and a body", "Content-Length: 5", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "5")
			io.WriteString(w, "hello")
		}),
		{name: "HEAD: a long body", say: "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n", want: "200 OK\nContent-Type",
			handler: func(w http.ResponseWriter, r *http.Request) { writeAll(w, xs(1000), 100) }},
		head("HEAD: a flush", "200 OK\nContent-Type: text/plain\n200 OK (closes)",
			func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/plain")
				w.(http.Flusher).Flush()
				io.WriteString(w, "hello")
			}),
		head("HEAD: a write returns its length", "5 <nil>", func(w http.ResponseWriter, r *http.Request) {
			n, err := io.WriteString(w, "hello")
			if n != 5 || err != nil {
				panic(err)
			}
		}).noting(),
		head("HEAD: an error", "404 Not Found", func(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) }),
		head("HEAD: no type if there is nothing", "200 OK\n200",
			func(w http.ResponseWriter, r *http.Request) { w.Write(nil) }),
	}
}

// noting makes a row's play record that the handler met what it expected.
func (r row) noting() row {
	h, say, want := r.handler, r.say, r.want
	return row{name: r.name, want: want, play: func(s *scene) {
		s.serve(after(h))
		s.converse(say)
		s.notef("%s", want)
	}}
}

func statusWithoutBodyRows() (rows []row) {
	for _, code := range []int{204, 304} {
		name, status := fmt.Sprint(code, ": "), fmt.Sprintf("%d %s", code, http.StatusText(code))
		rows = append(rows,
			reply(name+"nothing written", status+"\n200 OK (closes)",
				func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(code) }),
			reply(name+"a write fails", status+"\nX: body not allowed true\n",
				func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("X", "body not allowed true")
					w.WriteHeader(code)
					if _, err := io.WriteString(w, "stuff"); !errors.Is(err, http.ErrBodyNotAllowed) {
						panic(err)
					}
				}),
			reply(name+"a declared length is left out", status+"\n200 OK (closes)",
				func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Content-Length", "123")
					w.WriteHeader(code)
				}),
			reply(name+"a type that the handler sets stays", status, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "foo/bar")
				w.WriteHeader(code)
			}),
			row{name: name + "HTTP/1.0", want: status + " (closes)", say: "GET / HTTP/1.0\r\n\r\n",
				handler: func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(code) }},
			row{name: name + "HTTP/1.0 stays if it asks to", want: status + "\n200 OK",
				say:     "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
				handler: func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(code) }},
			reply(name+"Transfer-Encoding is left out", status+"\n200 OK (closes)",
				func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Transfer-Encoding", "chunked")
					w.WriteHeader(code)
				}),
			reply(name+"a flush", status+"\n200 OK (closes)", func(w http.ResponseWriter, r *http.Request) {
				w.WriteHeader(code)
				w.(http.Flusher).Flush()
			}),
		)
	}
	return append(rows, row{name: "205: a body", say: getRoot, want: "stuff", ours: "Content-Length: 0\n",
		differs: "a 205 response has no body (RFC 9110 §15.3.6)",
		handler: func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(205); io.WriteString(w, "stuff") }})
}

func connectRows() []row {
	const ask = "CONNECT b.test:80 HTTP/1.1\r\nHost: b.test:80\r\n\r\n"
	return []row{
		{name: "CONNECT: a 2xx response with a body", want: "stuff", ours: "200 OK (closes)\n",
			differs: "a 2xx response to CONNECT has no body; the tunnel begins after it (RFC 9110 §9.3.6)",
			play: func(s *scene) {
				s.serveFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "stuff") })
				p := s.dial()
				p.say(ask)
				p.finish()
				p.hear("GET") // GET: a body is read if there is one
			}},
		{name: "CONNECT: the connection after another response", want: "403 Forbidden\n",
			ours:    "403 Forbidden (closes)",
			differs: "what follows a refused CONNECT may be the tunnel's bytes",
			say:     ask, handler: func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(403) }},
	}
}
