package utf8x

import (
	"bytes"
	"fmt"
	"testing"
	"unicode/utf8"
)

var sink bool

// The peer is unicode/utf8.Valid; Write is measured with a Reset, as for one text.
func BenchmarkValid(b *testing.B) {
	for _, text := range []struct{ name, part string }{
		{"ASCII", "a"}, {"Latin", "une idée à étudier, "}, {"CJK", "漢字仮名"}, {"emoji", "🦈"},
	} {
		for _, size := range []int{8, 16, 31, 64, 100, 1 << 10, 1000, 64 << 10} {
			p := bytes.Repeat([]byte(text.part), size/len(text.part)+1)[:size]
			for !utf8.Valid(p) {
				p = p[:len(p)-1]
			}
			name := fmt.Sprintf("%s-%d", text.name, size)
			run := func(who string, valid func([]byte) bool) {
				b.Run(name+"/"+who, func(b *testing.B) {
					b.SetBytes(int64(len(p)))
					for b.Loop() {
						sink = valid(p)
					}
				})
			}
			run("utf8x", Valid)
			run("unicode", utf8.Valid)
			run("write", func(p []byte) bool {
				var v Validator
				_, ok := v.Write(p)
				return ok && v.Done()
			})
		}
	}
}
