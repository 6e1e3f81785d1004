package server

import (
	"math"
	"testing"

	"github.com/shockwave-go/shockwave/server/internal/bodyplan"
)

// The length declared by a handler is the same before the head is sent and when it is sent; lines that are no numbers, or
// differ, declare none.
func TestDeclaredLength(t *testing.T) {
	for _, c := range []struct {
		values []string
		want   int64
	}{
		{nil, -1},
		{[]string{"0"}, 0},
		{[]string{"12"}, 12},
		{[]string{"12", "12"}, 12},
		{[]string{"12", "13"}, -1},
		{[]string{"0", "12"}, -1},
		{[]string{"12", "x"}, -1},
		{[]string{"9223372036854775807"}, math.MaxInt64},
		{[]string{"9223372036854775808"}, -1},
		{[]string{"9999999999999999999"}, -1},
		{[]string{"99999999999999999999999999"}, -1},
		{[]string{"00000000000000000000000012"}, 12},
		{[]string{""}, -1},
		{[]string{"+1"}, -1},
		{[]string{"-1"}, -1},
		{[]string{" 1"}, -1},
		{[]string{"1, 1"}, -1},
		{[]string{"0x1"}, -1},
	} {
		w := &ResponseWriter{setLength: -1}
		h := w.Header()
		h.Add("X-Length", "77")
		for _, v := range c.values {
			h.Add("content-LENGTH", v)
		}
		if got := w.declaredLength(); got != c.want {
			t.Errorf("%q before the commit: %d, want %d", c.values, got, c.want)
		}
		if got := bodyplan.ReadFields(h, w.setLength).Length; got != c.want {
			t.Errorf("%q at the commit: %d, want %d", c.values, got, c.want)
		}
		w.SetContentLength(5)
		if before, at := w.declaredLength(), bodyplan.ReadFields(h, w.setLength); before != 5 || at.Length != 5 || at.Flags.Has(bodyplan.BadLength) {
			t.Errorf("%q beside SetContentLength: %d before the commit, %+v at it", c.values, before, at)
		}
	}
}
