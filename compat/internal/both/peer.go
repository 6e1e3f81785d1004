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

// Peer is the client's end of a connection, for exchanges that http.Client does not support. All its reads and writes end
// after Patience. It is not safe for concurrent use.
type Peer struct {
	net.Conn // do not read from it, because In buffers: use In, or the methods

	In *bufio.Reader // reads the connection

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

// Say sends text. It ignores errors, because the server may already have responded and closed the connection.
func (p *Peer) Say(text string) { io.WriteString(p.Conn, text) }

// Response reads the response to a request with the given method.
func (p *Peer) Response(method string) Exchange {
	p.t.Helper()
	return p.s.Read(http.ReadResponse(p.In, &http.Request{Method: method}))
}

// Line reads a line and returns it without the line end.
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

// Rest reads until the server closes or resets the connection.
func (p *Peer) Rest() string {
	p.t.Helper()
	b, err := io.ReadAll(p.In)
	var late net.Error
	if errors.As(err, &late) && late.Timeout() {
		p.t.Errorf("%s: the connection stays open", p.s.Name)
	}
	return string(b)
}
