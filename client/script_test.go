package client_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/client"
)

// peer is a server's end of a conversation.
type peer struct {
	net.Conn
	r *bufio.Reader
}

// head reads a request's head, "" if the client has ended.
func (p *peer) head() string {
	var b strings.Builder
	for {
		line, err := p.r.ReadString('\n')
		if b.WriteString(line); err != nil {
			return ""
		}
		if line == "\r\n" {
			return b.String()
		}
	}
}

// body reads n bytes.
func (p *peer) body(n int) string {
	b := make([]byte, n)
	n, _ = io.ReadFull(p.r, b)
	return string(b[:n])
}

// chunks reads a chunked body with its framing up to the end of the trailer section.
func (p *peer) chunks() string {
	var b strings.Builder
	for last := false; ; {
		line, err := p.r.ReadString('\n')
		if b.WriteString(line); err != nil || last && line == "\r\n" {
			return b.String()
		}
		if n, err := strconv.ParseInt(strings.TrimSpace(line), 16, 32); err == nil && !last {
			if last = n == 0; !last {
				b.WriteString(p.body(int(n) + 2))
			}
		}
	}
}

func (p *peer) say(s string) { io.WriteString(p, s) }

// rest waits for the client's end.
func (p *peer) rest() { io.Copy(io.Discard, p.r) }

// converse is a script of peers.
func converse(t testing.TB, f func(n int, p *peer)) (url string) {
	return script(t, func(n int, nc net.Conn) { f(n, &peer{nc, bufio.NewReader(nc)}) })
}

// ok responds with a body.
func ok(body string) string {
	return "HTTP/1.1 200 OK\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body
}

// do sends req and returns status and body.
func do(c *client.Client, req *client.Request) (status int, body string, err error) {
	resp, err := c.Do(context.Background(), req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Close()
	b, err := resp.AppendBody(nil)
	return resp.StatusCode(), string(b), err
}

// fields is a Header of names and values.
func fields(pairs ...string) (h client.Header) {
	for i := 0; i < len(pairs); i += 2 {
		h.Add(pairs[i], pairs[i+1])
	}
	return h
}

// crlf joins lines of a head.
func crlf(lines ...string) string { return strings.Join(lines, "\r\n") + "\r\n\r\n" }

// newReader returns the reader of a peer.
func newReader(r io.Reader) *bufio.Reader { return bufio.NewReader(r) }

// settled waits until a client has no connections, which may be soon after a request has failed, and returns what it has counted.
func settled(t testing.TB, c *client.Client) client.Stats {
	t.Helper()
	for end := time.Now().Add(time.Minute); c.Stats().OpenConnections > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("connections stay: %+v", c.Stats())
		}
	}
	return c.Stats()
}

// isReset reports whether a connection has ended without a response: whether a close or a reset is seen depends on the kernel.
func isReset(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}
