package behaviour

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

func lengthRows() []row { return append(append(declaredRows(), framingRows()...), flushRows()...) }

// writeAll writes text n times.
func writeAll(w io.Writer, text string, n int) {
	for range n {
		io.WriteString(w, text)
	}
}

func declaredRows() []row {
	declare := func(length, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			w.Header().Set("Content-Length", length)
			io.WriteString(w, body)
		}
	}
	return []row{
		reply("a length that the handler declares", "200 OK\nContent-Length: 3", declare("3", "foo")),
		reply("a declared length of a long body", "Content-Length: 100000", declare("100000", xs(100_000))),
		reply("a declared length of 0", "Content-Length: 0", declare("0", "")),
		reply("less written than declared", "(cut off)", declare("500", "too short")),
		reply("nothing written of what was declared", "(cut off)\nended", declare("500", "")),
		{name: "a write beyond the declared length", say: getRoot, want: "200 OK", ours: "foo\"\nended",
			differs: "what a write has within the length is sent, not only what came before it",
			handler: func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Length", "3")
				_, err := io.WriteString(w, "foo too long")
				if !errors.Is(err, http.ErrContentLength) {
					panic(err)
				}
			}},
		{name: "more written than declared", say: getRoot, want: "foo\"\nended",
			handler: func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Length", "3")
				io.WriteString(w, "foo")
				if _, err := io.WriteString(w, "bar"); !errors.Is(err, http.ErrContentLength) {
					panic(err)
				}
			}},
		{name: "a declared length that is no number", say: getRoot, want: "200 OK (chunked)",
			handler: declare("x", "ok")},
		reply("no length if the handler wants none", "200 OK (chunked)",
			func(w http.ResponseWriter, r *http.Request) {
				w.Header()["Content-Length"] = nil
				io.WriteString(w, "ok")
			}),
	}
}

func framingRows() []row {
	return []row{
		reply("a short body has its length", "Content-Length: 5",
			func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "hello") }),
		reply("2 KiB in small writes", "Content-Length: 2000",
			func(w http.ResponseWriter, r *http.Request) { writeAll(w, xs(100), 20) }),
		{name: "3 KiB in small writes", say: getRoot, want: "200 OK (chunked)", ours: "Content-Length: 3000",
			differs: "bodies of up to 4 KiB get a length, not 2 KiB",
			handler: func(w http.ResponseWriter, r *http.Request) { writeAll(w, xs(100), 30) }},
		reply("a long body is chunked", "200 OK (chunked)",
			func(w http.ResponseWriter, r *http.Request) { writeAll(w, xs(100), 500) }),
		reply("one large write is chunked", "200 OK (chunked)",
			func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, xs(70_000)) }),
		reply("a megabyte", "1048576 bytes",
			func(w http.ResponseWriter, r *http.Request) { writeAll(w, xs(1<<10), 1<<10) }),
		reply("chunked that the handler asks for", "200 OK (chunked)", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Transfer-Encoding", "chunked")
			io.WriteString(w, "hello")
		}),
		{name: "chunked that the handler asks for is sent once", want: "Transfer-Encoding: chunked\nonce",
			play: func(s *scene) {
				s.serveFunc(func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Transfer-Encoding", "chunked")
					io.WriteString(w, "hello")
				})
				s.noteHead(func(line string) bool { return strings.HasPrefix(line, "Transfer-Encoding") })
				s.notef("once")
			}},
		{name: "identity that the handler asks for", say: getRoot, want: "200 OK (closes)",
			handler: coding("identity")},
		{name: "another coding that the handler asks for", say: getRoot, want: "broken response",
			handler: coding("gzip")},
		{name: "a coding beside a length", want: "200 OK\nContent-Length: 3\n", say: getRoot,
			handler: func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Length", "3")
				w.Header().Set("Transfer-Encoding", "identity")
				io.WriteString(w, "foo")
			}},
		{name: "HTTP/1.0 and a long body", want: "200 OK (closes)",
			say:     "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
			handler: func(w http.ResponseWriter, r *http.Request) { writeAll(w, xs(100), 500) }},
		{name: "HTTP/1.0 and a declared length", want: "after",
			say: "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
			handler: func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Length", "50000")
				writeAll(w, xs(100), 500)
			}},
		{name: "HTTP/1.0 and a flush", want: "200 OK (closes)",
			say: "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
			handler: func(w http.ResponseWriter,
				r *http.Request) {
				w.(http.Flusher).Flush()
				io.WriteString(w, "x")
			}},
		{name: "HTTP/1.0 and nothing", want: "Content-Length: 0",
			say:     "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
			handler: func(w http.ResponseWriter, r *http.Request) {}},
	}
}

