package websocket

import (
	"net"
	"runtime"
	"testing"

	"github.com/shockwave-go/shockwave/internal/wsframe"
)

// BenchmarkIdleReader tells what goroutines that echo hold while they wait: their stacks and the heap, for each
// connection, whose other end has none. It is about memory; the time says nothing.
func BenchmarkIdleReader(b *testing.B) {
	b.Run("bare", func(b *testing.B) {
		idle(b, "hello", "hello", func(nc net.Conn) {
			var buf [16]byte
			for {
				n, err := nc.Read(buf[:])
				if err != nil {
					nc.Close()
					return
				}
				nc.Write(buf[:n])
			}
		})
	})
	b.Run("websocket", func(b *testing.B) {
		idle(b, text("hello"), bare(0x81, "hello"), func(nc net.Conn) {
			c, err := Config{}.settings().open(wsframe.Server, nc, nil, &accepted{}, nil)
			if err != nil {
				b.Error(err)
				return
			}
			var buf [16]byte
			for {
				t, n, err := c.ReadMessageInto(buf[:])
				if err != nil {
					return
				}
				c.WriteMessage(t, buf[:n])
			}
		})
	})
}

// idle has many connections say one thing each, and looks at what serve holds when all wait again.
func idle(b *testing.B, say, answer string, serve func(nc net.Conn)) {
	const conns = 500
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	var before, after runtime.MemStats
	for b.Loop() {
		far, near := make([]net.Conn, conns), make([]net.Conn, conns)
		for i := range far {
			if far[i], err = net.Dial("tcp", l.Addr().String()); err != nil {
				b.Fatal(err)
			}
			if near[i], err = l.Accept(); err != nil {
				b.Fatal(err)
			}
		}
		runtime.GC()
		runtime.ReadMemStats(&before)
		for i, nc := range near {
			go serve(nc)
			far[i].Write([]byte(say))
			got := make([]byte, len(answer))
			if _, err := far[i].Read(got); err != nil || string(got) != answer {
				b.Fatalf("%q, %v", got, err)
			}
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		for _, nc := range far {
			nc.Close()
		}
	}
	b.ReportMetric(float64(after.StackInuse-before.StackInuse)/conns, "stack-B/conn")
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/conns, "heap-B/conn")
	b.ReportMetric(0, "ns/op")
}
