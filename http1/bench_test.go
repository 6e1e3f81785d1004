package http1

import (
	"testing"

	"github.com/shockwave-go/shockwave"
)

func benchmarkRequest(b *testing.B, head string, fields int) {
	var r Request
	in := []byte(head)
	b.SetBytes(int64(len(in)))
	b.ReportAllocs()
	for b.Loop() {
		r.Reset()
		if n, err := r.Parse(in); n != len(in) || err != nil || r.Header.Len() != fields {
			b.Fatal(n, err)
		}
	}
}

func BenchmarkRequestSmallest(b *testing.B) { benchmarkRequest(b, smallest, 1) }
func BenchmarkRequestBrowser(b *testing.B)  { benchmarkRequest(b, chrome, 8) }

func BenchmarkResponse(b *testing.B) {
	var r Response
	in := []byte("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 13\r\nDate: Tue, 11 Jun 2024 10:00:00 GMT\r\n\r\n")
	b.SetBytes(int64(len(in)))
	b.ReportAllocs()
	for b.Loop() {
		r.Reset()
		if n, err := r.Parse(in, "GET"); n != len(in) || err != nil || r.Framing.Length != 13 {
			b.Fatal(n, err)
		}
	}
}

// BenchmarkChunks decodes 16 chunks of 1 KiB.
func BenchmarkChunks(b *testing.B) {
	var in []byte
	for range 16 {
		in = append(AppendChunkSize(in, 1024), make([]byte, 1024)...)
		in = append(in, "\r\n"...)
	}
	in = AppendLastChunk(in, nil)
	var d Body
	b.SetBytes(int64(len(in)))
	b.ReportAllocs()
	for b.Loop() {
		d.Start(Framing{Delimiter: ByChunks}, Limits{})
		data := 0
		for at := 0; !d.Done(); {
			run, n, err := d.Next(in[at:])
			if err != nil || n == 0 {
				b.Fatal(at, err)
			}
			at += n
			data += len(run)
		}
		if data != 16*1024 {
			b.Fatal(data)
		}
	}
}

func BenchmarkAppendResponse(b *testing.B) {
	var h shockwave.Header
	h.Add("Content-Type", "text/plain; charset=utf-8")
	h.Add("Date", "Tue, 11 Jun 2024 10:00:00 GMT")
	const want = "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nDate: Tue, 11 Jun 2024 10:00:00 GMT\r\n\r\n"
	var out []byte
	b.ReportAllocs()
	for b.Loop() {
		out = AppendStatusLine(out[:0], 200, "")
		out, _ = AppendHeader(out, &h)
		out = append(out, "\r\n"...)
		if len(out) != len(want) {
			b.Fatalf("%q", out)
		}
	}
}