func coding(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Transfer-Encoding", name)
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, "hello")
	}
}

func flushRows() []row {
	return []row{
		reply("a flush before the body", "200 OK (chunked)", func(w http.ResponseWriter, r *http.Request) {
			w.(http.Flusher).Flush()
			io.WriteString(w, "hello")
		}),
		reply("a flush within the body", "200 OK (chunked)", func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, "hel")
			w.(http.Flusher).Flush()
			io.WriteString(w, "lo")
		}),
		reply("a flush with a declared length", "200 OK\nContent-Length: 5",
			func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Length", "5")
				w.(http.Flusher).Flush()
				io.WriteString(w, "hello")
			}),
		reply("a flush and no body", "200 OK (chunked)",
			func(w http.ResponseWriter, r *http.Request) { w.(http.Flusher).Flush() }),
		reply("a flush keeps the status", "201 Created (chunked)", func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(201)
			w.(http.Flusher).Flush()
		}),
		reply("a controller's flush", "true", func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, http.NewResponseController(w).Flush() == nil)
		}),
		reply("a controller's flush through a wrapper", "true", func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, http.NewResponseController(wrapper{w}).Flush() == nil)
		}),
		{name: "what is flushed arrives", want: "part one", play: func(s *scene) {
			arrived := make(chan bool)
			s.serveFunc(func(w http.ResponseWriter, r *http.Request) {
				io.WriteString(w, "part one")
				w.(http.Flusher).Flush()
				await(s, arrived)
				io.WriteString(w, "part two")
			})
			res, err := s.client().Get("http://" + s.addr)
			if err != nil {
				s.t.Fatal(err)
			}
			defer res.Body.Close()
			b := make([]byte, 8)
			io.ReadFull(res.Body, b)
			s.notef("%s", b)
			close(arrived)
			rest, err := io.ReadAll(res.Body)
			s.notef("%s %v", rest, err)
		}},
		{name: "small writes share a chunk", want: "3\\r\\nxyz\\r\\n0\\r\\n\\r\\n", play: func(s *scene) {
			s.serveFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Connection", "close")
				w.(http.Flusher).Flush()
				for _, letter := range "xyz" {
					io.WriteString(w, string(letter))
				}
			})
			p := s.dial()
			p.say(getRoot)
			all, _ := io.ReadAll(p.in)
			_, body, _ := strings.Cut(string(all), "\r\n\r\n")
			s.notef("%q", body)
		}},
		{name: "a chunked body and reuse of the connection", want: "same connection: true", play: func(s *scene) {
			s.serveFunc(func(w http.ResponseWriter, r *http.Request) {
				w.(http.Flusher).Flush()
				io.WriteString(w, r.RemoteAddr)
			})
			c := s.client()
			var from [2]string
			for i := range from {
				res, err := c.Get("http://" + s.addr)
				if err != nil {
					s.t.Fatal(err)
				}
				b, _ := io.ReadAll(res.Body)
				res.Body.Close()
				from[i] = string(b)
			}
			s.notef("same connection: %v", from[0] == from[1] && from[0] != "")
		}},
	}
}

// wrapper is a middleware's ResponseWriter.
type wrapper struct{ http.ResponseWriter }

// Unwrap is what http.ResponseController looks for.
func (w wrapper) Unwrap() http.ResponseWriter { return w.ResponseWriter }
