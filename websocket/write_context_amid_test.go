package websocket

import (
	"context"
	"io"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// WriteMessageContext returns when ctx ends, and a message that has begun goes on from a copy.
func TestWriteContextAmidAMessage(t *testing.T) {
	const size = 16 << 20
	for _, f := range faces {
		t.Run(f.name, func(t *testing.T) {
			g := new(Group)
			cfg := Config{Group: g}
			if f.callbacks {
				cfg.OnMessage = func(*Conn, MessageType, []byte) {}
			}
			near, far := f.pair(t)
			defer far.Close()
			c, err := cfg.settings().open(&opened{role: wsframe.Server, nc: near}, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer c.CloseNow()
			p := make([]byte, size)
			for i := range p {
				p[i] = 'x'
			}
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			wrote := make(chan error, 1)
			go func() { wrote <- c.WriteMessageContext(ctx, BinaryMessage, p) }()
			select {
			case err := <-wrote:
				if err != context.DeadlineExceeded {
					t.Fatalf("got %v, want %v", err, context.DeadlineExceeded)
				}
			case <-time.After(20 * time.Second):
				t.Fatal("WriteMessageContext has not returned")
			}
			clear(p) // it is the caller's again
			go c.WriteMessage(TextMessage, []byte("next"))
			got := make([]byte, 10+size+6)
			if _, err := io.ReadFull(far, got); err != nil {
				t.Fatal(err)
			}
			for i, b := range got[10 : 10+size] {
				if b != 'x' {
					t.Fatalf("byte %d is %d", i, b)
				}
			}
			if next := string(got[10+size:]); next != bare(0x81, "next") {
				t.Errorf("then comes %q", next)
			}
			wiretest.Eventually(t, "nothing to be unsent", func() bool { return !c.send.link.Unsent() })
		})
	}
}
