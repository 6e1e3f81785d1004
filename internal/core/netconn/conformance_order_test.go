package netconn_test

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// A message that is sent comes back.
func TestEcho(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		r := serve(t, k, netconn.Config{}, lines(echo))
		talk := r.dial()
		for _, s := range []string{"hello\n", "\n", "hello again\n"} {
			talk.Send(s)
			talk.Want(s)
		}
		talk.Close()
		r.wantEnd()
	})
}

// The latched loop is used where it should be. Without this test the suite could pass on the plain loop alone.
func TestLatched(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		r := serve(t, k, netconn.Config{}, lines(func(c *netconn.Conn, _ string) error {
			return echo(c, fmt.Sprint(c.Latched()))
		}))
		talk := r.dial()
		talk.Send("latched?\n")
		talk.Want(fmt.Sprintf("%v\n", k.latched()))
	})
}

// Whatever the sizes of messages and segments, every byte comes back, in order, once.
func TestOrder(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		r := serve(t, k, netconn.Config{}, lines(echo))
		talk := r.dial()
		rng := rand.New(rand.NewPCG(1, 2))
		var text strings.Builder
		for i := range 200 {
			size := rng.IntN(100)
			if i%20 == 0 {
				size = rng.IntN(20_000)
			}
			fmt.Fprintf(&text, "%d %s\n", i, strings.Repeat("x", size))
		}
		whole := text.String()
		sent := make(chan error, 1)
		go func() {
			rest := whole
			for len(rest) > 0 {
				n := min(1+rng.IntN(5000), len(rest))
				if _, err := talk.Conn.Write([]byte(rest[:n])); err != nil {
					sent <- err
					return
				}
				rest = rest[n:]
			}
			sent <- nil
		}()
		talk.Want(whole)
		if err := within(t, "everything to be sent", sent); err != nil {
			t.Fatal(err)
		}
	})
}

// What Data does not take stands at the front of what it gets next, and nothing else does.
func TestUntakenBytesComeAgain(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		const size = 300_000
		calls := 0
		last := 0
		r := serve(t, k, netconn.Config{MessageTimeout: patience}, func(c *netconn.Conn, in []byte) (int, error) {
			calls++
			if len(in) <= last {
				t.Errorf("Data was called with %d bytes after it had left %d", len(in), last)
			}
			if last = len(in); last < size {
				return 0, nil
			}
			last = 0
			_, err := c.Write(in[:size])
			return size, err
		})
		talk := r.dial()
		body := strings.Repeat("0123456789", size/10)
		go func() { _, _ = talk.Conn.Write([]byte(body)) }()
		talk.Want(body)
		if calls < 2 {
			t.Errorf("%d calls of Data: too few for this test", calls)
		}
	})
}

// A protocol that never takes anything does not fill the memory.
func TestMaxUnread(t *testing.T) {
	onSome(t, isWhole, func(t *testing.T, k kind) {
		most := 0
		r := serve(t, k, netconn.Config{MaxUnread: 64 << 10}, func(_ *netconn.Conn, in []byte) (int, error) {
			most = max(most, len(in))
			return 0, nil
		})
		talk := r.dial()
		go func() { _, _ = talk.Conn.Write(make([]byte, 1<<20)) }()
		if err := r.wantEnd(); err != netconn.ErrFull {
			t.Errorf("ended with %v, want ErrFull", err)
		}
		if most > 128<<10 {
			t.Errorf("%d bytes were unread, want at most 64 KiB", most)
		}
	})
}

// The bytes taken by Take inside Data and the count that Data returns add up.
func TestTakeAndUnread(t *testing.T) {
	onSome(t, isWhole, func(t *testing.T, k kind) {
		var seen []string
		r := serve(t, k, netconn.Config{}, func(c *netconn.Conn, in []byte) (int, error) {
			seen = append(seen, string(in))
			if len(in) < 6 {
				return 0, nil
			}
			c.Take(2)
			if u := string(c.Unread()); u != string(in[2:]) {
				t.Errorf("after Take(2) of %q, Unread is %q", in, u)
			}
			if err := echo(c, string(in)); err != nil {
				return 0, err
			}
			return 3, nil
		})
		talk := r.dial()
		talk.Send("abcdef")
		talk.Want("abcdef\n")
		talk.Send("ghijk")
		talk.Want("fghijk\n")
		talk.Close()
		r.wantEnd()
		if got := strings.Join(seen, "|"); got != "abcdef|fghijk" {
			t.Errorf("Data got %s", got)
		}
	})
}

