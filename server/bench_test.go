package server_test

import (
	"bytes"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/server"
)

// BenchmarkGET measures one connection with one request at a time, and with sixteen. Client and server share the
// processors.
func BenchmarkGET(b *testing.B) {
	for name, batch := range map[string]int{"alone": 1, "pipelined16": 16} {
		b.Run(name, func(b *testing.B) {
			benchmark(b, "GET /plaintext HTTP/1.1\r\nHost: localhost\r\n\r\n", batch, func(w *server.ResponseWriter, r *server.Request) {
				w.WriteBody("text/plain", hello)
			})
		})
	}
}

// BenchmarkBrowserGET measures a head as a browser sends it.
func BenchmarkBrowserGET(b *testing.B) {
	benchmark(b, browserHead, 16, func(w *server.ResponseWriter, r *server.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.Write(hello)
	})
}

// BenchmarkPOST measures a small body that is echoed.
func BenchmarkPOST(b *testing.B) {
	benchmark(b, post("Content-Length: 13\r\n", "Hello, World!"), 16, func(w *server.ResponseWriter, r *server.Request) {
		if body, err := r.Body(); err == nil {
			w.WriteBody("text/plain", body)
		}
	})
}

// benchmark sends request b.N times, batch at a time, and reads the responses.
func benchmark(b *testing.B, request string, batch int, h server.HandlerFunc) {
	f := handle(b, h)
	nc, err := net.Dial("tcp", f.addr)
	if err != nil {
		b.Fatal(err)
	}
	defer nc.Close()
	ask := []byte(strings.Repeat(request, batch))
	nc.Write([]byte(request))
	answer := make([]byte, 64<<10)
	n, err := nc.Read(answer)
	if err != nil || !bytes.HasSuffix(answer[:n], hello) {
		b.Fatalf("%q, %v", answer[:n], err)
	}
	answer = answer[:n*batch]
	b.ReportAllocs()
	for i := 0; i < b.N; i += batch {
		nc.Write(ask)
		if _, err := io.ReadFull(nc, answer); err != nil {
			b.Fatal(err)
		}
	}
}
