//lint:file-ignore SA1019 handlers still ask for http.CloseNotifier

package behaviour

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

func contextRows() []row { return append(goneRows(), valueRows()...) }

// leaving is a row about a client that leaves while its handler waits for it: wait returns once the handler has noticed.
func leaving(name, text, want string, wait func(w http.ResponseWriter, r *http.Request) string) row {
	return row{name: name, want: want, play: func(s *scene) {
		in, noticed := make(chan bool), make(chan string, 1)
		s.serveFunc(func(w http.ResponseWriter, r *http.Request) {
			close(in)
			noticed <- wait(w, r)
		})
		p := s.dial()
		p.say(text)
		await(s, in)
		p.Close()
		s.notef("%s", await(s, noticed))
	}}
}

func goneRows() []row {
	done := func(w http.ResponseWriter, r *http.Request) string {
		<-r.Context().Done()
		return fmt.Sprint("gone: ", r.Context().Err(), ", ", context.Cause(r.Context()))
	}
	return []row{
		leaving("Done when the client leaves", getRoot, "gone: context canceled, context canceled", done),
		leaving("Done after the body was read", post(sized(5), "hello"), "gone: context canceled",
			func(w http.ResponseWriter, r *http.Request) string { io.ReadAll(r.Body); return done(w, r) }),
		leaving("Done with a body of nothing", post(sized(0), ""), "gone: context canceled", done),
		leaving("Err when the client leaves", getRoot, "gone: context canceled",
			func(w http.ResponseWriter, r *http.Request) string {
				for r.Context().Err() == nil {
					time.Sleep(time.Millisecond)
				}
				return fmt.Sprint("gone: ", r.Context().Err())
			}),
		leaving("AfterFunc when the client leaves", getRoot, "gone",
			func(w http.ResponseWriter, r *http.Request) string {
				c := make(chan string)
				context.AfterFunc(r.Context(), func() { c <- "gone" })
				return <-c
			}),
		leaving("a derived context when the client leaves", getRoot, "gone: context canceled",
			func(w http.ResponseWriter, r *http.Request) string {
				ctx, cancel := context.WithTimeout(r.Context(), time.Hour)
				defer cancel()
				<-ctx.Done()
				return fmt.Sprint("gone: ", ctx.Err())
			}),
		leaving("CloseNotify", getRoot, "true", func(w http.ResponseWriter, r *http.Request) string {
			return fmt.Sprint(<-w.(http.CloseNotifier).CloseNotify())
		}),
		leaving("CloseNotify after the body was read", post(sized(1<<20), xs(1<<20)), "true",
			func(w http.ResponseWriter, r *http.Request) string {
				body := r.Body
				r.Body = nil
				gone := w.(http.CloseNotifier).CloseNotify()
				io.Copy(io.Discard, body)
				return fmt.Sprint(<-gone)
			}),
		leaving("a write fails when the client has left", getRoot, "failed",
			func(w http.ResponseWriter, r *http.Request) string {
				for {
					if _, err := io.WriteString(w, xs(1<<16)); err != nil {
						return "failed"
					}
				}
			}),
		{name: "Done when the handler has returned", want: "before: <nil>, after: context canceled",
			play: func(s *scene) {
				contexts := make(chan context.Context, 1)
				var before error
				s.serveFunc(func(w http.ResponseWriter, r *http.Request) {
					before = r.Context().Err()
					contexts <- r.Context()
				})
				p := s.dial()
				p.say(getRoot)
				p.hear("GET")
				ctx := await(s, contexts)
				await(s, ctx.Done())
				s.notef("before: %v, after: %v", before, ctx.Err())
			}},
		{name: "a next request ends no context", want: "200 OK", play: func(s *scene) {
			in, out := make(chan bool, 2), make(chan bool)
			s.serveFunc(func(w http.ResponseWriter, r *http.Request) {
				done := r.Context().Done()
				in <- true
				await(s, out)
				select {
				case <-done:
					s.notef("done")
				default:
				}
			})
			p := s.dial()
			p.say(getRoot)
			await(s, in)
			p.say(getRoot)
			close(out)
			p.hear("GET")
			p.hear("GET")
		}},
		{name: "a pipelined request does not fire CloseNotify", want: "200 OK\nContent-Length: 0\n200 OK",
			play: func(s *scene) {
				in := make(chan bool, 2)
				s.serveFunc(func(w http.ResponseWriter, r *http.Request) {
					gone := w.(http.CloseNotifier).CloseNotify()
					in <- true
					select {
					case <-gone:
						s.notef("gone")
					case <-time.After(short):
					}
				})
				p := s.dial()
				p.say(getRoot + getRoot)
				p.hear("GET")
				p.hear("GET")
			}},
	}
}

