package behaviour

import (
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
)

// panicking is a row about a handler that panics: what the client gets and what is logged.
func panicking(name, want string, logged bool, h http.HandlerFunc) row {
	return row{name: name, want: want, play: func(s *scene) {
		s.serve(after(h))
		p := s.dial()
		p.say(getRoot + "GET /after HTTP/1.1\r\nHost: a\r\n\r\n")
		p.hear("GET")
		p.hearEnd()
		if logged {
			s.until("a panic in the log", func() bool { return strings.Contains(s.log.String(), "goroutine") })
			s.notef("logged: %v", strings.Contains(s.log.String(), "panic serving 127.0.0.1:"))
			return
		}
		s.notef("log: %q", s.log.String())
	}}
}

func panicRows() []row {
	return append(logRows(),
		panicking("a panic", "ended\nended\nlogged: true", true,
			func(w http.ResponseWriter, r *http.Request) { panic("oops") }),
		panicking("a panic with nil", "ended\nended\nlogged: true", true,
			func(w http.ResponseWriter, r *http.Request) { panic(nil) }),
		panicking("a panic with an error", "ended\nended\nlogged: true", true,
			func(w http.ResponseWriter, r *http.Request) { panic(io.EOF) }),
		panicking("a runtime error", "ended\nended\nlogged: true", true,
			func(w http.ResponseWriter, r *http.Request) {
				var none []int
				_ = none[len(r.Method)]
			}),
		panicking("http.ErrAbortHandler is not logged", "ended\nended\nlog: \"\"", false,
			func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) }),
		panicking("a panic after a write", "ended\nended", true, func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, "lost")
			panic("oops")
		}),
		panicking("a panic after the status", "ended\nended", true, func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(201)
			panic("oops")
		}),
		row{name: "a panic after a flush", want: "(cut off)", play: func(s *scene) {
			arrived := make(chan bool)
			s.serveFunc(func(w http.ResponseWriter, r *http.Request) {
				io.WriteString(w, "part")
				w.(http.Flusher).Flush()
				await(s, arrived)
				panic(http.ErrAbortHandler)
			})
			res, err := s.client().Get("http://" + s.addr)
			if err != nil {
				s.t.Fatal(err)
			}
			defer res.Body.Close()
			b := make([]byte, 4)
			io.ReadFull(res.Body, b)
			close(arrived)
			_, err = io.ReadAll(res.Body)
			s.notef("%s%s", b, ending(err))
		}},
		row{name: "a panic in TimeoutHandler", want: "logged: true", play: func(s *scene) {
			s.serve(http.TimeoutHandler(http.HandlerFunc(func(w http.ResponseWriter,
				r *http.Request) {
				panic("oops")
			}), patience, ""))
			p := s.dial()
			p.say(getRoot)
			p.hear("GET")
			s.until("a panic in the log", func() bool { return strings.Contains(s.log.String(), "oops") })
			s.notef("logged: true")
		}},
		row{name: "a panic that the handler recovers", say: getRoot, want: "recovered",
			handler: func(w http.ResponseWriter, r *http.Request) {
				defer func() { fmt.Fprint(w, "recovered ", recover()) }()
				panic("oops")
			}},
		row{name: "Goexit", want: "ended", play: func(s *scene) {
			s.serveFunc(func(w http.ResponseWriter, r *http.Request) { runtime.Goexit() })
			p := s.dial()
			p.say(getRoot)
			p.hear("GET")
		}},
		row{name: "a panic of one handler does not touch another", want: "200 OK", play: func(s *scene) {
			in, out := make(chan bool), make(chan bool)
			s.serveFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/" {
					panic("oops")
				}
				close(in)
				await(s, out)
			})
			quiet, loud := s.dial(), s.dial()
			quiet.say("GET /quiet HTTP/1.1\r\nHost: a\r\n\r\n")
			await(s, in)
			loud.say(getRoot)
			loud.hear("GET")
			close(out)
			quiet.hear("GET")
		}},
	)
}

// logging is a row about a line in the log.
func logging(name, want string, h http.HandlerFunc) row {
	return row{name: name, want: want, play: func(s *scene) {
		s.serveFunc(h)
		p := s.dial()
		p.say("GET /?a=1;b=2 HTTP/1.1\r\nHost: a\r\n\r\n")
		p.hear("GET")
		line, _, _ := strings.Cut(s.log.String(), "\n")
		line, where, _ := strings.Cut(line, " from ")
		s.notef("log: %q, the caller is named: %v", line, strings.Contains(where, "panics_test.go"))
	}}
}

func logRows() []row {
	return []row{
		logging("a second status is logged",
			"http: superfluous response.WriteHeader call\", the caller is named: true",
			func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(201); w.WriteHeader(202) }),
		logging("an invalid status after a write is only logged",
			"http: superfluous response.WriteHeader call\", the caller is named: true",
			func(w http.ResponseWriter, r *http.Request) { w.Write([]byte("x")); w.WriteHeader(0) }),
		logging("a bad declared length is logged", "invalid Content-Length",
			func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Length", "x")
				w.WriteHeader(204)
			}),
		logging("nothing is logged without a reason", `log: ""`, func(w http.ResponseWriter, r *http.Request) {}),
		{name: "a semicolon in a query is not logged", want: `log: ""`, play: func(s *scene) {
			s.serveFunc(func(w http.ResponseWriter, r *http.Request) {})
			p := s.dial()
			p.say("GET /?a=1;b=2 HTTP/1.1\r\nHost: a\r\n\r\n")
			p.hear("GET")
			s.notef("log: %q", s.log.String())
		}},
		{name: "a broken request is not logged", want: `log: ""`, play: func(s *scene) {
			s.serve(http.NotFoundHandler())
			p := s.dial()
			p.say("BOGUS\r\n\r\n")
			p.hearStatus("GET")
			p.hearEnd()
			s.notef("log: %q", s.log.String())
		}},
		{name: "a status on a hijacked connection is logged", want: "on hijacked connection", play: func(s *scene) {
			done := make(chan bool)
			s.serveFunc(func(w http.ResponseWriter, r *http.Request) {
				defer close(done)
				c, _, err := w.(http.Hijacker).Hijack()
				if err != nil {
					s.notef("%v", err)
					return
				}
				defer c.Close()
				w.WriteHeader(0)
			})
			p := s.dial()
			p.say(getRoot)
			await(s, done)
			line, where, _ := strings.Cut(s.log.String(), " from ")
			s.notef("%s, the caller is named: %v", line, strings.Contains(where, "panics_test.go"))
		}},
	}
}
