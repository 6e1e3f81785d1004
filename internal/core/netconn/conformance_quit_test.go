package netconn_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"runtime"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// Accepted output is sent before a Quit ends the connection, also output that is held back while Data runs, and the peer
// sees an orderly end.
func TestQuit(t *testing.T) {
	netconn.Unhurried(t)
	onEvery(t, func(t *testing.T, k kind) {
		for _, elsewhere := range []bool{false, true} {
			r := serve(t, k, netconn.Config{}, lines(func(c *netconn.Conn, line string) error {
				err := echo(c, line)
				if !elsewhere {
					c.Quit()
				} else if line == "third" {
					done := make(chan struct{})
					go func() {
						defer close(done)
						c.Quit()
					}()
					within(t, "Quit", done)
				}
				return err
			}))
			talk := r.dial()
			if elsewhere {
				talk.Send("first\nsecond\nthird\n")
				talk.Want("first\nsecond\nthird\n")
			} else {
				talk.Send("first\n")
				talk.Want("first\n")
			}
			talk.WantEOF()
			talk.Close()
			if err := r.wantEnd(); err != netconn.ErrAbort {
				t.Errorf("ended with %v, want ErrAbort", err)
			}
		}
	})
}

// Quit ends a connection that waits for input or is parked. If no output is pending, a write deadline that has passed
// changes nothing.
func TestQuitEndsWaits(t *testing.T) {
	netconn.Unhurried(t)
	onEvery(t, func(t *testing.T, k kind) {
		for _, park := range []time.Duration{-1, millis(5)} {
			conns := make(chan *netconn.Conn, 1)
			r := newRig(t, k)
			r.start(netconn.Config{IdlePark: park, New: func(c *netconn.Conn, _ net.Listener) (netconn.Protocol, error) {
				conns <- c
				return &protocol{r: r, data: lines(echo)}, nil
			}}, r.listen())
			talk := r.dial()
			talk.Send("hello\n")
			talk.Want("hello\n")
			c := <-conns
			eventually(t, "the connection to wait", func() bool { return netconn.Waits(&c.Link) })
			c.SetWriteDeadline(time.Unix(1, 0))
			c.Quit()
			c.Quit()
			talk.WantEOF()
			talk.Close()
			if _, err := c.Write([]byte("x")); !errors.Is(err, net.ErrClosed) {
				t.Errorf("a write afterwards: %v", err)
			}
			if err := r.wantEnd(); err != netconn.ErrAbort {
				t.Errorf("ended with %v, want ErrAbort", err)
			}
		}
	})
}

// Quit wakes a reader that waits, and Finish then ends the connection in good order.
func TestQuitPulled(t *testing.T) {
	netconn.Unhurried(t)
	onPulled(t, func(t *testing.T, k kind) {
		c, talk := pulled(t, k, netconn.Config{}, "")
		c.Hold()
		if ok, err := c.Post(netconn.Whole, []byte("held back")); !ok || err != nil {
			t.Fatal(ok, err)
		}
		told := make(chan error, 1)
		go func() {
			_, err := c.Fill()
			told <- err
		}()
		eventually(t, "the reader to wait", func() bool { return netconn.ReaderWaits(&c.Link) })
		c.Quit()
		if err := within(t, "the reader", told); err != netconn.ErrAbort {
			t.Errorf("the reader got %v", err)
		}
		talk.Want("held back")
		go c.Finish(netconn.ErrDone)
		talk.WantEOF()
		talk.Close()
	})
}

