package netconn_test

import (
	"testing"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// After Interrupt all reads fail, those that wait and later ones, until it is taken back. Then nothing is lost.
func TestInterrupt(t *testing.T) {
	onPulled(t, func(t *testing.T, k kind) {
		c, talk := pulled(t, k, netconn.Config{}, "ahead")
		reads := map[string]func() error{
			"Fill": func() error { _, err := c.Fill(); return err },
			"Read": func() error { c.Take(len(c.Unread())); _, err := c.Read(make([]byte, 10)); return err },
		}
		for range 20 {
			done := make(chan error, 1)
			go func() { done <- reads["Fill"]() }()
			c.Interrupt(true) // before it waits, or while it does
			if err := within(t, "Fill to be interrupted", done); err != netconn.ErrInterrupted {
				t.Fatal(err)
			}
			if err := reads["Fill"](); err != netconn.ErrInterrupted {
				t.Fatal(err)
			}
			c.Interrupt(false)
		}
		if got := string(c.Unread()); got != "ahead" {
			t.Errorf("%q is left", got)
		}
		for name, read := range reads {
			c.Interrupt(true)
			if err := read(); err != netconn.ErrInterrupted {
				t.Errorf("%s: %v", name, err)
			}
			c.Interrupt(false)
			talk.Send("there")
			if err := read(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			c.Take(len(c.Unread()))
			if _, err := c.Write([]byte("back")); err != nil {
				t.Error(err)
			}
			talk.Want("back")
		}
		c.Finish(netconn.ErrAbort)
	})
}