type key string

func valueRows() []row {
	value := func(k any) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, "%T", r.Context().Value(k)) }
	}
	return []row{
		reply("the server", "*http.Server", value(http.ServerContextKey)),
		{name: "the server is the one that was set up", want: "true", play: func(s *scene) {
			std := &http.Server{}
			std.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				fmt.Fprint(w, r.Context().Value(http.ServerContextKey) == std)
			})
			s.start(std)
			p := s.dial()
			p.say(getRoot)
			p.hear("GET")
		}},
		{name: "the local address", want: "true", play: func(s *scene) {
			s.serveFunc(func(w http.ResponseWriter, r *http.Request) {
				a, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
				fmt.Fprint(w, ok && a.String() == s.addr)
			})
			p := s.dial()
			p.say(getRoot)
			p.hear("GET")
		}},
		{name: "BaseContext and ConnContext", want: "base conn base", play: func(s *scene) {
			s.start(&http.Server{
				BaseContext: func(net.Listener) context.Context {
					return context.WithValue(context.Background(),
						key("b"), "base")
				},
				ConnContext: func(ctx context.Context, c net.Conn) context.Context {
					ctx = context.WithValue(ctx, key("seen"), ctx.Value(key("b")))
					return context.WithValue(ctx, key("c"), "conn")
				},
				Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					v := r.Context().Value
					fmt.Fprint(w, v(key("b")), " ", v(key("c")), " ", v(key("seen")))
				})})
			p := s.dial()
			p.say(getRoot)
			p.hear("GET")
		}},
		{name: "BaseContext gets the listener that is served", want: "true", play: func(s *scene) {
			l := newOneConn(nil)
			client, server := net.Pipe()
			l.conn <- server
			var same bool
			s.startOn(&http.Server{
				BaseContext: func(got net.Listener) context.Context { same = got == l; return context.Background() },
				Handler: http.HandlerFunc(func(w http.ResponseWriter,
					r *http.Request) {
					fmt.Fprint(w, same)
				})}, l)
			p := s.peerOn(client)
			go p.say(getRoot)
			p.hear("GET")
		}},
		{name: "ConnContext is each connection's own", want: "conn <nil>\nconn <nil>", play: func(s *scene) {
			s.start(&http.Server{
				ConnContext: func(ctx context.Context, c net.Conn) context.Context {
					ctx = context.WithValue(ctx, key("before"), ctx.Value(key("c")))
					return context.WithValue(ctx, key("c"), "conn")
				},
				Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					s.notef("%v %v", r.Context().Value(key("c")), r.Context().Value(key("before")))
				})})
			for range 2 {
				p := s.dial()
				p.say("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
				p.response("GET", brief)
			}
		}},
		{name: "ConnContext is called once for a connection", want: "calls: 1", play: func(s *scene) {
			var calls int
			s.start(&http.Server{
				ConnContext: func(ctx context.Context, c net.Conn) context.Context { calls++; return ctx },
				Handler: http.HandlerFunc(func(w http.ResponseWriter,
					r *http.Request) {
					fmt.Fprint(w, "calls: ", calls)
				})})
			p := s.dial()
			p.say(getRoot)
			p.hear("GET")
			p.say(getRoot)
			p.hear("GET")
		}},
		{name: "a BaseContext that ends, ends its requests", want: "context canceled", play: func(s *scene) {
			base, cancel := context.WithCancel(context.Background())
			s.start(&http.Server{
				BaseContext: func(net.Listener) context.Context { return base },
				Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					cancel()
					<-r.Context().Done()
					fmt.Fprint(w, r.Context().Err())
				})})
			p := s.dial()
			p.say(getRoot)
			p.hear("GET")
		}},
		{name: "a nil BaseContext panics", want: "nil: true", play: func(s *scene) {
			std := &http.Server{BaseContext: func(net.Listener) context.Context { return nil }}
			s.prepare(std)
			defer func() {
				s.notef("nil: %v", strings.Contains(fmt.Sprint(recover()), "BaseContext returned a nil context"))
			}()
			s.host.Serve(newOneConn(nil))
		}},
	}
}
