package websocket

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
	"github.com/shockwave-go/shockwave/websocket/internal/memconn"
)

func briefly(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Millisecond)
	t.Cleanup(cancel)
	return ctx
}

// WriteMessageContext gives up behind a message in fragments, and nothing of its message is sent.
func TestWriteContextWaitsForItsTurn(t *testing.T) {
	onPulled(t, func(t *testing.T, f face) {
		r := f.open(t, Config{})
		w := r.nextWriter(TextMessage)
		if err := r.c.WriteMessageContext(briefly(t), TextMessage, []byte("in a hurry")); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		io.WriteString(w, "slowly")
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := r.c.WriteMessageContext(soon(t), TextMessage, []byte("then")); err != nil {
			t.Fatal(err)
		}
		r.peer.Want(bare(0x81, "slowly") + bare(0x81, "then"))
	})
}

// WriteMessageContext gives up while the peer reads nothing, and the peer gets whole messages in the end.
func TestWriteContextWaitsForThePeer(t *testing.T) {
	for _, compression := range []Compression{NoCompression, NoContextTakeover, ContextTakeover} {
		near, far := wiretest.Pipe(wiretest.Config{}, wiretest.Config{Buffer: 1 << 10})
		cfg := Config{Compression: compression, CompressionThreshold: 1, ReadLimit: -1}
		s := cfg.settings()
		c, err := s.open(&opened{role: wsframe.Server, nc: near, agreed: agreed(t, s)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		p := words(30_000)
		go c.WriteMessage(TextMessage, []byte(p))
		ahead := make([]byte, 1)
		if _, err := io.ReadFull(far, ahead); err != nil { // it has begun, and waits
			t.Fatal(err)
		}
		for err == nil {
			err = c.WriteMessageContext(briefly(t), TextMessage, []byte(p))
		}
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		client, err := cfg.settings().open(&opened{role: wsframe.Client, nc: far, ahead: ahead, agreed: agreed(t, s)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		go c.WriteMessage(TextMessage, []byte("last"))
		for got := ""; got != "last"; {
			_, b, err := client.ReadMessage()
			if err != nil {
				t.Fatal(err)
			}
			if got = string(b); got != p && got != "last" {
				t.Fatalf("a message of %d bytes that was not written", len(got))
			}
		}
		go c.ReadMessage()
		client.Close(CloseNormal, "")
		within(t, "the end", c.Done())
	}
}

// A compressed message that is given up ends the connection with context takeover, and not without.
func TestCompressedWriteGivenUp(t *testing.T) {
	for compression, over := range map[Compression]error{ContextTakeover: context.Canceled, NoContextTakeover: nil} {
		synctest.Test(t, func(t *testing.T) {
			cfg := Config{Compression: compression, CompressionThreshold: 1, Group: new(Group)}
			defer cfg.Group.Shutdown(t.Context())
			c, s := Pipe(cfg, cfg)
			c.EnableWriteCompression(false)
			go c.WriteMessage(BinaryMessage, make([]byte, 2*memconn.Buffer))
			synctest.Wait() // it waits for the peer, and what follows behind it
			for range 6 {
				if err := c.WriteMessage(BinaryMessage, make([]byte, 10_000)); err != nil {
					t.Fatal(err)
				}
			}
			c.EnableWriteCompression(true)
			ctx, cancel := context.WithCancel(t.Context())
			w, err := c.NextWriterContext(ctx, BinaryMessage)
			if err != nil {
				t.Fatal(err)
			}
			noise := make([]byte, 10_000)
			rand.NewChaCha8([32]byte{}).Read(noise)
			w.Write(noise)
			closed := make(chan error, 1)
			go func() { closed <- w.Close() }()
			synctest.Wait()
			cancel()
			if err := <-closed; err != context.Canceled {
				t.Errorf("compression %v: Close: got %v, want %v", compression, err, context.Canceled)
			}
			synctest.Wait()
			if err := c.Err(); err != over {
				t.Errorf("compression %v: the connection is over: %v, want %v", compression, err, over)
			}
			c.CloseNow()
			s.CloseNow()
		})
	}
}
