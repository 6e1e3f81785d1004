package nethttp_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/nethttp"
)

// speakLines serves a protocol whose requests are lines with a path, and whose responses are what the handler writes.
func speakLines(std *http.Server, nc *tls.Conn, h http.Handler) {
	in := bufio.NewReader(nc)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		if line == "panic\n" {
			panic("of the protocol")
		}
		base := h.(interface{ BaseContext() context.Context }).BaseContext()
		r, _ := http.NewRequestWithContext(base, "GET", "/"+strings.TrimSpace(line), nil)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		fmt.Fprintf(nc, "%s%v\n", w.Body, std == base.Value(http.ServerContextKey))
	}
}

// offers returns a tls.Config with cert that offers the protocols.
func offers(cert tls.Certificate, protocols ...string) *tls.Config {
	return &tls.Config{Certificates: []tls.Certificate{cert}, NextProtos: protocols}
}

// dialProto connects over TLS and offers one protocol.
func dialProto(t *testing.T, addr, protocol string) *peer {
	t.Helper()
	c, err := tls.Dial("tcp", addr, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{protocol}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.NetConn().Close() })
	c.SetDeadline(time.Now().Add(patience))
	return &peer{t, c, bufio.NewReader(c)}
}

// Functions of TLSNextProto get the connections of their protocols, and a handler for their requests.
func TestNextProtos(t *testing.T) {
	cert, _ := certificate()
	for _, s := range servers {
		t.Run(s.name, func(t *testing.T) {
			var log journal
			std := &http.Server{
				Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					body, err := io.ReadAll(r.Body)
					fmt.Fprint(w, r.URL, " ", r.TLS.NegotiatedProtocol, " ", r.RemoteAddr, " ", len(body), " ", err, " ",
						r.Context().Value(http.LocalAddrContextKey), " ")
				}),
				TLSNextProto: map[string]func(*http.Server, *tls.Conn, http.Handler){"lines": speakLines, "nil": nil},
				ErrorLog:     log.logger(),
			}
			l := listen(t)
			t.Cleanup(s.serve(std, tls.NewListener(l, offers(cert, "lines", "other", "nil", "http/1.1"))))
			addr := l.Addr().String()
			p := dialProto(t, addr, "lines")
			p.say("a\nb\n")
			for _, path := range []string{"/a", "/b"} {
				got, err := p.in.ReadString('\n')
				want := fmt.Sprintf("%s lines %s 0 <nil> %s true\n", path, p.LocalAddr(), addr)
				if got != want || err != nil {
					t.Errorf("got %q, %v, want %q", got, err, want)
				}
			}
			p.say("panic\n")
			if rest, err := io.ReadAll(p.in); len(rest) > 0 || err != nil {
				t.Errorf("behind a panic: %q, %v", rest, err)
			}
			log.await(t, fmt.Sprintf("http: panic serving %s: of the protocol\n", p.LocalAddr()))

			for _, nobodys := range []string{"other", "nil"} {
				p = dialProto(t, addr, nobodys)
				p.say("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
				if got := p.answer("GET"); got != "closed\n" {
					t.Errorf("%s, which the server does not speak, gets a response:\n%s", nobodys, got)
				}
			}
			p = dialProto(t, addr, "http/1.1")
			p.say("GET /c HTTP/1.1\r\nHost: a\r\n\r\n")
			if got := p.answer("GET"); !strings.Contains(got, "\n/c http/1.1 ") {
				t.Errorf("HTTP/1.1 gets a response:\n%s", got)
			}
		})
	}
}

// serveLines serves with s on a TLS listener and returns the address.
func serveLines(t *testing.T, s *nethttp.Server) string {
	cert, _ := certificate()
	s.TLSConfig, s.ErrorLog = offers(cert, "lines"), quiet()
	if s.Handler == nil {
		s.Handler = says("")
	}
	s.TLSNextProto = map[string]func(*http.Server, *tls.Conn, http.Handler){"lines": speakLines}
	l := listen(t)
	ended := make(chan struct{})
	go func() { s.ServeTLS(l, "", ""); close(ended) }()
	t.Cleanup(func() { s.Close(); <-ended })
	return l.Addr().String()
}

