package behaviour

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave/compat/internal/both"
)

// secured is a row over TLS about a handler's response.
func secured(name, text, want string, h http.HandlerFunc) row {
	return row{name: name, want: want, play: func(s *scene) {
		s.startTLS(&http.Server{Handler: h, TLSConfig: &tls.Config{NextProtos: []string{"http/1.1"}}})
		p := s.dialTLS()
		p.say(text)
		p.hear("GET")
	}}
}

func tlsRows() []row { return append(handshakeRows(), securedRows()...) }

func securedRows() []row {
	return []row{
		secured("Request.TLS", getRoot, "true true", func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, r.TLS != nil, " ", r.TLS.HandshakeComplete, " ", tls.VersionName(r.TLS.Version))
		}),
		secured("a body over TLS", post(sized(5), "hello"), "hello", echo),
		secured("a large body over TLS", post(sized(1<<20), xs(1<<20)), "1048576 bytes", echo),
		secured("a large response over TLS", getRoot, "1000000 bytes",
			func(w http.ResponseWriter, r *http.Request) { writeAll(w, xs(1000), 1000) }),
		secured("a panic over TLS", getRoot, "ended", func(w http.ResponseWriter, r *http.Request) { panic("oops") }),
		secured("a broken request over TLS", "BOGUS\r\n\r\n", "400 Bad Request",
			func(w http.ResponseWriter, r *http.Request) {}).statusOnly(),
		{name: "no TLS, no Request.TLS", want: "true", say: getRoot,
			handler: func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.TLS == nil) }},
		{name: "keep-alive over TLS", want: "same connection: true", play: func(s *scene) {
			s.startTLS(&http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter,
				r *http.Request) {
				io.WriteString(w, r.RemoteAddr)
			}),
				TLSConfig: &tls.Config{NextProtos: []string{"http/1.1"}}})
			p := s.dialTLS()
			p.say(getRoot)
			first := p.response("GET", full)
			p.say(getRoot)
			s.notef("same connection: %v", p.response("GET", full) == first)
		}},
		{name: "Hijack over TLS", want: "*tls.Conn hello", play: func(s *scene) {
			s.startTLS(&http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				c, _ := take(s, w)
				defer c.Close()
				fmt.Fprintf(c, "%T hello", c)
			}), TLSConfig: &tls.Config{NextProtos: []string{"http/1.1"}}})
			p := s.dialTLS()
			p.say(getRoot)
			p.hearRest()
		}},
		{name: "a client that leaves over TLS", want: "gone", play: func(s *scene) {
			in, gone := make(chan bool), make(chan bool)
			s.startTLS(&http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				close(in)
				<-r.Context().Done()
				close(gone)
			}), TLSConfig: &tls.Config{NextProtos: []string{"http/1.1"}}})
			p := s.dialTLS()
			p.say(getRoot)
			await(s, in)
			p.Close()
			await(s, gone)
			s.notef("gone")
		}},
		{name: "a connection that knows of TLS without being tls.Conn", want: "example.com", play: func(s *scene) {
			client, server := net.Pipe()
			s.startOn(&http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.TLS == nil {
					io.WriteString(w, "no TLS")
					return
				}
				io.WriteString(w, r.TLS.ServerName)
			})}, newOneConn(knowing{server}))
			p := s.peerOn(client)
			go p.say(getRoot)
			p.hear("GET")
		}},
	}
}

func http1Only() *http.Protocols {
	p := new(http.Protocols)
	p.SetHTTP1(true)
	return p
}

// knowing is a connection that some TLS of its own ends.
type knowing struct{ net.Conn }

// ConnectionState is what a server looks for.
func (knowing) ConnectionState() tls.ConnectionState {
	return tls.ConnectionState{ServerName: "example.com"}
}

