package dial

import (
	"io"
	"testing"

	"github.com/shockwave-go/shockwave/internal/wiretest"
)

// FuzzReadAnswer: whatever comes, in whatever pieces, gives the same answer and the same bytes behind it.
func FuzzReadAnswer(f *testing.F) {
	for _, s := range []string{
		"HTTP/1.1 200 OK\r\n\r\nrest", "HTTP/1.1 100 \r\n\r\nHTTP/1.1 101 X\r\nUpgrade: a\r\n\r\n\x81\x00", "HTTP/1.0 404", "",
	} {
		f.Add(s, uint64(1))
	}
	read := func(s string, split wiretest.Split) string {
		near, far := wiretest.Pipe(wiretest.Config{Split: split, Buffer: len(s) + 1}, wiretest.Config{})
		defer near.Close()
		io.WriteString(far, s)
		far.CloseWrite()
		r, rest, err := ReadAnswer(near, "GET")
		if err != nil {
			return err.Error()
		}
		more, _ := io.ReadAll(near)
		return string(r.Header.Bytes()) + "|" + string(rest) + string(more)
	}
	f.Fuzz(func(t *testing.T, s string, seed uint64) {
		whole := read(s, nil)
		for _, split := range []wiretest.Split{wiretest.EveryByte, wiretest.Random(seed)} {
			if got := read(s, split); got != whole {
				t.Errorf("in pieces %q\n   whole %q", got, whole)
			}
		}
	})
}
