package standard

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/compat/internal/both"
)

// Shutdown calls the registered functions, waits for the running request, and ends Serve.
func TestShutdown(t *testing.T) {
	t.Parallel()
	both.NeedsHTTP1(t, "it looks for Connection: close")
	entered, leave := make(chan bool), make(chan bool)
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		entered <- true
		<-leave
		fmt.Fprintln(w, "finished")
	})
	both.Run(t, h, func(t *testing.T, s *both.Site) {
		called := make(chan bool, 1)
		s.Server.RegisterOnShutdown(func() { called <- true })
		response := make(chan both.Exchange, 1)
		req := s.New(t, both.Get(200, "/"))
		go func() { response <- s.Read(s.Client.Do(req)) }()
		both.Receive(t, entered, "the request")
		down := make(chan error, 1)
		go func() {
			ctx, cancel := context.WithTimeout(context.Background(), both.Patience)
			defer cancel()
			down <- s.Server.Shutdown(ctx)
		}()
		both.Receive(t, called, "the function for shutdown")
		select {
		case err := <-down:
			t.Errorf("%s: Shutdown did not wait: %v", s.Name, err)
		default:
		}
		both.Offer(t, leave, true, "the handler to return")
		if x := both.Receive(t, response, "the response"); x.Body != "finished\n" || !x.Closes {
			t.Errorf("%s: %v, closes: %v", s.Name, x, x.Closes)
		}
		if err := both.Receive(t, down, "the end of Shutdown"); err != nil {
			t.Errorf("%s: Shutdown: %v", s.Name, err)
		}
		if _, err := net.Dial("tcp", s.Addr); err == nil {
			t.Errorf("%s still accepts", s.Name)
		}
	})
}

// Shutdown returns when its context ends, and Close then ends the running requests.
func TestShutdownGivesUp(t *testing.T) {
	t.Parallel()
	entered := make(chan bool)
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		entered <- true
		<-r.Context().Done()
	})
	both.Run(t, h, func(t *testing.T, s *both.Site) {
		p := s.Dial(t)
		p.Say("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		both.Receive(t, entered, "the request")
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := s.Server.Shutdown(ctx); err != context.Canceled {
			t.Errorf("%s: Shutdown: got %v, want %v", s.Name, err, context.Canceled)
		}
		s.Server.Close()
		p.Rest()
	})
}

// An idle connection is closed after IdleTimeout on both servers.
func TestIdleTimeout(t *testing.T) {
	t.Parallel()
	both.Compare(t, func() *http.Server {
		return &http.Server{Handler: http.HandlerFunc(count), IdleTimeout: 50 * time.Millisecond}
	}, func(t *testing.T, s *both.Site) string {
		p := s.Dial(t)
		p.Say("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		return p.Response("GET").Body + " then " + p.Rest()
	})
}

// Without keep-alives a connection ends after its response on both servers.
func TestSetKeepAlivesEnabled(t *testing.T) {
	t.Parallel()
	both.Compare(t, both.With(http.HandlerFunc(count)), func(t *testing.T, s *both.Site) (seen []both.Exchange) {
		seen = append(seen, s.Do(t, both.Get(200, "/")))
		s.Client.CloseIdleConnections() // net/http would close it at the call, ours at its next response
		s.Server.SetKeepAlivesEnabled(false)
		seen = append(seen, s.Do(t, both.Get(200, "/")))
		s.Server.SetKeepAlivesEnabled(true)
		return append(seen, s.Do(t, both.Get(200, "/")))
	})
}

// A server with HTTP/1 alone in Protocols speaks only that, over TLS too.
func TestProtocols(t *testing.T) {
	t.Parallel()
	both.NeedsHTTP1(t, "it has nothing else spoken")
	both.SameServer(t, func() *http.Server {
		std := &http.Server{Protocols: new(http.Protocols)}
		std.Protocols.SetHTTP1(true)
		std.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintln(w, r.Proto, r.TLS.NegotiatedProtocol, r.TLS.ServerName, r.TLS.HandshakeComplete)
		})
		return std
	}, []both.Request{both.Get(200, "/"), both.Get(200, "/")}, both.TLS)
}
