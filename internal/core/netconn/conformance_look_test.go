package netconn_test

import (
	"testing"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// A peer that waits has not gone, and neither has one that goes on sending. After a read has failed, Inline callbacks have
// run.
func TestGone(t *testing.T) {
	for name, leave := range map[string]func(talk *wiretest.Talk){
		"half close": func(talk *wiretest.Talk) { talk.HalfClose() },
		"close":      func(talk *wiretest.Talk) { talk.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			onEvery(t, func(t *testing.T, k kind) {
				step := make(chan struct{})
				r := serve(t, k, netconn.Config{}, outside(func(c *netconn.Conn, line string) error {
					if netconn.HasExtra(&c.Link) {
						t.Error("the connection has extra state before Gone is called")
					}
					for range 2 {
						if c.Gone() {
							t.Error("Gone before the peer has left")
						}
					}
					step <- struct{}{}
					<-step
					c.Take(len(c.Unread()))
					if c.Gone() {
						t.Error("Gone when the peer has sent more")
					}
					step <- struct{}{}
					for {
						in, err := c.Fill()
						if err != nil {
							break
						}
						c.Take(len(in))
					}
					called := false
					c.OnGoneInline(func() { called = true })
					if !called || !c.Gone() {
						t.Errorf("after a failed read: Gone is %v, the callback was called: %v", c.Gone(), called)
					}
					return netconn.ErrDone
				}))
				talk := r.dial()
				talk.Send("line\n")
				within(t, "Data", step)
				talk.Send("more")
				step <- struct{}{}
				within(t, "Data", step)
				leave(talk)
				r.wantEnd()
			})
		})
	}
}

// The peer's end is seen while Data does something else.
func TestGoneIsSeen(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		entered := make(chan struct{})
		r := serve(t, k, netconn.Config{}, lines(func(c *netconn.Conn, line string) error {
			close(entered)
			eventually(t, "Gone", c.Gone)
			return netconn.ErrDone
		}))
		talk := r.dial()
		talk.Send("line\n")
		within(t, "Data", entered)
		talk.HalfClose()
		r.wantEnd()
	})
}
