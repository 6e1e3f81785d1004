package websocket

import (
	"testing"

	"github.com/shockwave-go/shockwave/internal/compress/deflate"
	"github.com/shockwave-go/shockwave/websocket/internal/permessage"
)

// Connections of a group do without context takeover when its TakeoverMemory is used up, and give the memory back.
func TestTakeoverMemory(t *testing.T) {
	out := int64(deflate.CompressorSize(deflate.MaxBits))
	both := out + int64(deflate.DecompressorSize(deflate.MaxBits))
	g := &Group{TakeoverMemory: both + out}
	cfg := Config{Compression: ContextTakeover, Group: g}
	agrees := func() string {
		p, err := permessage.Choose([]string{permessage.Name}, permessage.Takeover, cfg.settings().shake.Memory)
		if err != nil {
			t.Fatal(err)
		}
		return string(p.Append(nil))
	}
	first := faces[2].open(t, cfg)
	if n := g.Stats().TakeoverMemory; first.c.send.compress.Independent() || n != both {
		t.Errorf("the first connection takes %d bytes", n)
	}
	if got := agrees(); got != "permessage-deflate; client_no_context_takeover" {
		t.Errorf(`with memory for a compressor: got %q, want "permessage-deflate; client_no_context_takeover"`, got)
	}
	second := faces[2].open(t, cfg)
	if n := g.Stats().TakeoverMemory; second.c.send.compress.Independent() || n != both+out {
		t.Errorf("both take %d bytes", n)
	}
	if got := agrees(); got != "permessage-deflate; server_no_context_takeover; client_no_context_takeover" {
		t.Errorf("with no memory: got %q", got)
	}
	for _, c := range []*Conn{first.c, second.c} {
		c.CloseNow()
		within(t, "the connection to end", c.Done())
	}
	if n := g.Stats().TakeoverMemory; n != 0 {
		t.Errorf("%d bytes are still taken", n)
	}
}
