package both

import (
	"bufio"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"testing"
	"time"
)

// Peer is the client's end of one connection, for conversations that an http.Client does not lead. All waits end after
// Patience. It is for one goroutine.
type Peer struct {
	net.Conn // its reads pass In by: use In, or the methods

	In *bufio.Reader // what the server sent and nobody has read yet

	t testing.TB
	s *Site
}

// Dial connects to s until the test ends.
func (s *Site) Dial(t testing.TB) *Peer {
	t.Helper()
	c, err := net.Dial("tcp", s.Addr)
	if err != nil {
		t.Fatal(err)
	}
	if s.set.tls {
		c = tls.Client(c, &tls.Config{RootCAs: s.roots, ServerName: Host})
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(Patience))
	return &Peer{Conn: c, In: bufio.NewReader(c), t: t, s: s}
}

// Say sends text. A server that has closed already is no failure: what it said before counts.
func (p *Peer) Say(text string) { io.WriteString(p.Conn, text) }

// Answer reads the answer to a request with the given method.
func (p *Peer) Answer(method string) Exchange {
	p.t.Helper()
	return p.s.Read(http.ReadResponse(p.In, &http.Request{Method: method}))
}

// Line reads a line and returns it without its end.
func (p *Peer) Line() string {
	p.t.Helper()
	line, err := p.In.ReadString('\n')
	if err != nil {
		p.t.Fatalf("%s: after %q: %v", p.s.Name, line, err)
	}
	return trimEnd(line)
}

func trimEnd(line string) string {
	line = line[:len(line)-1]
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	return line
}

// Rest reads until the server ends the connection, however it does.
func (p *Peer) Rest() string {
	p.t.Helper()
	b, err := io.ReadAll(p.In)
	var late net.Error
	if errors.As(err, &late) && late.Timeout() {
		p.t.Errorf("%s: the connection stays open", p.s.Name)
	}
	return string(b)
}