// Quit does not wait for a peer that reads nothing. If output is lost, the connection is reset.
func TestQuitDeaf(t *testing.T) {
	onPulled(t, func(t *testing.T, k kind) {
		for _, waits := range []bool{false, true} {
			// The kernel takes more a little later, even if the peer does not read, but never this much.
			const much = 12 << 20
			cfg := netconn.Config{}
			if !waits {
				cfg.WriteBuffer = much
			}
			c, talk := pulled(t, k, cfg, "")
			told := make(chan error, 1)
			if waits {
				go func() { told <- c.WriteUnit(context.Background(), netconn.Whole, nil, make([]byte, much)) }()
				eventually(t, "the writer to wait", func() bool { return netconn.WriterWaits(&c.Link) })
			} else {
				for range much >> 20 {
					if ok, err := c.Post(netconn.Whole, make([]byte, 1<<20)); !ok {
						t.Fatalf("no room: %v", err)
					}
				}
				told <- netconn.ErrAbort
			}
			c.Quit()
			if err := within(t, "the writer", told); err != netconn.ErrAbort {
				t.Errorf("the writer got %v", err)
			}
			c.Finish(netconn.ErrDone)
			if k.latched() && runtime.GOARCH != "386" && runtime.GOARCH != "s390x" { // there sys.Disconnect resets
				talk.WantReset()
			} else {
				talk.WantGone()
			}
			talk.Close()
		}
	})
}

// Writes that were accepted before Quit arrive, whichever goroutine sends at that moment.
func TestQuitAmidWrites(t *testing.T) {
	netconn.Unhurried(t)
	onPulled(t, func(t *testing.T, k kind) {
		for range 5 {
			c, talk := pulled(t, k, netconn.Config{}, "")
			room := make(chan struct{}, 60) // this much is under way: the sockets are never full
			begun, others := make(chan struct{}, 3), make(chan struct{})
			for range 3 {
				go func() {
					var err error
					for first := true; err == nil; first = false {
						if _, err = c.Write([]byte("o")); first {
							begun <- struct{}{}
						}
						room <- struct{}{}
					}
					others <- struct{}{}
				}()
			}
			var got bytes.Buffer
			read := make(chan error, 1)
			go func() {
				one := make([]byte, 1)
				for {
					if _, err := io.ReadFull(talk.Conn, one); err != nil {
						read <- err
						break
					}
					got.Write(one)
					if one[0] == 'o' {
						<-room
					}
				}
				for range room { // for a writer that still waits
				}
			}()
			for range 3 {
				<-begun
			}
			if _, err := c.Write([]byte("mine")); err != nil {
				t.Fatal(err)
			}
			c.Quit()
			if err := within(t, "the end", read); err != io.EOF || !bytes.Contains(got.Bytes(), []byte("mine")) {
				t.Fatalf("only %d bytes arrived, not everything that was accepted before Quit: %v", got.Len(), err)
			}
			for range 3 {
				<-others
			}
			close(room)
			c.Finish(netconn.ErrDone)
			talk.Close()
		}
	})
}

// Output that was left to the lot is sent by Quit, if there is room for it by then.
func TestQuitTakesTheRoom(t *testing.T) {
	onSome(t, func(k kind) bool { return k.latched() && k.network == "tcp" && !k.tls }, func(t *testing.T, k kind) {
		c, talk := pulled(t, k, netconn.Config{}, "")
		n := fill(t, &c.Link, make([]byte, 60<<10)) * 60 << 10
		all := make(chan int, 1)
		go func() { all <- len(talk.WantN(n)) }()
		eventually(t, "the rest to leave", func() bool { return !netconn.Left(&c.Link) && netconn.Pending(&c.Link) == 0 })
		c.Quit()
		<-all
		go c.Finish(netconn.ErrDone)
		talk.WantEOF()
		talk.Close()
	})
}

// breaker is an Owner that reports a failed write.
type breaker chan struct{}

func (breaker) Drain()   {}
func (b breaker) Broke() { close(b) }

// The owner is told once that a write has failed, even if no goroutine reads or writes.
func TestBroke(t *testing.T) {
	onPulled(t, func(t *testing.T, k kind) {
		near, far := connection(t, k)
		e := netconn.New(brief(netconn.Config{Loop: k.loop}))
		defer func() { _ = e.Close() }()
		b := make(breaker)
		c, err := e.Pull(near, nil, b)
		if err != nil {
			t.Fatal(err)
		}
		fill(t, &c.Link, make([]byte, 60<<10))
		_ = far.Close() // with unread bytes: a reset
		within(t, "Broke", b)
		c.Finish(netconn.ErrDone)
	})
}
