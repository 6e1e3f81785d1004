//lint:file-ignore SA1019 handlers still ask for http.CloseNotifier

package behaviour

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
)

// hijacked is a row about a connection that the handler takes over: the client sends text and records the reply.
func hijacked(name, text, want string, h func(s *scene, w http.ResponseWriter, r *http.Request)) row {
	return row{name: name, want: want, play: func(s *scene) {
		var calls sync.WaitGroup
		s.serveFunc(func(w http.ResponseWriter, r *http.Request) {
			calls.Add(1)
			defer calls.Done()
			h(s, w, r)
		})
		p := s.dial()
		go func() { p.say(text); p.finish() }()
		p.hearRest()
		calls.Wait()
	}}
}

// instead marks a row as differing.
func (r row) instead(ours, why string) row {
	r.ours, r.differs = ours, why
	return r
}

// take hijacks the connection; the row fails if that is not possible.
func take(s *scene, w http.ResponseWriter) (net.Conn, *bufio.ReadWriter) {
	c, rw, err := http.NewResponseController(w).Hijack()
	if err != nil {
		s.notef("Hijack: %v", err)
		panic(http.ErrAbortHandler)
	}
	return c, rw
}

func hijackRows() []row { return append(append(takenRows(), afterHijackRows()...), upgradeRows()...) }

func takenRows() []row {
	return []row{
		hijacked("writing to both", getRoot, "[buffered][direct]",
			func(s *scene, w http.ResponseWriter, r *http.Request) {
				c, rw := take(s, w)
				rw.WriteString("[buffered]")
				rw.Flush()
				io.WriteString(c, "[direct]")
				c.Close()
			}),
		hijacked("what came behind the head is in the reader", getRoot+"foo", "foo <nil>",
			func(s *scene, w http.ResponseWriter, r *http.Request) {
				c, rw := take(s, w)
				defer c.Close()
				b, err := rw.Peek(3)
				fmt.Fprintf(c, "%s %v", b, err)
			}),
		hijacked("100 KiB behind the head", getRoot+xs(100<<10), "102400 <nil>",
			func(s *scene, w http.ResponseWriter, r *http.Request) {
				c, rw := take(s, w)
				defer c.Close()
				n, err := io.ReadFull(rw, make([]byte, 100<<10))
				fmt.Fprint(c, n, err)
			}),
		hijacked("8 KiB behind the head until the end", getRoot+xs(8<<10), "8192 <nil>",
			func(s *scene, w http.ResponseWriter, r *http.Request) {
				c, rw := take(s, w)
				defer c.Close()
				b, err := io.ReadAll(rw)
				fmt.Fprint(c, len(b), err)
			}),
		hijacked("what comes later is in the reader", getRoot+"later", "later",
			func(s *scene, w http.ResponseWriter, r *http.Request) {
				ctx := r.Context()
				c, rw := take(s, w)
				defer c.Close()
				io.CopyN(c, rw, 5)
				fmt.Fprint(c, " ", ctx.Err())
			}),
		hijacked("the body can be read before", post(sized(5), "hello")+"more", "hello more",
			func(s *scene, w http.ResponseWriter, r *http.Request) {
				b, _ := io.ReadAll(r.Body)
				c, rw := take(s, w)
				defer c.Close()
				more, _ := io.ReadAll(rw)
				fmt.Fprintf(c, "%s %s", b, more)
			}),
		hijacked("the fields of the writer are not sent", getRoot, `rest: "only"`,
			func(s *scene, w http.ResponseWriter, r *http.Request) {
				w.Header().Set("X", "1")
				c, _ := take(s, w)
				defer c.Close()
				io.WriteString(c, "only")
			}),
		hijacked("the connection stays open after the handler", getRoot, "late",
			func(s *scene, w http.ResponseWriter, r *http.Request) {
				c, _ := take(s, w)
				go func() {
					defer c.Close()
					<-r.Context().Done()
					io.WriteString(c, "late")
				}()
			}),
		hijacked("addresses", getRoot, "true true", func(s *scene, w http.ResponseWriter, r *http.Request) {
			c, _ := take(s, w)
			defer c.Close()
			fmt.Fprint(c, c.RemoteAddr().String() == r.RemoteAddr, c.LocalAddr().String() == s.addr)
		}),
		{name: "the accepted connection is handed over", want: "*net.TCPConn", ours: "wraps",
			differs: "without a hook, an upgrade or TLS it is wrapped", latched: true,
			play: func(s *scene) {
				s.serveFunc(func(w http.ResponseWriter, r *http.Request) {
					c, _ := take(s, w)
					defer c.Close()
					if _, ok := c.(*net.TCPConn); ok {
						io.WriteString(c, "*net.TCPConn")
						return
					}
					io.WriteString(c, "wraps")
				})
				p := s.dial()
				p.say(getRoot)
				p.hearRest()
			}},
		{name: "the accepted connection is handed over for an upgrade", want: "*net.TCPConn", play: func(s *scene) {
			s.serveFunc(func(w http.ResponseWriter, r *http.Request) {
				c, _ := take(s, w)
				defer c.Close()
				fmt.Fprintf(c, "%T", c)
			})
			p := s.dial()
			p.say("GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
			p.hearRest()
		}},
	}
}

func afterHijackRows() []row {
	return []row{
		hijacked("hijacking twice", getRoot, "true", func(s *scene, w http.ResponseWriter, r *http.Request) {
			c, _ := take(s, w)
			defer c.Close()
			_, _, err := w.(http.Hijacker).Hijack()
			fmt.Fprint(c, errors.Is(err, http.ErrHijacked))
		}),
		hijacked("the writer after Hijack", getRoot, "0 true 0 true",
			func(s *scene, w http.ResponseWriter, r *http.Request) {
				c, _ := take(s, w)
				defer c.Close()
				n, err := io.WriteString(w, "x")
				none, err2 := w.Write(nil)
				fmt.Fprint(c, n, errors.Is(err, http.ErrHijacked), none, errors.Is(err2, http.ErrHijacked))
			}),
		hijacked("a flush after Hijack", getRoot, `rest: ""`, func(s *scene, w http.ResponseWriter, r *http.Request) {
			c, _ := take(s, w)
			defer c.Close()
			w.(http.Flusher).Flush()
			io.WriteString(c, "x")
		}).instead(`rest: "x"`, "Flush after Hijack does nothing; it does not panic"),
		{name: "what was flushed before", want: "Hello, world!", play: func(s *scene) {
			s.serveFunc(func(w http.ResponseWriter, r *http.Request) {
				io.WriteString(w, "Hello, ")
				w.(http.Flusher).Flush()
				c, rw := take(s, w)
				defer c.Close()
				rw.WriteString("6\r\nworld!\r\n0\r\n\r\n")
				rw.Flush()
			})
			p := s.dial()
			p.say(getRoot)
			p.hear("GET")
			p.hearEnd()
		}},
		{name: "a panic after Hijack", want: "rest: \"hello\"\nlogged: true", play: func(s *scene) {
			s.serveFunc(func(w http.ResponseWriter, r *http.Request) {
				c, _ := take(s, w)
				io.WriteString(c, "hello")
				c.Close()
				panic("oops")
			})
			p := s.dial()
			p.say(getRoot)
			p.hearRest()
			s.until("a panic in the log", func() bool { return strings.Contains(s.log.String(), "oops") })
			s.notef("logged: %v", strings.Contains(s.log.String(), "panic serving"))
		}},
		{name: "CloseNotify in an earlier request", want: "hijacked", play: func(s *scene) {
			s.serveFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/notify" {
					w.(http.CloseNotifier).CloseNotify()
					return
				}
				c, _ := take(s, w)
				defer c.Close()
				io.WriteString(c, "hijacked")
			})
			p := s.dial()
			p.say("GET /notify HTTP/1.1\r\nHost: a\r\n\r\n")
			p.hear("GET")
			p.say(getRoot)
			p.hearRest()
		}},
		{name: "words that are no HTTP after a body", want: "broken response", play: func(s *scene) {
			s.serveFunc(func(w http.ResponseWriter, r *http.Request) {
				io.Copy(io.Discard, r.Body)
				c, _ := take(s, w)
				defer c.Close()
				io.WriteString(c, "no HTTP\n")
			})
			p := s.dial()
			p.say(post(sized(5), "hello"))
			p.hear("POST")
		}},
	}
}