// What is unread and everything that arrives later goes to the next protocol. End of the previous protocol is not called.
func TestBecome(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		var r *rig
		next := func() netconn.Protocol {
			return &protocol{r: r, data: lines(func(c *netconn.Conn, line string) error { return echo(c, "next: "+line) })}
		}
		r = newRig(t, k)
		r.start(netconn.Config{New: func(*netconn.Conn, net.Listener) (netconn.Protocol, error) {
			first := &protocol{r: r, end: func(*netconn.Conn, error) { t.Error("End of the first protocol was called") }}
			first.data = func(c *netconn.Conn, in []byte) (int, error) {
				i := strings.IndexByte(string(in), '\n')
				if i < 0 {
					return 0, nil
				}
				if string(in[:i]) == "become" {
					c.Become(next())
				}
				return i + 1, echo(c, "first: "+string(in[:i]))
			}
			return first, nil
		}}, r.listen())
		talk := r.dial()
		talk.Send("one\n")
		talk.Want("first: one\n")
		talk.Send("become\ntwo\nthr")
		talk.Want("first: become\nnext: two\n")
		talk.Send("ee\n")
		talk.Want("next: three\n")
		talk.Close()
		if err := r.wantEnd(); err == nil {
			t.Error("End of the second protocol got nil")
		}
	})
}

// A Data that returns ErrUnlatch is called again with what it did not take, outside the latch. Later runs may be latched
// again.
func TestUnlatch(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		r := serve(t, k, netconn.Config{}, lines(func(c *netconn.Conn, line string) error {
			if line == "out" && c.Latched() {
				return netconn.ErrUnlatch
			}
			return echo(c, fmt.Sprintf("%s %v", line, c.Latched()))
		}))
		talk := r.dial()
		for range 3 {
			talk.Send("in\n")
			talk.Want(fmt.Sprintf("in %v\n", k.latched()))
			talk.Send("out\n")
			talk.Want("out false\n")
		}
		// Both lines are in one segment: the line that was taken before ErrUnlatch is not passed again.
		talk.Send("in\nout\n")
		talk.Want(fmt.Sprintf("in %v\nout false\n", k.latched()))
	})
}

// Outside the latch Data can read further, and is not given again what it has read.
func TestFillAndRead(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		r := serve(t, k, netconn.Config{}, outside(func(c *netconn.Conn, line string) error {
			if line != "body" {
				return echo(c, line)
			}
			// 4 bytes by Fill, then 4 by Read.
			if _, err := c.Write([]byte("go on\n")); err != nil {
				return err
			}
			for len(c.Unread()) < 4 {
				if _, err := c.Fill(); err != nil {
					return err
				}
			}
			body := string(c.Unread()[:4])
			c.Take(4)
			rest := make([]byte, 4)
			for got := 0; got < len(rest); {
				n, err := c.Read(rest[got:])
				if err != nil {
					return err
				}
				got += n
			}
			return echo(c, body+"+"+string(rest))
		}))
		talk := r.dial()
		talk.Send("body\n")
		talk.Want("go on\n") // pending output leaves before a wait
		talk.Send("abcd")
		talk.Send("ef")
		talk.Send("ghnext\n")
		talk.Want("abcd+efgh\nnext\n")
		talk.Send("body\n12345678again\n")
		talk.Want("go on\n1234+5678\nagain\n")
	})
}

// Inside the latch Fill is refused and does no harm: a wait there would hold the descriptor's lock.
func TestFillInsideTheLatch(t *testing.T) {
	onSome(t, isLatched, func(t *testing.T, k kind) {
		r := serve(t, k, netconn.Config{}, lines(func(c *netconn.Conn, line string) error {
			_, fillErr := c.Fill()
			_, readErr := c.Read(make([]byte, 1))
			return echo(c, fmt.Sprint(fillErr == netconn.ErrLatched, readErr == netconn.ErrLatched))
		}))
		talk := r.dial()
		talk.Send("x\n")
		talk.Want("true true\n")
	})
}
