package behaviour

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"

	"github.com/shockwave-go/shockwave/compat/internal/both"
)

func keepAliveRows() []row { return append(askedRows(), connectionRows()...) }

// asked is a row about whether the connection stays after a request with that head and a response of h.
func asked(name, head, want string, h http.HandlerFunc) row {
	return row{name: name, say: head + "\r\n", handler: h, want: want}
}

func askedRows() []row {
	nothing := func(w http.ResponseWriter, r *http.Request) {}
	connection := func(value string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Connection", value) }
	}
	const v11, v10 = "GET / HTTP/1.1\r\nHost: a\r\n", "GET / HTTP/1.0\r\n"
	const stays, goes = "200 OK\nContent-Length: 0\n200 OK (closes)", "200 OK (closes)\nContent-Length: 0\n"
	return []row{
		asked("HTTP/1.1 stays", v11, stays, nothing),
		asked("HTTP/1.1 asks to close", v11+"Connection: close\r\n", goes, nothing),
		asked("close in another case", v11+"Connection: Close\r\n", goes, nothing),
		asked("close in a list", v11+"Connection: x, close\r\n", goes, nothing),
		asked("close on a line of its own", v11+"Connection: x\r\nConnection: close\r\n", goes, nothing),
		asked("a word that contains close", v11+"Connection: closed\r\n", stays, nothing),
		asked("HTTP/1.1 asks to stay", v11+"Connection: keep-alive\r\n", stays, nothing),
		asked("HTTP/1.0 closes", v10, "200 OK (closes)", nothing),
		asked("HTTP/1.0 asks to stay", v10+"Connection: keep-alive\r\n", stays, nothing),
		asked("HTTP/1.0 asks to stay in another case", v10+"Connection: Keep-Alive\r\n", stays, nothing),
		row{name: "HTTP/1.0 asks for both", say: v10 + "Connection: close, keep-alive\r\n\r\n",
			handler: nothing, want: "after",
			ours: "200 OK (closes)\nContent-Length: 0\n", differs: "close wins (RFC 9112 §9.3)"},
		asked("the handler closes", v11, goes, connection("close")),
		asked("the handler closes HTTP/1.0", v10+"Connection: keep-alive\r\n", "200 OK (closes)",
			connection("close")),
		asked("the handler closes in another case", v11, "200 OK (closes)", connection("Close")),
		asked("the handler says keep-alive", v11, stays, connection("keep-alive")),
		asked("the handler says something else", v11, stays, connection("x")),
		tell("Close of a request that stays", v11+"\r\n", "false",
			func(r *http.Request) string { return fmt.Sprint(r.Close) }),
		tell("Close of a request that asks to close", v11+"Connection: close\r\n\r\n", "true",
			func(r *http.Request) string { return fmt.Sprint(r.Close) }),
		tell("Close of HTTP/1.0", v10+"\r\n", "true", func(r *http.Request) string { return fmt.Sprint(r.Close) }),
		{name: "HTTP/1.0 is told that it stays", want: "Connection: keep-alive", play: func(s *scene) {
			s.serveFunc(nothing)
			noteConnection(s, v10+"Connection: keep-alive\r\n\r\n")
		}},
		{name: "HTTP/1.1 is not told that it stays", want: "done", play: func(s *scene) {
			s.serveFunc(nothing)
			noteConnection(s, v11+"\r\n")
		}},
		{name: "HTTP/1.1 is told that it closes", want: "Connection: close", play: func(s *scene) {
			s.serveFunc(nothing)
			noteConnection(s, v11+"Connection: close\r\n\r\n")
		}},
		{name: "HTTP/1.0 is told nothing when it closes", want: "done",
			play: func(s *scene) {
				s.serveFunc(nothing)
				noteConnection(s, v10+"\r\n")
			}},
	}
}

// noteConnection sends text and records the Connection fields of the response.
func noteConnection(s *scene, text string) {
	p := s.dial()
	p.say(text)
	p.noteLines(func(line string) bool { return strings.HasPrefix(line, "Connection") })
	s.notef("done")
}

