package output_test

import (
	"testing"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/core/output"
)

// A shared unit knows whether it was sent: alone in a flight or behind others, at once or late.
func TestSent(t *testing.T) {
	for name, tc := range map[string]struct {
		post func(c *talk, p *bufpool.Shared)
		want bool
	}{
		"alone": {func(c *talk, p *bufpool.Shared) { c.sink.PostShared(output.Whole, p) }, true},
		"behind others": {func(c *talk, p *bufpool.Shared) {
			c.q.Hold()
			c.write("a")
			c.sink.PostShared(output.Whole, p)
			c.wantErr("Flush", c.sink.Flush(), nil)
		}, true},
		"left and resumed": {func(c *talk, p *bufpool.Shared) {
			c.park("a", "b")
			c.sink.PostShared(output.Whole, p)
			c.sink.resume()
		}, true},
		"failed": {func(c *talk, p *bufpool.Shared) {
			c.sink.err = errSink
			c.sink.PostShared(output.Whole, p)
		}, false},
		"left and failed": {func(c *talk, p *bufpool.Shared) {
			c.sink.takes = []int{1}
			c.sink.PostShared(output.Whole, p)
			c.q.Fail(errOther)
		}, false},
		"dropped": {func(c *talk, p *bufpool.Shared) {
			c.q.Hold()
			c.sink.PostShared(output.Whole, p)
			c.q.Drop()
		}, false},
		"refused": {func(c *talk, p *bufpool.Shared) {
			c.q.Fail(errOther)
			c.sink.PostShared(output.Whole, p)
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			c, told := newTalk(t), 0
			p := bufpool.ShareFunc([]byte("shared"), func(sent bool) {
				told++
				if sent != tc.want {
					t.Errorf("sent: %v", sent)
				}
				if failed := c.q.Failed(); failed == sent && name != "dropped" {
					t.Error("the queue does not know yet that it has failed")
				}
			})
			tc.post(c, p)
			p.Release()
			if told != 1 {
				t.Errorf("called %d times", told)
			}
		})
	}
}

// When a shared unit that could not be sent is released, the queue already reports its failure.
func TestFailedBeforeReleased(t *testing.T) {
	c, told := newTalk(t), false
	p := bufpool.ShareFunc([]byte("shared"), func(sent bool) {
		told = true
		if sent || !c.q.Failed() {
			t.Errorf("sent: %v, the queue has failed: %v", sent, c.q.Failed())
		}
	})
	f, _, _, _ := c.q.PostShared(output.Whole, p)
	p.Release()
	c.q.Finished(f, errSink)
	c.want("told", told, true)
}
