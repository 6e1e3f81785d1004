//lint:file-ignore SA1019 handlers still ask for http.CloseNotifier

package behaviour

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

const getRoot = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

// reply is a row about the response to a GET that a handler's calls make.
func reply(name, want string, h http.HandlerFunc) row {
	return row{name: name, say: getRoot, handler: h, want: want}
}

func writeRows() []row { return append(statusRows(), fieldRows()...) }

func statusRows() []row {
	return []row{
		reply("nothing", "200 OK\nContent-Length: 0", func(w http.ResponseWriter, r *http.Request) {}),
		reply("a write without a status", "200 OK",
			func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "hello world") }),
		reply("a status without a body", "404 Not Found\nContent-Length: 0",
			func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(404) }),
		reply("a status without a name", "299 \n",
			func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(299) }),
		{name: "the words behind a status", want: "416 Requested Range Not Satisfiable", play: playReasons},
		reply("a status of 999", "999 \n", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(999) }),
		reply("the first status counts", "201 Created", func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(201)
			w.WriteHeader(500)
		}),
		reply("a status after a write is too late", "200 OK", func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, "x")
			w.WriteHeader(500)
		}),
		reply("a write of nothing sets the status", "200 OK\nContent-Length: 0",
			func(w http.ResponseWriter, r *http.Request) {
				w.Write(nil)
				w.WriteHeader(500)
			}),
		reply("status 0 panics", "invalid WriteHeader code 0", catchStatus(0)),
		reply("status 99 panics", "invalid WriteHeader code 99", catchStatus(99)),
		reply("status 1000 panics", "invalid WriteHeader code 1000", catchStatus(1000)),
		reply("status -1 panics", "invalid WriteHeader code -1", catchStatus(-1)),
		reply("a write returns its length", "5 <nil>", func(w http.ResponseWriter, r *http.Request) {
			n, err := io.WriteString(w, "hello")
			fmt.Fprintf(w, " %d %v", n, err)
		}),
		reply("several writes make one body", "hello world", func(w http.ResponseWriter, r *http.Request) {
			for _, word := range []string{"hel", "lo ", "wor", "ld"} {
				io.WriteString(w, word)
			}
		}),
		reply("what the writer can", "true true true true true", func(w http.ResponseWriter, r *http.Request) {
			_, flusher := w.(http.Flusher)
			_, hijacker := w.(http.Hijacker)
			_, from := w.(io.ReaderFrom)
			_, text := w.(io.StringWriter)
			_, gone := w.(http.CloseNotifier)
			fmt.Fprint(w, flusher, hijacker, from, text, gone)
		}),
		reply("ReadFrom", "10 <nil>", func(w http.ResponseWriter, r *http.Request) {
			n, err := w.(io.ReaderFrom).ReadFrom(strings.NewReader("0123456789"))
			fmt.Fprint(w, n, err)
		}),
		reply("a large ReadFrom", "200000 bytes", func(w http.ResponseWriter, r *http.Request) {
			w.(io.ReaderFrom).ReadFrom(bytes.NewReader(make([]byte, 200_000)))
		}),
		reply("a reader that fails", "ab", func(w http.ResponseWriter, r *http.Request) {
			_, err := io.Copy(w, io.MultiReader(strings.NewReader("ab"), failing{}))
			fmt.Fprint(w, err)
		}),
		reply("the caller may change what was written", "aaa", func(w http.ResponseWriter, r *http.Request) {
			b := []byte("aaa")
			w.Write(b)
			copy(b, "bbb")
		}),
		reply("http.Error", "nosniff", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "1000")
			w.Header().Set("ETag", `"x"`)
			http.Error(w, "an error", 400)
		}),
	}
}

// failing is a reader that only fails.
type failing struct{}

// Read implements io.Reader.
func (failing) Read([]byte) (int, error) { return 0, fmt.Errorf("cannot read") }

// playReasons records the status lines of all codes that have a name.
func playReasons(s *scene) {
	s.serveFunc(func(w http.ResponseWriter, r *http.Request) {
		code, _ := strconv.Atoi(r.URL.Path[1:])
		w.WriteHeader(code)
	})
	p := s.dial()
	for code := 200; code < 600; code++ {
		if http.StatusText(code) == "" {
			continue
		}
		p.say(fmt.Sprintf("GET /%d HTTP/1.1\r\nHost: a\r\n\r\n", code))
		p.noteLines(func(line string) bool { return strings.HasPrefix(line, "HTTP/1.1 4") })
	}
}

func catchStatus(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		defer func() { fmt.Fprint(w, recover()) }()
		w.WriteHeader(code)
	}
}