func upgradeRows() []row {
	const isHTTP2 = "the preface of HTTP/2 begins HTTP/2, unless Protocols leaves that out"
	const ask = "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n"
	switchTo := func(w http.ResponseWriter) {
		w.Header().Set("Connection", "Upgrade")
		w.Header().Set("Upgrade", "echo")
		w.Header()["Date"] = nil
		w.WriteHeader(101)
	}
	return []row{
		hijacked("101 through the writer", ask, "101 Switching Protocols",
			func(s *scene, w http.ResponseWriter, r *http.Request) {
				switchTo(w)
				c, _ := take(s, w)
				defer c.Close()
				io.WriteString(c, "echo")
			}),
		hijacked("101 and a flush", getRoot, "true", func(s *scene, w http.ResponseWriter, r *http.Request) {
			switchTo(w)
			w.(http.Flusher).Flush()
			w.WriteHeader(200)
			_, err := io.WriteString(w, "x")
			c, _ := take(s, w)
			defer c.Close()
			fmt.Fprint(c, err != nil)
		}),
		{name: "an upgrade that the handler ignores", want: "200 OK\n", say: ask,
			handler: func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "no") }},
		{name: "101 with keep-alive switched off", want: "Connection: Upgrade", play: func(s *scene) {
			std := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switchTo(w)
				c, rw := take(s, w)
				defer c.Close()
				io.Copy(c, rw)
			})}
			s.prepare(std)
			s.host.SetKeepAlivesEnabled(false)
			s.start(std)
			p := s.dial()
			p.say("GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, close\r\nUpgrade: echo\r\n\r\n")
			res, err := http.ReadResponse(p.in, nil)
			if err != nil {
				s.t.Fatal(err)
			}
			s.notef("%d\nConnection: %s", res.StatusCode, strings.Join(res.Header["Connection"], "|"))
			p.say("hello")
			p.finish()
			p.hearRest()
		}},
		{name: "the HTTP/2 preface that nobody takes", want: "200 OK (closes)\nended", ours: "broken response", differs: isHTTP2,
			play: func(s *scene) {
				s.serveFunc(func(w http.ResponseWriter, r *http.Request) {})
				p := s.dial()
				p.say("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
				p.finish()
				p.hearStatus("GET")
				p.hearEnd()
			}},
		hijacked("the HTTP/2 preface reaches a handler", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "PRI * true",
			func(s *scene, w http.ResponseWriter, r *http.Request) {
				c, rw := take(s, w)
				defer c.Close()
				b := make([]byte, 6)
				io.ReadFull(rw, b)
				fmt.Fprintf(c, "%s %s %v %q", r.Method, r.RequestURI, r.Close, b)
			}).instead(`\x00\x00\x18\x04`, isHTTP2),
	}
}
