package server_test

import (
	"io"
	"net"
	"os"
	"testing"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/server"
	"golang.org/x/net/http2"
)

// A GET over HTTP/2 allocates nothing once the pools are filled.
func TestH2AllocatesNothing(t *testing.T) {
	if bufpool.Poisoned {
		t.Skip("under the race detector sync.Pool forgets at random")
	}
	hello := []byte("hello")
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		w.WriteBody("text/plain", hello)
	})
	c := h2Round(t, f.addr)
	for range 100 {
		c()
	}
	most := 0.0
	if os.Getenv("SHOCKWAVE_LOOP") == "plain" {
		most = 1 // the goroutine that sends what a worker must not wait for
	}
	if n := testing.AllocsPerRun(500, c); n > most {
		t.Errorf("%v allocations", n)
	}
}

// h2Round returns a function that requests a page and reads the response up to its end, without parsing it or allocating.
func h2Round(t *testing.T, addr string) func() {
	nc, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	k := h2On(t, nc)
	get := func(id uint32) []byte { return k.Held(func() { k.get(id, "/") }) }
	if _, err := nc.Write(get(1)); err != nil {
		t.Fatal(err)
	}
	k.Want("HEADERS 1 200 content-length=5 content-type=text/plain", `DATA 1 "hello" END`)
	request, id := get(3), uint32(3) // all of its fields are in the table by now
	in := make([]byte, 4096)
	k.Framer.WriteWindowUpdate(0, 1<<30)
	return func() {
		request[5], request[6], request[7], request[8] = byte(id>>24), byte(id>>16), byte(id>>8), byte(id)
		id += 2
		if _, err := nc.Write(request); err != nil {
			t.Fatal(err)
		}
		for ended := false; !ended; {
			if _, err := io.ReadFull(nc, in[:9]); err != nil {
				t.Fatal(err)
			}
			n := int(in[1])<<8 | int(in[2])
			ended = http2.FrameType(in[3]) == http2.FrameData && in[4]&1 != 0
			if _, err := io.ReadFull(nc, in[:n]); err != nil {
				t.Fatal(err)
			}
		}
	}
}
