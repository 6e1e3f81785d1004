package websocket

import (
	"context"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/websocket/internal/handshake"
)

// call is a Dial over a pipe; the test is the server at the other end.
type call struct {
	*wiretest.Talk
	t    *testing.T
	addr string // that was dialled
	key  string // of the request
	done chan struct{}

	c    *Conn
	resp *http.Response
	err  error
}

// begin calls url; split divides the bytes that the client reads.
func begin(ctx context.Context, t *testing.T, url string, cfg Config, split wiretest.Split) *call {
	t.Helper()
	near, far := wiretest.Pipe(wiretest.Config{Split: split}, wiretest.Config{})
	k := &call{Talk: wiretest.NewTalk(t, far), t: t, done: make(chan struct{})}
	cfg.NetDial = func(_ context.Context, _, addr string) (net.Conn, error) {
		k.addr = addr
		return near, nil
	}
	if cfg.Proxy == nil {
		cfg.Proxy = http.ProxyURL(nil) // whatever the environment says
	}
	go func() {
		defer close(k.done)
		k.c, k.resp, k.err = Dial(ctx, url, cfg)
	}()
	t.Cleanup(func() {
		k.Close()
		<-k.done
		if k.c != nil {
			k.c.CloseNow()
			within(t, "the connection to end", k.c.Done())
		}
	})
	return k
}

var keyLine = regexp.MustCompile(`Sec-WebSocket-Key: (\S{24})\r\n`)

// request reads the client's request and returns it without its key, which no test can know.
func (k *call) request() string {
	k.t.Helper()
	head := k.WantUntil("\r\n\r\n")
	found := keyLine.FindStringSubmatch(head)
	if found == nil {
		k.t.Fatalf("no key in %q", head)
	}
	k.key = found[1]
	return keyLine.ReplaceAllString(head, "")
}

// response returns a 101 for the key, with further fields.
func (k *call) response(fields ...string) string {
	return response101(handshake.AcceptKey(k.key), fields...)
}

func response101(accept string, fields ...string) string {
	return "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " +
		strings.Join(append([]string{accept}, fields...), "\r\n") + "\r\n\r\n"
}

// result waits for the end of Dial.
func (k *call) result() (*Conn, *http.Response, error) {
	k.t.Helper()
	select {
	case <-k.done:
	case <-time.After(patience):
		k.t.Fatal("Dial has not returned")
	}
	return k.c, k.resp, k.err
}

// opened is result of a Dial that succeeds.
func (k *call) opened() *Conn {
	k.t.Helper()
	c, _, err := k.result()
	if err != nil {
		k.t.Fatal(err)
	}
	return c
}

// wantMessage expects a message of text.
func wantMessage(t *testing.T, c *Conn, want string) {
	t.Helper()
	c.SetReadDeadline(time.Now().Add(patience))
	typ, p, err := c.ReadMessage()
	if typ != TextMessage || string(p) != want || err != nil {
		t.Fatalf("got %v %.100q, %v; want %.100q", typ, p, err, want)
	}
}
