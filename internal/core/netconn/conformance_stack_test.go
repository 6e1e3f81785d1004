package netconn_test

import (
	"runtime"
	"testing"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// dig uses so many KiB of stack.
//
//go:noinline
func dig(deep int) byte {
	var room [1 << 10]byte
	if deep > 0 {
		room[deep] = dig(deep - 1)
	}
	return room[deep]
}

// A goroutine whose Data needs a deep stack grows it once, not again after each garbage collection. A goroutine that needs
// little is left alone.
func TestDeepStacksAreKept(t *testing.T) {
	if raceEnabled {
		t.Skip("stack frames are larger under the race detector")
	}
	for name, tc := range map[string]struct {
		deep int
		kept bool
	}{"deep": {9, true}, "shallow": {0, false}} {
		t.Run(name, func(t *testing.T) {
			onSome(t, func(k kind) bool { return k.network == "tcp" && !k.tls }, func(t *testing.T, k kind) {
				var at []uintptr
				conns := make(chan *netconn.Conn, 20)
				r := serve(t, k, netconn.Config{}, lines(func(c *netconn.Conn, line string) error {
					at = append(at, netconn.Stack())
					dig(tc.deep)
					conns <- c
					return echo(c, line)
				}))
				talk := r.dial()
				var c *netconn.Conn
				for range 10 {
					talk.Send("a\n")
					c = <-conns
					talk.Want("a\n")
					eventually(t, "the connection to wait", func() bool { return netconn.Waits(&c.Link) })
					runtime.GC()
				}
				for i := 6; i < len(at) && tc.kept; i++ {
					if at[i] != at[5] {
						t.Errorf("the stack was at %x and is at %x for the message %d", at[5], at[i], i+1)
					}
				}
				if kept := netconn.KeepsStack(c); kept != tc.kept {
					t.Errorf("the stack is kept: %v", kept)
				}
			})
		})
	}
}
