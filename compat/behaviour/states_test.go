package behaviour

import (
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
)

// states is a row about the states of one connection: act is what the client does, want lists the calls of ConnState.
func states(name, want string, act func(s *scene, p *peer)) row {
	return row{name: name, want: want, play: func(s *scene) {
		var mu sync.Mutex
		var seen []string
		same := map[net.Conn]bool{}
		s.start(&http.Server{Handler: stateHandler(s), ConnState: func(c net.Conn, state http.ConnState) {
			mu.Lock()
			defer mu.Unlock()
			seen = append(seen, state.String())
			same[c] = true
		}})
		act(s, s.dial())
		var got string
		s.until("the last state", func() bool {
			mu.Lock()
			defer mu.Unlock()
			got = strings.Join(seen, " ")
			return strings.HasSuffix(got, "closed") || strings.HasSuffix(got, "hijacked")
		})
		s.notef("%s, one connection: %v", got, len(same) == 1)
	}}
}

func stateHandler(s *scene) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/close":
			w.Header().Set("Connection", "close")
		case "/hijack", "/hijack-panic":
			c, _ := take(s, w)
			io.WriteString(c, "HTTP/1.0 200 OK\r\n\r\nhello")
			c.Close()
			if r.URL.Path == "/hijack-panic" {
				panic("oops")
			}
		case "/panic":
			panic("oops")
		}
	})
}

func stateRows() []row {
	ask := func(paths ...string) func(*scene, *peer) {
		return func(s *scene, p *peer) {
			for _, path := range paths {
				p.say("GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n")
				p.hearStatus("GET")
			}
		}
	}
	thenLeave := func(act func(*scene, *peer)) func(*scene, *peer) {
		return func(s *scene, p *peer) { act(s, p); p.Close() }
	}
	return []row{
		states("two requests, the second closes", "new active idle active closed, one connection: true",
			ask("/", "/close")),
		states("a request, then the client leaves", "new active idle closed, one connection: true",
			thenLeave(ask("/"))),
		states("a client that only connects", "new closed, one connection: true",
			func(s *scene, p *peer) { p.Close() }),
		states("Hijack", "new active hijacked, one connection: true", ask("/hijack")),
		states("Hijack and a panic", "new active hijacked, one connection: true", ask("/hijack-panic")),
		states("a panic", "new active closed, one connection: true", ask("/panic")),
		states("a broken request", "new active closed, one connection: true", func(s *scene, p *peer) {
			p.say("BOGUS REQUEST\r\n\r\n")
			p.hearStatus("GET")
		}),
		states("half a head", "new active closed, one connection: true", func(s *scene, p *peer) {
			p.say("GET / HTTP/1.1\r\n")
			p.finish()
			io.Copy(io.Discard, p.in)
		}),
		states("HTTP/1.0", "new active closed, one connection: true", func(s *scene, p *peer) {
			p.say("GET / HTTP/1.0\r\n\r\n")
			p.hearStatus("GET")
		}),
		{name: "a connection of a wrapping listener is the one that was accepted", want: "true",
			play: func(s *scene) {
				client, server := net.Pipe()
				got := make(chan bool, 10)
				s.startOn(&http.Server{Handler: http.NotFoundHandler(),
					ConnState: func(c net.Conn, state http.ConnState) {
						if state == http.StateNew {
							got <- c == server
						}
					}}, newOneConn(server))
				p := s.peerOn(client)
				go p.say(getRoot)
				p.hear("GET")
				s.notef("%v", await(s, got))
			}},
		{name: "StateNew comes before Serve accepts on", want: "new", play: func(s *scene) {
			client, server := net.Pipe()
			defer client.Close()
			var seen string // no lock: the accepting goroutine writes it
			l := newOneConn(server)
			s.prepare(&http.Server{Handler: http.NotFoundHandler(),
				ConnState: func(c net.Conn, state http.ConnState) {
					if state == http.StateNew {
						seen = "new"
						l.Close()
					}
				}})
			s.host.Serve(l)
			s.notef("%s", seen)
		}},
		{name: "idle only when the response is on its way", want: "200 OK\nidle after the response: true",
			play: func(s *scene) {
				idle := make(chan bool, 1)
				s.start(&http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {}),
					ConnState: func(c net.Conn, state http.ConnState) {
						if state == http.StateIdle {
							idle <- true
						}
					}})
				p := s.dial()
				p.say(getRoot)
				p.hearStatus("GET")
				s.notef("idle after the response: %v", await(s, idle))
			}},
	}
}
