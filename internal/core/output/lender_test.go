package output_test

import (
	"testing"
	"unsafe"

	"github.com/shockwave-go/shockwave/internal/core/output"
)

// lender gives the units of its source, and lends the last one of each turn instead of copying it.
type lender struct {
	source
	lent []byte
}

func (l *lender) Lend(dst []byte, data [][]byte, most int) (_ []byte, _ [][]byte, more bool) {
	l.asked++
	for len(l.units) > 1 && len(dst) < most {
		dst = append(dst, l.units[0]...)
		l.units = l.units[1:]
		if len(l.units)%2 == 1 {
			break
		}
	}
	if len(l.units) > 0 {
		l.lent = []byte(l.units[0])
		l.units = l.units[1:]
		data = append(data, l.lent[:1], l.lent[1:])
	}
	return dst, data, len(l.units) > 0
}

func lending(t *testing.T, units ...string) (*talk, *lender) {
	c := newTalk(t)
	l := &lender{source: source{units: units, t: t}}
	c.sink.lender = l
	return c, l
}

// Lent output follows appended output, and is not copied.
func TestLent(t *testing.T) {
	c, l := lending(t, "head ", "lent")
	c.sink.Draw()
	c.asked("after Draw", &l.source, 1)
	c.wantGot("in order", "head lent")
	found := false
	for _, p := range c.sink.slices {
		found = found || len(p) > 0 && unsafe.SliceData(p) == unsafe.SliceData(l.lent)
	}
	if !found {
		t.Error("what was lent was copied")
	}
}

// Lent output follows output that was written and shared before.
func TestLentBehindOthers(t *testing.T) {
	c, _ := lending(t, "head ", "lent")
	c.q.Hold()
	c.sink.Draw()
	c.write("written ")
	c.share(output.Whole, "shared ").Release()
	c.wantErr("ReleaseFlush", c.sink.ReleaseFlush(), nil)
	c.wantGot("in order", "written shared head lent")
}

// A lender is not asked again before its lent slices have been sent.
func TestLentStaysUntilItHasLeft(t *testing.T) {
	c, l := lending(t, "1", "lent", "2", "also")
	c.sink.takes = []int{2, 1}
	c.sink.Draw()
	c.asked("the peer is slow", &l.source, 1)
	c.sink.Draw()
	c.write("w")
	c.sink.resume()
	c.asked("the peer is still slow", &l.source, 1)
	c.sink.resume()
	c.asked("it has left", &l.source, 2)
	c.wantGot("in order", "1lentw2also")
}

// After a failure no lent output is sent, and the lender is not asked again.
func TestLentIsDropped(t *testing.T) {
	c, l := lending(t, "1", "lent", "2", "also")
	c.sink.takes = []int{2}
	c.sink.Draw()
	c.q.Fail(errOther)
	c.sink.Draw()
	c.asked("nothing is sent any more", &l.source, 1)
	c.wantGot("as far as it came", "1l")
}