// converse makes one exchange, so that the connection is known to be served.
func converse(t *testing.T, p *peer) {
	t.Helper()
	p.say("a\n")
	if got, err := p.in.ReadString('\n'); got != "true\n" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// Shutdown waits for connections of other protocols until its context ends, and accepts no new ones.
func TestNextProtosAndShutdown(t *testing.T) {
	var s nethttp.Server
	p := dialProto(t, serveLines(t, &s), "lines")
	converse(t, p)
	ctx, cancel := context.WithCancel(t.Context())
	told := make(chan bool)
	s.RegisterOnShutdown(func() { told <- true })
	down := make(chan error, 1)
	go func() { down <- s.Shutdown(ctx) }()
	<-told
	converse(t, p)
	cancel()
	if err := <-down; err != context.Canceled {
		t.Errorf("Shutdown: %v", err)
	}
	go func() { down <- s.Shutdown(t.Context()) }()
	<-told
	converse(t, p)
	p.Close()
	if err := <-down; err != nil {
		t.Errorf("Shutdown: %v", err)
	}
}

// Close and CloseConnections end connections of other protocols.
func TestNextProtosAreClosed(t *testing.T) {
	var s nethttp.Server
	addr := serveLines(t, &s)
	p := dialProto(t, addr, "lines")
	converse(t, p)
	s.CloseConnections()
	if _, err := p.in.ReadByte(); err == nil {
		t.Error("CloseConnections leaves it open")
	}
	var all sync.WaitGroup
	open := make(chan *peer, 10)
	for range cap(open) {
		p := dialProto(t, addr, "lines")
		open <- p
		all.Go(func() {
			converse(t, p)
		})
	}
	all.Wait()
	s.Close()
	for range cap(open) {
		if _, err := (<-open).in.ReadByte(); err == nil {
			t.Error("Close leaves one open")
		}
	}
}

// A TLSNextProto function for h2 gets its connections if Protocols allows HTTP/2, and a map without h2 turns HTTP/2 off.
func TestNextProtoOfHTTP2(t *testing.T) {
	cert, _ := certificate()
	only1, both := new(http.Protocols), new(http.Protocols)
	only1.SetHTTP1(true)
	both.SetHTTP1(true)
	both.SetHTTP2(true)
	speak := map[string]func(*http.Server, *tls.Conn, http.Handler){"h2": speakLines}
	for _, tc := range []struct {
		s    *nethttp.Server
		want string
	}{
		{&nethttp.Server{TLSNextProto: map[string]func(*http.Server, *tls.Conn, http.Handler){}}, "http/1.1"},
		{&nethttp.Server{TLSNextProto: speak}, "h2"},
		{&nethttp.Server{TLSNextProto: speak, Protocols: both}, "h2"},
		{&nethttp.Server{TLSNextProto: speak, Protocols: only1}, "http/1.1"},
	} {
		tc.s.TLSConfig, tc.s.ErrorLog, tc.s.Handler = offers(cert, "h2"), quiet(), says("")
		l := listen(t)
		ended := make(chan struct{})
		go func() { tc.s.ServeTLS(l, "", ""); close(ended) }()
		c, err := tls.Dial("tcp", l.Addr().String(), &tls.Config{
			InsecureSkipVerify: true, NextProtos: []string{"h2", "http/1.1"},
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := c.ConnectionState().NegotiatedProtocol; got != tc.want {
			t.Errorf("%v, %v: agreed on %q, want %q", tc.s.TLSNextProto, tc.s.Protocols, got, tc.want)
		}
		if tc.want == "h2" {
			converse(t, &peer{t, c, bufio.NewReader(c)})
		}
		c.Close()
		tc.s.Close()
		<-ended
	}
}

// wrapped has a TLS state, but is no *tls.Conn.
type wrapped struct{ *tls.Conn }

type wrappingListener struct{ net.Listener }

func (l wrappingListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return wrapped{c.(*tls.Conn)}, nil
}

// A connection that is no *tls.Conn is not passed to a function of TLSNextProto.
func TestNextProtoOfAnotherMake(t *testing.T) {
	cert, _ := certificate()
	s := &nethttp.Server{Handler: says(""), ErrorLog: quiet(),
		TLSNextProto: map[string]func(*http.Server, *tls.Conn, http.Handler){"lines": speakLines}}
	l := listen(t)
	ended := make(chan struct{})
	go func() { s.Serve(wrappingListener{tls.NewListener(l, offers(cert, "lines"))}); close(ended) }()
	p := dialProto(t, l.Addr().String(), "lines")
	p.say("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	if got := p.answer("GET"); got != "closed\n" {
		t.Errorf("the response is HTTP/1.1, which was not negotiated:\n%s", got)
	}
	s.Close()
	<-ended
}
