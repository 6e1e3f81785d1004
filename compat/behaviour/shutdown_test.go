package behaviour

import (
	"context"
	"errors"
	"net"
	"net/http"
	"syscall"
	"time"
)

func shutdownRows() []row { return append(gracefulRows(), serveRows()...) }

func soon() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), patience)
}

// noteServe records what Serve returned.
func (s *scene) noteServe() {
	s.notef("Serve: server closed: %v", errors.Is(await(s, s.ended), http.ErrServerClosed))
}

func gracefulRows() []row {
	return []row{
		{name: "Shutdown waits for a request",
			want: "registered\nno new connections: true\n200 OK (closes)\nShutdown: <nil>\nServe: server closed: true",
			play: playShutdown},
		{name: "Shutdown ends idle connections", want: "404 Not Found\nShutdown: <nil>\nended", play: func(s *scene) {
			s.serve(http.NotFoundHandler())
			p := s.dial()
			p.say(getRoot)
			p.hearStatus("GET")
			ctx, cancel := soon()
			defer cancel()
			s.notef("Shutdown: %v", s.host.Shutdown(ctx))
			p.hearEnd()
			s.noteServe()
		}},
		{name: "Shutdown gives up with its context",
			want: "Shutdown: context deadline exceeded\n200 OK (closes)", play: func(s *scene) {
				in, out := make(chan bool), make(chan bool)
				s.serveFunc(func(w http.ResponseWriter, r *http.Request) { close(in); await(s, out) })
				p := s.dial()
				p.say(getRoot)
				await(s, in)
				ctx, cancel := context.WithTimeout(context.Background(), short)
				defer cancel()
				s.notef("Shutdown: %v", s.host.Shutdown(ctx))
				close(out)
				p.hearStatus("GET")
			}},
		{name: "Shutdown and a connection that has said nothing", want: "not at once", play: func(s *scene) {
			s.serve(http.NotFoundHandler())
			p := s.dial()
			q := s.dial() // when q is served, p was accepted
			q.say(getRoot)
			q.response("GET", brief)
			ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
			defer cancel()
			if s.host.Shutdown(ctx) != nil {
				s.notef("not at once")
				return
			}
			p.hearEnd()
			s.notef("at once")
		}},
		{name: "Shutdown does not wait for hijacked connections", want: "Shutdown: <nil>\nrest: \"still here\"",
			play: func(s *scene) {
				conns := make(chan net.Conn, 1)
				s.serveFunc(func(w http.ResponseWriter, r *http.Request) { c, _ := take(s, w); conns <- c })
				p := s.dial()
				p.say(getRoot)
				c := await(s, conns)
				ctx, cancel := soon()
				defer cancel()
				s.notef("Shutdown: %v", s.host.Shutdown(ctx))
				c.Write([]byte("still here"))
				c.Close()
				p.hearRest()
			}},
		{name: "Close ends a connection at once", want: "ended", play: func(s *scene) {
			in, gone := make(chan bool), make(chan bool)
			s.serveFunc(func(w http.ResponseWriter, r *http.Request) {
				close(in)
				<-r.Context().Done()
				close(gone)
			})
			p := s.dial()
			p.say(getRoot)
			await(s, in)
			s.host.Close()
			p.hearEnd()
			await(s, gone)
			s.noteServe()
		}},
		{name: "Close twice", want: "<nil> <nil>", play: func(s *scene) {
			s.prepare(&http.Server{})
			s.notef("%v %v", s.host.Close(), s.host.Close())
		}},
		{name: "Shutdown twice", want: "<nil> <nil>", play: func(s *scene) {
			s.prepare(&http.Server{})
			ctx, cancel := soon()
			defer cancel()
			s.notef("%v %v", s.host.Shutdown(ctx), s.host.Shutdown(ctx))
		}},
		{name: "every registered function is called", want: "both", play: func(s *scene) {
			s.serve(http.NotFoundHandler())
			called := make(chan bool, 2)
			s.host.RegisterOnShutdown(func() { called <- true })
			s.host.RegisterOnShutdown(func() { called <- true })
			ctx, cancel := soon()
			defer cancel()
			s.host.Shutdown(ctx)
			await(s, called)
			await(s, called)
			s.notef("both")
		}},
	}
}

// playShutdown begins a Shutdown within a request.
func playShutdown(s *scene) {
	registered, down, out := make(chan bool), make(chan error, 1), make(chan bool)
	s.serveFunc(func(w http.ResponseWriter, r *http.Request) {
		go func() {
			ctx, cancel := soon()
			defer cancel()
			down <- s.host.Shutdown(ctx)
		}()
		await(s, out)
	})
	s.host.RegisterOnShutdown(func() { close(registered) })
	p := s.dial()
	p.say(getRoot)
	await(s, registered)
	s.notef("registered")
	refused := false
	s.until("no new connections", func() bool {
		refused = !s.reachable()
		return refused
	})
	s.notef("no new connections: %v", refused)
	close(out)
	p.hearStatus("GET")
	s.notef("Shutdown: %v", await(s, down))
	s.noteServe()
}

func serveRows() []row {
	return []row{
		{name: "Serve after Shutdown", want: "server closed: true, listener closed: true", play: func(s *scene) {
			s.prepare(&http.Server{})
			ctx, cancel := soon()
			defer cancel()
			s.host.Shutdown(ctx)
			l := newOneConn(nil)
			err := s.host.Serve(l)
			s.notef("server closed: %v, listener closed: %v", errors.Is(err, http.ErrServerClosed),
				l.closes.Load() > 0)
		}},
		{name: "Serve after Close", want: "true", play: func(s *scene) {
			s.prepare(&http.Server{})
			s.host.Close()
			s.notef("%v", errors.Is(s.host.Serve(newOneConn(nil)), http.ErrServerClosed))
		}},
		{name: "a listener is closed once", want: "closed 1 times", play: func(s *scene) {
			std := &http.Server{Handler: http.NotFoundHandler()}
			client, server := net.Pipe()
			l := newOneConn(server)
			s.startOn(std, l)
			p := s.peerOn(client)
			go p.say(getRoot)
			p.response("GET", brief)
			ctx, cancel := soon()
			defer cancel()
			s.host.Shutdown(ctx)
			s.noteServe()
			s.notef("closed %d times", l.closes.Load())
		}},
		{name: "a listener that fails", want: "EOF", play: func(s *scene) {
			s.prepare(&http.Server{})
			s.notef("%v", s.host.Serve(scripted{nil}))
		}},
		{name: "a listener that cannot be compared", want: "EOF", play: func(s *scene) {
			s.prepare(&http.Server{})
			s.notef("%v", s.host.Serve(make(scripted, 1)))
		}},
		{name: "no descriptors left", want: "EOF", play: func(s *scene) {
			s.prepare(&http.Server{})
			s.notef("%v", s.host.Serve(scripted{&net.OpError{Op: "accept", Err: syscall.EMFILE}}))
		}},
		{name: "two listeners", want: "404 Not Found\n404 Not Found", play: func(s *scene) {
			s.serve(http.NotFoundHandler())
			for range 2 {
				p := s.dial()
				p.say(getRoot)
				p.hearStatus("GET")
				s.listen()
			}
		}},
		{name: "many clients at once", want: "responses: 100", play: func(s *scene) {
			s.serveFunc(func(w http.ResponseWriter, r *http.Request) {})
			s.fetchAtOnce(100)
		}},
	}
}
