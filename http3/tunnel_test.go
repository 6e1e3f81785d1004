package http3_test

import (
	"errors"
	"net"
	"os"
	"testing"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/shockwave-go/shockwave/http3"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/server"
)

// TestTunnelCutInsideAFrame: a tunnel whose write has failed inside a DATA frame takes no more writes, and closing it resets the stream: the
// connection goes on, which a stream that ends inside a frame would end (RFC 9114 §7.1).
func TestTunnelCutInsideAFrame(t *testing.T) {
	for name, cut := range map[string]func(t *testing.T, nc net.Conn, much []byte){
		"deadline": func(t *testing.T, nc net.Conn, much []byte) {
			nc.SetWriteDeadline(time.Now().Add(50 * time.Millisecond))
			for range 2 {
				if _, err := nc.Write(much); !errors.Is(err, os.ErrDeadlineExceeded) {
					t.Errorf("a write: %v", err)
				}
				nc.SetWriteDeadline(time.Now().Add(time.Hour))
			}
			nc.Close()
		},
		"closed meanwhile": func(t *testing.T, nc net.Conn, much []byte) {
			time.AfterFunc(50*time.Millisecond, func() { nc.Close() })
			if _, err := nc.Write(much); !errors.Is(err, net.ErrClosed) {
				t.Errorf("a write: %v", err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			over := make(chan error, 1)
			r := start(t, server.Config{Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
				if string(r.Method()) != "CONNECT" {
					return
				}
				nc, _, err := w.Hijack()
				if err == nil {
					cut(t, nc, make([]byte, 100<<10))
				}
				over <- err
			})}, http3.Config{})
			k := &talk{r, r.dialWith(&quic.Config{InitialStreamReceiveWindow: 32 << 10, MaxStreamReceiveWindow: 32 << 10})}
			k.uni(unhex(t, "00 0400"))
			s := k.open(unhex(t, "[:method CONNECT|:authority a.test:443]"), false)
			wiretest.Within(t, "the handler", over)
			if got := k.response(s); got != "reset H3_REQUEST_CANCELLED" {
				t.Errorf("the tunnel: %s", got)
			}
			if got := k.ask(unhex(t, get), true); got != "200" {
				t.Errorf("the connection: %s", got)
			}
		})
	}
}
