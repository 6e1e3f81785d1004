package permessage

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/shockwave-go/shockwave/internal/core/budget"
	"github.com/shockwave-go/shockwave/internal/core/bufpool"
)

// Without takeover, compressing and decompressing need no memory of the connection's own and allocate nothing.
func TestMemoryWithoutTakeover(t *testing.T) {
	if n := unsafe.Sizeof(Contexts{}); n > 256 {
		t.Errorf("got %d bytes", n)
	}
	memory := budget.New(1 << 20)
	p := Params{FromServer: Side{NoTakeover: true}, FromClient: Side{NoTakeover: true}}
	server, client := p.Server(memory), p.Client(memory)
	if server != client || memory.Used() != 0 {
		t.Errorf("%d bytes are used", memory.Used())
	}
	if bufpool.Poisoned {
		t.Skip("the race detector's pools forget on purpose")
	}
	plain := []byte(strings.Repeat("abcdefghij", 100))
	if n := testing.AllocsPerRun(200, func() {
		p, err := server.Compress(plain)
		got, err2 := client.Decompress(p, 1<<20)
		if err != nil || err2 != nil || len(got) != len(plain) {
			t.Error(err, err2, len(got))
		}
		bufpool.Put(p)
		bufpool.Put(got)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// With takeover, a context counts its memory until it is released, and does without takeover when there is none.
func TestMemoryWithTakeover(t *testing.T) {
	memory := budget.New(4<<10 + 64<<10)
	var p Params
	server, client := p.Server(memory), p.Client(memory)
	if server.Independent() || !client.Independent() {
		t.Error("the second context has takeover, although there is no memory for it")
	}
	for _, c := range []*Contexts{server, client} {
		c.Release()
		c.ReleaseCompressor()
		c.Release()
	}
	if memory.Used() != 0 {
		t.Errorf("%d bytes are still taken", memory.Used())
	}
}
