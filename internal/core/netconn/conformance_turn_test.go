package netconn_test

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// A whole message waits for the end of a message that is written in parts. A unit that may stand between the parts does
// not wait.
func TestTurn(t *testing.T) {
	onPulled(t, func(t *testing.T, k kind) {
		c, talk := pulled(t, k, netconn.Config{}, "")
		part := func(u netconn.Unit, s string) {
			t.Helper()
			if err := c.WriteUnit(context.Background(), u, nil, []byte(s)); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.BeginParts(context.Background(), 0); err != nil {
			t.Fatal(err)
		}
		part(netconn.Part, "one ")
		whole := make(chan error, 1)
		go func() { whole <- c.WriteTwo([]byte("wh"), []byte("ole ")) }()
		if ok, err := c.Post(netconn.Whole, []byte("posted ")); ok || err != nil {
			t.Errorf("Post of a whole one: %v, %v", ok, err)
		}
		if ok, err := c.Post(netconn.Part, []byte("between ")); !ok || err != nil {
			t.Errorf("Post of a part: %v, %v", ok, err)
		}
		brief, cancel := context.WithTimeout(context.Background(), 5*time.Millisecond)
		defer cancel()
		if err := c.WriteUnit(brief, netconn.Whole, nil, []byte("too late ")); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("WriteUnit: %v", err)
		}
		if err := c.BeginParts(brief, 0); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("BeginParts: %v", err)
		}
		if c.TryParts() {
			t.Error("the turn was taken twice")
		}
		part(netconn.Part, "two ")
		talk.Want("one between two ")
		c.EndParts()
		if err := <-whole; err != nil {
			t.Error(err)
		}
		talk.Want("whole ")
		if err := c.BeginParts(context.Background(), 0); err != nil {
			t.Fatal(err)
		}
		part(netconn.Final, "last")
		talk.Want("last")
		c.Finish(netconn.ErrDone)
	})
}

// asked is a context that reports when its error is read: a goroutine reads it just before it waits, with the lock.
type asked struct {
	context.Context
	first chan struct{}
}

func (a asked) Err() error {
	select {
	case <-a.first:
	default:
		close(a.first)
	}
	return nil
}

// A writer that waits for its turn gets an error when nothing can be written any more.
func TestTurnNeverComes(t *testing.T) {
	for name, tc := range map[string]struct {
		end  func(c *netconn.Pulled)
		want error
	}{
		"sealed":  {func(c *netconn.Pulled) { c.Post(netconn.Final, []byte("last")) }, net.ErrClosed},
		"aborted": {func(c *netconn.Pulled) { c.Abort() }, netconn.ErrAbort},
		"ended":   {func(c *netconn.Pulled) { c.Finish(netconn.ErrDone) }, net.ErrClosed},
	} {
		t.Run(name, func(t *testing.T) {
			onPulled(t, func(t *testing.T, k kind) {
				c, talk := pulled(t, k, netconn.Config{}, "")
				if err := c.BeginParts(context.Background(), 0); err != nil {
					t.Fatal(err)
				}
				told := make(chan error, 2)
				one, two := asked{context.Background(), make(chan struct{})}, asked{context.Background(), make(chan struct{})}
				go func() { told <- c.WriteUnit(one, netconn.Whole, nil, []byte("never")) }()
				go func() { told <- c.BeginParts(two, 0) }()
				<-one.first
				<-two.first
				talk.Close()
				tc.end(c)
				for range 2 {
					if err := <-told; err != tc.want {
						t.Errorf("a waiting writer is told %v, want %v", err, tc.want)
					}
				}
				if name != "ended" {
					c.Finish(netconn.ErrDone)
				}
			})
		})
	}
}

// The last unit may come from another goroutine just as the loop sends a response.
func TestFinalWhileTheLoopSends(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		for range 10 {
			r := serve(t, k, netconn.Config{}, lines(func(c *netconn.Conn, line string) error {
				go func() { _ = c.WriteUnit(context.Background(), netconn.Final, nil, []byte("final\n")) }()
				return echo(c, line)
			}))
			talk := r.dial()
			talk.Send("hello\n")
			talk.WantUntil("final\n")
			talk.Close()
		}
	})
}