func fieldRows() []row {
	return []row{
		reply("fields before a write", "X-Early: 1", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Early", "1")
			io.WriteString(w, "x")
			w.Header().Set("X-Late", "1")
		}),
		reply("fields after WriteHeader are too late", "201 Created\nContent-Length: 0",
			func(w http.ResponseWriter, r *http.Request) {
				w.WriteHeader(201)
				w.Header().Set("X-Late", "1")
			}),
		reply("fields changed after WriteHeader", "X: early", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X", "early")
			w.WriteHeader(201)
			w.Header().Set("X", "late")
			io.WriteString(w, "x")
		}),
		reply("fields deleted after WriteHeader", "X: early", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X", "early")
			w.WriteHeader(201)
			w.Header().Del("X")
		}),
		reply("fields after a flush are too late", "200 OK (chunked)", func(w http.ResponseWriter, r *http.Request) {
			w.(http.Flusher).Flush()
			w.Header().Set("X-Late", "1")
			io.WriteString(w, "x")
		}),
		reply("fields without a write", "X: 1",
			func(w http.ResponseWriter, r *http.Request) { w.Header().Set("X", "1") }),
		reply("several values", "X: 1\nX: 2", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Add("X", "1")
			w.Header().Add("X", "2")
		}),
		reply("a value with line breaks", "X: a  b",
			func(w http.ResponseWriter, r *http.Request) { w.Header().Set("X", "a\r\nb") }),
		reply("a value with spaces around it", "X: v",
			func(w http.ResponseWriter, r *http.Request) { w.Header().Set("X", "  v  ") }),
		reply("a name with a line break", "200 OK\nContent-Length: 0",
			func(w http.ResponseWriter, r *http.Request) { w.Header()["X\r\nY"] = []string{"z"} }),
		reply("a name with a space", "200 OK\nContent-Length: 0",
			func(w http.ResponseWriter, r *http.Request) { w.Header()["X Y"] = []string{"z"} }),
		reply("an empty value", "X: \n", func(w http.ResponseWriter, r *http.Request) { w.Header().Set("X", "") }),
		reply("a field without values", "200 OK\nContent-Length: 0",
			func(w http.ResponseWriter, r *http.Request) { w.Header()["X"] = nil }),
		{name: "a value with a control byte", say: getRoot, want: "broken response", ours: "X: a b",
			differs: "control bytes but tab become spaces, not CR and LF alone",
			handler: func(w http.ResponseWriter, r *http.Request) { w.Header().Set("X", "a\x01b") }},
		{name: "the order of fields", want: "A: 1\nB: 2\nC: 3", play: func(s *scene) {
			s.serveFunc(func(w http.ResponseWriter, r *http.Request) {
				for _, f := range []string{"C 3", "A 1", "B 2"} {
					w.Header().Set(f[:1], f[2:])
				}
			})
			s.noteHead(func(line string) bool { return len(line) == 4 })
		}},
		{name: "Date is set", want: "Date: true", play: func(s *scene) {
			s.serveFunc(func(w http.ResponseWriter, r *http.Request) {})
			res, err := s.client().Get("http://" + s.addr)
			if err != nil {
				s.t.Fatal(err)
			}
			_, err = http.ParseTime(res.Header.Get("Date"))
			s.notef("Date: %v", err == nil)
		}},
		{name: "Date set by the handler", want: "Date: yesterday", play: func(s *scene) {
			s.serveFunc(func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Date", "yesterday") })
			s.noteHead(func(line string) bool { return strings.HasPrefix(line, "Date") })
		}},
		{name: "no Date if the handler wants none", want: "no Date", play: func(s *scene) {
			s.serveFunc(func(w http.ResponseWriter, r *http.Request) { w.Header()["Date"] = nil })
			s.noteHead(func(line string) bool { return strings.HasPrefix(line, "Date") })
			s.notef("no Date")
		}},
		{name: "no field names the server", want: "no Server", play: func(s *scene) {
			s.serveFunc(func(w http.ResponseWriter, r *http.Request) {})
			s.noteHead(func(line string) bool { return strings.HasPrefix(line, "Server") })
			s.notef("no Server")
		}},
		{name: "keys in the handler's own spelling", want: "x-own: 1", play: func(s *scene) {
			s.serveFunc(func(w http.ResponseWriter, r *http.Request) { w.Header()["x-own"] = []string{"1"} })
			s.noteHead(func(line string) bool { return strings.Contains(line, "own") })
		}},
	}
}

// noteHead asks for / and records those lines of the response's head that keep chooses, as they were sent.
func (s *scene) noteHead(keep func(line string) bool) {
	p := s.dial()
	p.say(getRoot)
	p.noteLines(keep)
}

// noteLines records those lines of the next head that keep chooses, as they were sent.
func (p *peer) noteLines(keep func(line string) bool) {
	if p.session != nil {
		for _, line := range p.session.lines() {
			if keep(line) {
				p.s.notef("%s", line)
			}
		}
		return
	}
	for {
		line, err := p.in.ReadString('\n')
		line = strings.TrimRight(line, "\r\n")
		if err != nil || line == "" {
			return
		}
		if keep(line) {
			p.s.notef("%s", line)
		}
	}
}