func connectionRows() []row {
	addr := func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.RemoteAddr) }
	return []row{
		{name: "a hundred requests on one connection", want: "100 responses", play: func(s *scene) {
			s.serveFunc(addr)
			p, n := s.dial(), 0
			for range 100 {
				p.say(getRoot)
				if strings.Contains(p.response("GET", full), p.LocalAddr().String()) {
					n++
				}
			}
			s.notef("%d responses", n)
		}},
		{name: "a hundred pipelined requests", want: "100 responses", play: func(s *scene) {
			s.serveFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.URL.Path) })
			p, n := s.dial(), 0
			for i := range 100 {
				p.say(fmt.Sprintf("GET /%d HTTP/1.1\r\nHost: a\r\n\r\n", i))
			}
			for i := range 100 {
				if strings.Contains(p.response("GET", full), fmt.Sprintf(`"/%d"`, i)) {
					n++
				}
			}
			s.notef("%d responses", n)
		}},
		{name: "pipelined requests are handled one after the other", want: "/1 begins\n/1 ends\n/2 begins",
			play: func(s *scene) {
				s.serveFunc(func(w http.ResponseWriter, r *http.Request) {
					s.notef("%s begins", r.URL.Path)
					defer s.notef("%s ends", r.URL.Path)
					io.WriteString(w, "x")
				})
				p := s.dial()
				p.say("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
				p.response("GET", full)
				p.response("GET", full)
				p.hearEnd()
			}},
		{name: "what follows a closing request is not handled", want: "/1\n200 OK (closes)\nended",
			play: func(s *scene) {
				s.serveFunc(func(w http.ResponseWriter, r *http.Request) { s.notef("%s", r.URL.Path) })
				p := s.dial()
				p.say("GET /1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
				p.hearStatus("GET")
				p.hearEnd()
			}},
		{name: "a client that says nothing and leaves", want: "ended", play: func(s *scene) {
			s.serveFunc(addr)
			p := s.dial()
			p.finish()
			p.hearEnd()
		}},
		{name: "a client that leaves after a request", want: "200 OK\nended", play: func(s *scene) {
			s.serveFunc(func(w http.ResponseWriter, r *http.Request) {})
			p := s.dial()
			p.say(getRoot)
			p.hearStatus("GET")
			p.finish()
			p.hearEnd()
		}},
		{name: "a client that asks and ends its direction at once", want: "200 OK", play: func(s *scene) {
			s.serveFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "ok") })
			p := s.dial()
			p.say(getRoot)
			p.finish()
			p.hear("GET")
			p.hearEnd()
		}},
		{name: "keep-alive switched off", want: "200 OK (closes)\nended", play: func(s *scene) {
			std := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {})}
			s.prepare(std)
			s.host.SetKeepAlivesEnabled(false)
			s.start(std)
			p := s.dial()
			p.say(getRoot)
			p.hearStatus("GET")
			p.hearEnd()
		}},
		{name: "keep-alive switched off and on", want: "200 OK\n200 OK", play: func(s *scene) {
			std := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {})}
			s.prepare(std)
			s.host.SetKeepAlivesEnabled(false)
			s.host.SetKeepAlivesEnabled(true)
			s.start(std)
			p := s.dial()
			p.say(getRoot)
			p.hearStatus("GET")
			p.say(getRoot)
			p.hearStatus("GET")
		}},
		{name: "keep-alive switched off during a request", want: "200 OK (closes)\nended", play: func(s *scene) {
			s.serveFunc(func(w http.ResponseWriter, r *http.Request) { s.host.SetKeepAlivesEnabled(false) })
			p := s.dial()
			p.say(getRoot)
			p.hearStatus("GET")
			p.hearEnd()
		}},
		{name: "keep-alive switched off while a connection is idle", want: "200 OK\nended",
			ours:    "200 OK\n200 OK (closes)",
			differs: "SetKeepAlivesEnabled(false) ends an idle connection with its next response",
			play: func(s *scene) {
				s.serveFunc(func(w http.ResponseWriter, r *http.Request) {})
				p := s.dial()
				p.say(getRoot)
				p.hearStatus("GET")
				s.host.SetKeepAlivesEnabled(false)
				if s.ours {
					p.say(getRoot)
				}
				p.hearStatus("GET")
			}},
		{name: "an address that is not known at once holds nobody up",
			want: "second: 12.12.12.12:12\nfirst: 21.21.21.21:21",
			play: playLateAddress},
		{name: "a connection that is no TCP", want: "pipe", play: func(s *scene) {
			client, server := net.Pipe()
			s.startOn(&http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				io.WriteString(w, r.RemoteAddr)
			})}, newOneConn(server))
			p := s.peerOn(client)
			go p.say("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
			p.hear("GET")
		}},
	}
}

// playLateAddress has two connections whose addresses become known in the other order.
func playLateAddress(s *scene) {
	l := &lateListener{Listener: both.Listen(s.t), conns: make(chan *lateConn)}
	s.startOn(&http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, r.RemoteAddr)
	})}, l)
	ask := func() (*peer, *lateConn) {
		p := s.dial()
		p.say(getRoot)
		return p, await(s, l.conns)
	}
	first, firstConn := ask()
	second, secondConn := ask()
	for _, next := range []struct {
		name, addr string
		p          *peer
		c          *lateConn
	}{{"second", "12.12.12.12:12", second, secondConn}, {"first", "21.21.21.21:21", first, firstConn}} {
		a, _ := net.ResolveTCPAddr("tcp", next.addr)
		next.c.addr <- a
		close(next.c.addr)
		got := next.p.response("GET", full)
		s.notef("%s: %s", next.name, strings.Trim(got[strings.LastIndex(got, "|")+1:], ` "`))
	}
}

// lateListener accepts connections whose remote address blocks.
type lateListener struct {
	net.Listener
	conns chan *lateConn
}

// Accept implements net.Listener.
func (l *lateListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	late := &lateConn{Conn: c, addr: make(chan net.Addr, 1)}
	l.conns <- late
	return late, nil
}

type lateConn struct {
	net.Conn
	addr  chan net.Addr
	known net.Addr
}

// RemoteAddr waits for the address.
func (c *lateConn) RemoteAddr() net.Addr {
	if a, ok := <-c.addr; ok {
		c.known = a
	}
	return c.known
}
