package behaviour

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

// short is a timeout that a row waits for. What must come in time comes within it on a busy machine as well.
const short = 300 * time.Millisecond

func timeoutRows() []row {
	return append(append(serverTimeoutRows(), deadlineRows()...), noTimeoutRows()...)
}

// late reports whether err is that of a deadline.
func late(err error) string {
	return fmt.Sprintf("deadline exceeded: %v", errors.Is(err, os.ErrDeadlineExceeded))
}

func serverTimeoutRows() []row {
	return []row{
		{name: "ReadTimeout: a client that says nothing", want: "ended", play: func(s *scene) {
			s.start(&http.Server{ReadTimeout: short, Handler: http.NotFoundHandler()})
			p := s.dial()
			time.Sleep(3 * short)
			p.say(getRoot)
			p.hearStatus("GET")
		}},
		{name: "IdleTimeout: a client that says nothing", want: "ended", play: func(s *scene) {
			s.start(&http.Server{ReadTimeout: short, IdleTimeout: short, Handler: http.NotFoundHandler()})
			s.dial().hearEnd()
		}},
		{name: "ReadTimeout: the body does not come", want: "deadline exceeded: true", play: func(s *scene) {
			s.start(&http.Server{ReadTimeout: short, ReadHeaderTimeout: -1, Handler: http.HandlerFunc(
				func(w http.ResponseWriter, r *http.Request) {
					_, err := io.Copy(io.Discard, r.Body)
					fmt.Fprint(w, late(err))
				})})
			p := s.dial()
			p.say(post(sized(100), "some"))
			p.hear("POST")
			p.hearEnd()
		}},
		{name: "ReadTimeout: a handler that says nothing of the body", want: "ended", play: func(s *scene) {
			s.start(&http.Server{ReadTimeout: short, Handler: http.HandlerFunc(
				func(w http.ResponseWriter, r *http.Request) { s.notef("one request") })})
			p := s.dial()
			p.say(post(sized(100), "some"))
			p.response("POST", brief)
			p.hearEnd()
		}},
		{name: "ReadTimeout is no limit for the handler", want: "<nil>", play: func(s *scene) {
			s.start(&http.Server{ReadTimeout: short,
				Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					select {
					case <-r.Context().Done():
					case <-time.After(3 * short):
					}
					fmt.Fprint(w, r.Context().Err())
				})})
			p := s.dial()
			p.say(getRoot)
			p.hear("GET")
		}},
		{name: "ReadHeaderTimeout: half a head", want: "ended",
			play: func(s *scene) {
				s.start(&http.Server{ReadHeaderTimeout: short, Handler: http.NotFoundHandler()})
				p := s.dial()
				p.say("GET / HTTP/1.1\r\nHost: a\r\n")
				p.hearStatus("GET")
			}},
		{name: "ReadHeaderTimeout does not count the body", want: "hello", play: func(s *scene) {
			head := make(chan bool)
			s.start(&http.Server{ReadHeaderTimeout: short,
				Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					close(head)
					echo(w, r)
				})})
			p := s.dial()
			p.say(post(sized(5), ""))
			await(s, head)
			time.Sleep(3 * short)
			p.say("hello")
			p.hear("POST")
		}},
		{name: "ReadHeaderTimeout does not count idle time", want: "404 Not Found\n404 Not Found",
			play: func(s *scene) {
				s.start(&http.Server{ReadHeaderTimeout: short, Handler: http.NotFoundHandler(), IdleTimeout: time.Hour})
				p := s.dial()
				p.say(getRoot)
				p.hearStatus("GET")
				time.Sleep(3 * short)
				p.say(getRoot)
				p.hearStatus("GET")
			}},
		{name: "ReadHeaderTimeout is over when the head is there", want: "ok", play: func(s *scene) {
			s.start(&http.Server{ReadHeaderTimeout: short,
				Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					w.(http.Flusher).Flush()
					time.Sleep(3 * short)
					io.WriteString(w, "ok")
				})})
			p := s.dial()
			p.say(getRoot)
			p.hear("GET")
		}},
		{name: "IdleTimeout", want: "404 Not Found\nended", play: func(s *scene) {
			s.start(&http.Server{IdleTimeout: short, Handler: http.NotFoundHandler()})
			p := s.dial()
			p.say(getRoot)
			p.hearStatus("GET")
			p.hearEnd()
		}},
		{name: "WriteTimeout: a client that does not read", want: "deadline exceeded: true", play: func(s *scene) {
			failed := make(chan error, 1)
			s.start(&http.Server{WriteTimeout: short,
				Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					_, err := io.Copy(w, endless{})
					failed <- err
				})})
			p := s.dial()
			p.say(getRoot)
			s.notef("%s", late(await(s, failed)))
		}},
		{name: "WriteTimeout: a handler that takes longer", want: "ended", play: func(s *scene) {
			s.start(&http.Server{WriteTimeout: short,
				Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					time.Sleep(3 * short)
					io.WriteString(w, "late")
				})})
			p := s.dial()
			p.say(getRoot)
			p.hearStatus("GET")
		}},
		{name: "WriteTimeout: what was flushed in time arrives", want: "early", play: func(s *scene) {
			s.start(&http.Server{WriteTimeout: 2 * short,
				Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Content-Length", "9")
					io.WriteString(w, "early")
					w.(http.Flusher).Flush()
					time.Sleep(5 * short)
					io.WriteString(w, "late")
				})})
			p := s.dial()
			p.say(getRoot)
			p.hear("GET")
		}},
		{name: "WriteTimeout counts for each request", want: "404 Not Found\n404 Not Found\n404 Not Found",
			play: func(s *scene) {
				s.start(&http.Server{WriteTimeout: 10 * short, Handler: http.NotFoundHandler()})
				p := s.dial()
				for range 3 {
					p.say(getRoot)
					p.hearStatus("GET")
					time.Sleep(5 * short)
				}
			}},
	}
}

