package http3_test

import (
	"crypto/tls"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/shockwave-go/shockwave/http3"
	"github.com/shockwave-go/shockwave/server"
)

// With EarlyData a client that comes back may send requests with safe methods before the handshake is complete, and handlers are
// told; other requests wait for the handshake.
func TestEarlyData(t *testing.T) {
	for _, allowed := range []bool{false, true} {
		r := start(t, server.Config{Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
			fmt.Fprintf(w, "early %s, %v", r.Header().Get("Early-Data"), r.TLS().HandshakeComplete)
		})}, http3.Config{EarlyData: allowed})
		_, pool := certificate()
		tickets := make(chan bool, 1)
		cfg := clientTLS(pool)
		cfg.ClientSessionCache = &toldCache{tls.NewLRUClientSessionCache(1), tickets}
		c, err := quic.DialAddr(t.Context(), r.addr, cfg, nil)
		if err != nil {
			t.Fatal(err)
		}
		k := &talk{r, c}
		if got := k.ask(unhex(t, get), true); got != "200 early , true" {
			t.Errorf(`the first connection: got %q, want "200 early , true"`, got)
		}
		select {
		case <-tickets:
		case <-time.After(10 * time.Second):
			t.Fatal("got no session ticket")
		}
		c.CloseWithError(0x100, "")
		for head, want := range map[string]string{get: "200 early 1, ", post(""): "200 early , true"} {
			got := ""
			for tries := 0; tries < 20 && !strings.HasPrefix(got, want); tries++ { // a busy server may be late: then there was a handshake
				c, err := quic.DialAddrEarly(t.Context(), r.addr, cfg, nil)
				if err != nil {
					t.Fatal(err)
				}
				k := &talk{r, c}
				s, err := c.OpenStream()
				if err != nil {
					t.Fatal(err)
				}
				s.Write(unhex(t, head))
				s.Close()
				got = k.response(s)
				if used := c.ConnectionState().Used0RTT; used != allowed {
					t.Errorf("0-RTT was used: %v, allowed: %v", used, allowed)
				}
				if !allowed {
					want = "200 early , true"
				}
				c.CloseWithError(0x100, "")
				time.Sleep(20 * time.Millisecond)
			}
			if !strings.HasPrefix(got, want) {
				t.Errorf("%q, want %q", got, want)
			}
		}
	}
}

// toldCache reports when a ticket has arrived.
type toldCache struct {
	tls.ClientSessionCache
	told chan bool
}

func (c *toldCache) Put(key string, s *tls.ClientSessionState) {
	c.ClientSessionCache.Put(key, s)
	select {
	case c.told <- true:
	default:
	}
}
