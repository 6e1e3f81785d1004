package websocket

import (
	"runtime"
	"testing"
	"time"
	"unsafe"

	"github.com/shockwave-go/shockwave/internal/compress/deflate"
	"github.com/shockwave-go/shockwave/internal/core/bufpool"
)

func TestTakeoverMemory(t *testing.T) {
	out := int64(deflate.CompressorSize(deflate.MaxBits))
	both := out + int64(deflate.DecompressorSize(deflate.MaxBits))
	for end := time.Now().Add(patience); TakeoverMemory() != 0; runtime.Gosched() { // connections of other tests are ending
		if time.Now().After(end) {
			t.Fatalf("%d bytes are taken by nobody", TakeoverMemory())
		}
	}
	withMemory(t, both+out)
	r := faces[2].open(t, Config{Compression: ContextTakeover})
	if r.c.compress.independent() || TakeoverMemory() != both {
		t.Errorf("the first connection takes %d bytes", TakeoverMemory())
	}
	if got := says(ContextTakeover, permessageDeflate); got != "; client_no_context_takeover" {
		t.Errorf("with memory for a compressor: %q", got)
	}
	second := faces[2].open(t, Config{Compression: ContextTakeover})
	if second.c.compress.independent() || TakeoverMemory() != both+out {
		t.Errorf("both take %d bytes", TakeoverMemory())
	}
	if got := says(ContextTakeover, permessageDeflate); got != "; server_no_context_takeover; client_no_context_takeover" {
		t.Errorf("with no memory: %q", got)
	}
	for _, c := range []*Conn{r.c, second.c} {
		c.CloseNow()
		within(t, "the connection to end", c.Done())
	}
	if TakeoverMemory() != 0 {
		t.Errorf("%d bytes are still taken", TakeoverMemory())
	}
}

// Without takeover a connection has only this for compression, whatever it has sent and received.
func TestMemoryWithoutTakeover(t *testing.T) {
	if n := unsafe.Sizeof(deflater{}) + unsafe.Sizeof(inflater{}); n > 256 {
		t.Errorf("%d bytes", n)
	}
	if raceEnabled {
		t.Skip("the race detector's pools forget on purpose")
	}
	d, i := newDeflater(deflateSide{noTakeover: true}), newInflater(deflateSide{noTakeover: true})
	plain := []byte(letters(1000))
	if n := testing.AllocsPerRun(200, func() {
		p, err := d.message(plain)
		got, err2 := i.message(p, 1<<20)
		if err != nil || err2 != nil || len(got) != len(plain) {
			t.Error(err, err2, len(got))
		}
		bufpool.Put(p)
		bufpool.Put(got)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