func handshakeRows() []row {
	return []row{
		{name: "a request without TLS is told so", want: "Client sent an HTTP request to an HTTPS server.", play: func(s *scene) {
			s.startTLS(&http.Server{Handler: http.NotFoundHandler()})
			p := s.dial()
			p.say(getRoot)
			p.hearRest()
		}},
		{name: "a client without a word ends at its timeout", want: "ended", play: func(s *scene) {
			s.startTLS(&http.Server{ReadTimeout: short, Handler: http.NotFoundHandler()})
			p := s.dial()
			p.SetDeadline(time.Now().Add(patience / 4)) // less than a handshake may take by default
			p.hearEnd()
		}},
		{name: "a client without a word holds nobody up", want: "404 Not Found", play: func(s *scene) {
			s.startTLS(&http.Server{Handler: http.NotFoundHandler(),
				TLSConfig: &tls.Config{NextProtos: []string{"http/1.1"}}})
			s.dial()
			p := s.dialTLS()
			p.say(getRoot)
			p.hear("GET")
		}},
		{name: "a handshake that fails is logged", want: "logged",
			play: func(s *scene) {
				s.startTLS(&http.Server{Handler: http.NotFoundHandler()})
				p := s.dial()
				p.say("\x16\x03\x01\x00\x01x" + xs(1000))
				p.finish()
				io.Copy(io.Discard, p.in)
				for range 100 {
					if strings.Contains(s.log.String(), "TLS handshake error") {
						s.notef("logged")
						return
					}
					time.Sleep(short / 50)
				}
				s.notef("silent")
			}},
		{name: "the protocols of the caller's TLSConfig stay", want: "[http/1.1 other]", play: func(s *scene) {
			config := &tls.Config{NextProtos: []string{"http/1.1", "other"}}
			s.startTLS(&http.Server{Handler: http.NotFoundHandler(), TLSConfig: config, Protocols: http1Only()})
			p := s.dialTLS()
			p.say(getRoot)
			p.response("GET", brief)
			s.notef("%v", slices.Clone(config.NextProtos))
		}},
		{name: "no certificate", want: "an error", play: func(s *scene) {
			s.prepare(&http.Server{})
			l := both.Listen(s.t)
			defer l.Close()
			if err := s.host.ServeTLS(l, "", ""); err != nil {
				s.notef("an error")
			}
		}},
		{name: "GetCertificate alone", want: "404 Not Found", play: func(s *scene) {
			cert := certificate()
			s.startTLS(&http.Server{Handler: http.NotFoundHandler(),
				TLSConfig: &tls.Config{NextProtos: []string{"http/1.1"},
					GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return &cert, nil }}})
			p := s.dialTLS()
			p.say(getRoot)
			p.hear("GET")
		}},
		{name: "GetConfigForClient alone", want: "404 Not Found", play: func(s *scene) {
			s.startTLS(&http.Server{Handler: http.NotFoundHandler(),
				TLSConfig: &tls.Config{NextProtos: []string{"http/1.1"},
					GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
						return &tls.Config{Certificates: []tls.Certificate{certificate()}}, nil
					}}})
			p := s.dialTLS()
			p.say(getRoot)
			p.hear("GET")
		}},
		{name: "what the server offers", want: `"h2"`, play: func(s *scene) {
			s.startTLS(&http.Server{Handler: http.NotFoundHandler()})
			config := clientTLS()
			config.NextProtos = []string{"h2", "http/1.1"}
			c, err := tls.Dial("tcp", s.addr, config)
			if err != nil {
				s.t.Fatal(err)
			}
			defer c.Close()
			s.notef("%q", c.ConnectionState().NegotiatedProtocol)
		}},
		{name: "Serve on a TLS listener", want: "true true", play: func(s *scene) {
			l := tls.NewListener(both.Listen(s.t), &tls.Config{Certificates: []tls.Certificate{certificate()}})
			s.startOn(&http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				fmt.Fprint(w, r.TLS.HandshakeComplete, r.TLS.Version >= tls.VersionTLS12)
			})}, l)
			p := s.dialTLS()
			p.say(getRoot)
			p.hear("GET")
		}},
	}
}
