package websocket

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// A dialled connection with callbacks parks between messages, over TLS too.
func TestDialedParks(t *testing.T) {
	if runtime.GOOS != "linux" || os.Getenv("SHOCKWAVE_LOOP") == "plain" {
		t.Skip("there is no lot")
	}
	for _, secure := range []bool{false, true} {
		s, at := accepting(t, Config{}, secure, nil)
		got := make(chan string, 1)
		cfg := Config{Group: new(Group), OnMessage: func(_ *Conn, _ MessageType, p []byte) { got <- string(p) }}
		if secure {
			cfg.TLSConfig = trust(s)
		}
		c, _, err := Dial(soon(t), at, cfg)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{5, 70_000} {
			for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
				if s := cfg.Group.engine.Stats(); s.Parked == 1 && s.Active == 0 {
					break
				} else if time.Now().After(end) {
					t.Fatalf("secure %v: got %+v", secure, s)
				}
			}
			if err := c.WriteMessage(TextMessage, []byte(letters(n))); err != nil {
				t.Fatal(err)
			}
			if echo := <-got; echo != letters(n) {
				t.Errorf("secure %v: %d bytes came back", secure, len(echo))
			}
		}
		if err := cfg.Group.Shutdown(soon(t)); err != nil {
			t.Error(err)
		}
	}
}

// Connections over any net.Conn of NetDial, and inside the TLS of a proxy, work without parking.
func TestDialSecureAnyway(t *testing.T) {
	s, at := accepting(t, Config{}, true, nil)
	var d net.Dialer
	wrapped := func(ctx context.Context, network, addr string) (net.Conn, error) {
		nc, err := d.DialContext(ctx, network, addr)
		return struct{ net.Conn }{nc}, err
	}
	there(t, at, Config{TLSConfig: trust(s), NetDial: wrapped})

	var asked []string
	through := http.ProxyURL(connectProxy(t, &asked, true))
	for _, nothing := range []func(context.Context, string, string) (net.Conn, error){nil, wrapped} {
		c, resp := there(t, at, Config{TLSConfig: trust(s), NetDial: nothing, Proxy: through})
		if _, ok := c.NetConn().(*tls.Conn); !ok || resp.TLS == nil {
			t.Errorf("a %T, %v", c.NetConn(), resp.TLS)
		}
	}
	if len(asked) != 2 {
		t.Errorf("the proxy was asked for %q", asked)
	}
}

// held is a connection that keeps its output from a given time on.
type held struct {
	net.Conn
	hold bool
	kept []byte
}

func (h *held) Write(p []byte) (int, error) {
	if !h.hold {
		return h.Conn.Write(p)
	}
	h.kept = append(h.kept, p...)
	return len(p), nil
}

// Messages that come in the same TLS record as the response are read.
func TestDialSecureAhead(t *testing.T) {
	s, at := accepting(t, Config{}, true, nil)
	for _, callbacks := range []bool{false, true} {
		got := make(chan string, 3)
		near, far := faces[0].pair(t)
		cfg := Config{TLSConfig: trust(s), NetDial: func(context.Context, string, string) (net.Conn, error) { return near, nil }}
		if callbacks {
			cfg.OnMessage = func(_ *Conn, _ MessageType, p []byte) { got <- string(p) }
		}
		below := &held{Conn: far}
		k := &call{Talk: wiretest.NewTalk(t, tls.Server(below, s.TLS)), t: t, done: make(chan struct{})}
		go func() {
			defer close(k.done)
			k.c, k.resp, k.err = Dial(t.Context(), at, cfg)
		}()
		k.request()
		below.hold = true
		k.Send(k.response() + bare(0x81, "with the response"))
		k.Send(bare(0x81, "behind it"))
		whole := len(below.kept)
		k.Send(bare(0x81, "later"))
		now := (whole + len(below.kept)) / 2
		if _, err := far.Write(below.kept[:now]); err != nil {
			t.Fatal(err)
		}
		c := k.opened()
		next := func(want string) {
			t.Helper()
			if !callbacks {
				wantMessage(t, c, want)
			} else if p := <-got; p != want {
				t.Errorf("got %q, want %q", p, want)
			}
		}
		next("with the response")
		next("behind it")
		if _, err := far.Write(below.kept[now:]); err != nil {
			t.Fatal(err)
		}
		next("later")
		c.CloseNow()
		within(t, "the connection to end", c.Done())
		far.Close()
	}
}
