package nethttp_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// BenchmarkServe compares net/http's server with ours: one connection, 64 of them, and 16 requests in flight on one. The
// figures of both include the client's work.
func BenchmarkServe(b *testing.B) {
	for _, s := range servers {
		l := listen(b)
		stop := s.serve(&http.Server{Handler: http.HandlerFunc(greet), ErrorLog: quiet()}, l)
		addr := l.Addr().String()
		b.Run("alone/"+s.name, func(b *testing.B) {
			exchange := exchanger(b, addr, browserGet)
			b.ReportAllocs()
			for b.Loop() {
				exchange()
			}
		})
		b.Run("64/"+s.name, func(b *testing.B) {
			b.SetParallelism(32)
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				exchange := exchanger(b, addr, browserGet)
				for pb.Next() {
					exchange()
				}
			})
		})
		b.Run("pipelined/"+s.name, func(b *testing.B) {
			p := dial(b, addr)
			p.say(browserGet)
			size := len(readAnswer(b, p))
			out, in := []byte(strings.Repeat(browserGet, 16)), make([]byte, 16*size)
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				if n%16 > 0 {
					continue
				}
				p.Write(out)
				if _, err := io.ReadFull(p.Conn, in); err != nil {
					b.Fatal(err)
				}
			}
		})
		stop()
	}
}
