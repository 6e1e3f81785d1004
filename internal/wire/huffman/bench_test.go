package huffman

import (
	"bytes"
	"testing"

	"golang.org/x/net/http2/hpack"
)

// Typical strings of browsers and servers.
var benchStrings = []struct{ name, text string }{
	{"15", "www.example.com"},
	{"29", "Mon, 21 Oct 2013 20:13:22 GMT"},
	{"111", "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36 Edg/124.0"},
	{"1k", string(bytes.Repeat([]byte("session=38afes7a8; theme=dark; _ga=GA1.2.1234567890; "), 20))},
}

func BenchmarkHuffmanDecode(b *testing.B) {
	for _, g := range benchStrings {
		code := Append(nil, g.text)
		b.Run(g.name+"/shockwave", func(b *testing.B) {
			room := make([]byte, 0, MaxLen(len(code)))
			b.SetBytes(int64(len(g.text)))
			for b.Loop() {
				if out, ok := Decode(room, code); !ok || len(out) != len(g.text) {
					b.Fatal(ok)
				}
			}
		})
		b.Run(g.name+"/x-net", func(b *testing.B) {
			var out bytes.Buffer
			b.SetBytes(int64(len(g.text)))
			for b.Loop() {
				out.Reset()
				if _, err := hpack.HuffmanDecode(&out, code); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkHuffmanEncode(b *testing.B) {
	for _, g := range benchStrings {
		room := make([]byte, 0, len(g.text))
		b.Run(g.name+"/shockwave", func(b *testing.B) {
			b.SetBytes(int64(len(g.text)))
			for b.Loop() {
				Append(room, g.text)
			}
		})
		b.Run(g.name+"/x-net", func(b *testing.B) {
			b.SetBytes(int64(len(g.text)))
			for b.Loop() {
				hpack.AppendHuffmanString(room, g.text)
			}
		})
	}
}
