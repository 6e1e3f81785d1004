//go:build !noasm && !race

package websocket

import (
	"context"
	"net"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// An idle blocking reader keeps its first stack and less than 2,000 bytes of heap.
func TestIdleReaders(t *testing.T) {
	if os.Getenv("SHOCKWAVE_LOOP") == "plain" {
		t.Skip("the plain loop leases a buffer to wait with")
	}
	const child = "SHOCKWAVE_TEST_IDLE"
	if os.Getenv(child) == "" { // with adaptive stacks they begin as large as others have become
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, self, "-test.run", "^TestIdleReaders$", "-test.v")
		cmd.Env = append(os.Environ(), child+"=1", "GODEBUG=adaptivestackstart=0,"+os.Getenv("GODEBUG"))
		out, err := cmd.CombinedOutput()
		t.Logf("%s", out)
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	stack, heap := idle(t, "hello", "hello", func(nc net.Conn) { go echoBare(nc) })
	t.Logf("on a bare net.Conn: stack %.0f, heap %.0f bytes a connection", stack, heap)
	stack, heap = idle(t, text("hello"), bare(0x81, "hello"), func(nc net.Conn) {
		c, err := Config{}.settings().open(&opened{role: wsframe.Server, nc: nc}, nil)
		if err != nil {
			t.Error(err)
			return
		}
		go echo(c)
	})
	t.Logf("on a Conn: stack %.0f, heap %.0f bytes a connection", stack, heap)
	if heap > 2000 {
		t.Errorf("an idle reader holds %.0f bytes of heap", heap)
	}
	if stack > 3000 && testing.CoverMode() == "" {
		t.Errorf("an idle reader has a stack of %.0f bytes", stack)
	}
}

func echoBare(nc net.Conn) {
	var buf [16]byte
	for {
		n, err := nc.Read(buf[:])
		if err != nil {
			nc.Close()
			return
		}
		nc.Write(buf[:n])
	}
}

func echo(c *Conn) {
	var buf [16]byte
	for {
		t, n, err := c.ReadMessageInto(buf[:])
		if err != nil {
			return
		}
		c.WriteMessage(t, buf[:n])
	}
}

// idle makes many connections send one message each, and returns the memory that serve holds for each when all are idle again.
func idle(t *testing.T, say, answer string, serve func(nc net.Conn)) (stack, heap float64) {
	const conns = 400
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	far, near := make([]net.Conn, conns), make([]net.Conn, conns)
	for i := range far {
		if far[i], err = net.Dial("tcp", l.Addr().String()); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { far[i].Close() })
		if near[i], err = l.Accept(); err != nil {
			t.Fatal(err)
		}
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i, nc := range near {
		serve(nc)
		far[i].Write([]byte(say))
		got := make([]byte, len(answer))
		if _, err := far[i].Read(got); err != nil || string(got) != answer {
			t.Fatalf("got %q, %v; want %q", got, err, answer)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	each := func(b, a uint64) float64 { return (float64(a) - float64(b)) / conns }
	return each(before.StackInuse, after.StackInuse), each(before.HeapAlloc, after.HeapAlloc)
}
