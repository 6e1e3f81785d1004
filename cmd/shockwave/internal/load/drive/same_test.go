package drive

import (
	"sync"
	"testing"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/account"
)

// Of equal values that come first at the same time, none differs.
func TestFirstAtOnce(t *testing.T) {
	for range 2000 {
		var f firstValue
		var values sync.WaitGroup
		start := make(chan struct{})
		for range 4 {
			values.Go(func() {
				<-start
				if !f.equals(13) {
					t.Error("a value differs that all have")
				}
			})
		}
		close(start)
		values.Wait()
		if f.equals(14) {
			t.Fatal("another value must differ")
		}
	}
}

// Each response is compared with the first of its URL.
func TestLikeness(t *testing.T) {
	type seen struct {
		status int
		length int64
		wrong  string
	}
	for _, c := range []struct {
		name    string
		same    bool
		answers []seen
	}{
		{"any length with any good status", false, []seen{
			{500, 3, "status"}, {200, 13, ""}, {200, 0, ""}, {302, 13, ""}, {404, 13, "status"}, {200, 1 << 40, ""},
		}},
		{"the length and the status of the first good one", true, []seen{
			{404, 3, "status"}, {200, 13, ""}, {200, 14, "length"}, {302, 13, "status"}, {404, 13, "status"}, {200, 13, ""},
		}},
	} {
		var l *sameCheck
		if c.same {
			l = new(sameCheck)
		}
		for i, s := range c.answers {
			var e account.Errors
			said := map[*int64]string{nil: "", &e.Status: "status", &e.Length: "length"}
			if got := said[l.wrong(s.status, s.length, &e)]; got != s.wrong {
				t.Errorf("%s: answer %d: %q is wrong, want %q", c.name, i, got, s.wrong)
			}
		}
	}
}