// endless is a reader without end.
type endless struct{}

// Read implements io.Reader.
func (endless) Read(p []byte) (int, error) { return len(p), nil }

func noTimeoutRows() (rows []row) {
	for _, none := range []time.Duration{0, -1} {
		rows = append(rows,
			row{name: fmt.Sprintf("ReadTimeout %d is none", none), want: "hello", play: func(s *scene) {
				s.start(&http.Server{ReadTimeout: none, Handler: http.HandlerFunc(echo)})
				p := s.dial()
				p.say(post(sized(5), "he"))
				time.Sleep(short)
				p.say("llo")
				p.hear("POST")
			}},
			row{name: fmt.Sprintf("WriteTimeout %d is none", none), want: "1048576 bytes", play: func(s *scene) {
				s.start(&http.Server{WriteTimeout: none,
					Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						time.Sleep(short)
						writeAll(w, xs(1<<10), 1<<10)
					})})
				p := s.dial()
				p.say(getRoot)
				p.hear("GET")
			}})
	}
	return rows
}

// deadlineRows are about the deadlines of http.ResponseController.
func deadlineRows() []row {
	return []row{
		{name: "a write deadline that has passed", want: "one\"\n(cut off)\nflush failed: true, again: true",
			play: func(s *scene) {
				done := make(chan bool)
				s.serveFunc(func(w http.ResponseWriter, r *http.Request) {
					defer close(done)
					c := http.NewResponseController(w)
					io.WriteString(w, "one")
					c.Flush()
					c.SetWriteDeadline(time.Now().Add(-time.Second))
					io.WriteString(w, "two")
					first := c.Flush()
					c.SetWriteDeadline(time.Now().Add(time.Hour))
					io.WriteString(w, "three")
					s.log.Write([]byte(fmt.Sprintf("flush failed: %v, again: %v", first != nil, c.Flush() != nil)))
				})
				p := s.dial()
				p.say(getRoot)
				p.hear("GET")
				await(s, done)
				s.notef("%s", s.log.String())
			}},
		{name: "a write deadline to come", want: "deadline exceeded: true", play: func(s *scene) {
			failed := make(chan error, 1)
			s.serveFunc(func(w http.ResponseWriter, r *http.Request) {
				c := http.NewResponseController(w)
				c.Flush()
				s.notef("set: %v", c.SetWriteDeadline(time.Now().Add(short)))
				_, err := io.Copy(w, endless{})
				failed <- err
			})
			p := s.dial()
			p.say(getRoot)
			s.notef("%s", late(await(s, failed)))
		}},
		{name: "a read deadline that has passed", want: "one, then \"\" true, again \"\" true", play: func(s *scene) {
			done := make(chan string, 1)
			s.serveFunc(func(w http.ResponseWriter, r *http.Request) {
				c := http.NewResponseController(w)
				b := make([]byte, 3)
				io.ReadFull(r.Body, b)
				c.SetReadDeadline(time.Now())
				then, err := io.ReadAll(r.Body)
				c.SetReadDeadline(time.Time{})
				again, err2 := io.ReadAll(r.Body)
				done <- fmt.Sprintf("%s, then %q %v, again %q %v", b, then, err != nil, again, err2 != nil)
			})
			p := s.dial()
			p.say(post(chunkedField, "3\r\none\r\n"))
			s.notef("%s", await(s, done))
			p.response("POST", brief)
			p.hearEnd()
		}},
		{name: "a read deadline to come", want: "deadline exceeded: true", play: func(s *scene) {
			s.serveFunc(func(w http.ResponseWriter, r *http.Request) {
				http.NewResponseController(w).SetReadDeadline(time.Now().Add(short))
				_, err := io.Copy(io.Discard, r.Body)
				fmt.Fprint(w, late(err))
			})
			p := s.dial()
			p.say(post(sized(100), "some"))
			p.hear("POST")
			p.hearEnd()
		}},
		reply("deadlines through a wrapper", "<nil> <nil>", func(w http.ResponseWriter, r *http.Request) {
			c := http.NewResponseController(wrapper{w})
			fmt.Fprint(w, c.SetReadDeadline(time.Time{}), c.SetWriteDeadline(time.Time{}))
		}),
		{name: "a read deadline does not outlive its request", want: "200 OK\n200 OK", play: func(s *scene) {
			s.serveFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/first" {
					http.NewResponseController(w).SetReadDeadline(time.Now().Add(short))
				}
				echo(w, r)
			})
			p := s.dial()
			p.say("GET /first HTTP/1.1\r\nHost: a\r\n\r\n")
			p.hearStatus("GET")
			p.say(post(sized(5), "hel"))
			time.Sleep(3 * short)
			p.say("lo")
			p.hearStatus("POST")
		}},
		{name: "a write deadline longer than WriteTimeout", want: "slow but sure", play: func(s *scene) {
			s.start(&http.Server{WriteTimeout: 2 * short,
				Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					http.NewResponseController(w).SetWriteDeadline(time.Now().Add(time.Hour))
					time.Sleep(5 * short)
					io.WriteString(w, "slow but sure")
				})})
			p := s.dial()
			p.say(getRoot)
			p.hear("GET")
		}},
	}
}
