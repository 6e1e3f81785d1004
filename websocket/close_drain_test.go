package websocket

import (
	"errors"
	"net"
	"os"
	"testing"
	"time"
)

// What Send has accepted leaves before the close frame, even to a peer that starts to read late.
func TestCloseDrains(t *testing.T) {
	for _, f := range faces[:4] {
		t.Run(f.name, func(t *testing.T) {
			const count = 100
			r := f.echo(t, Config{Backlog: count, BacklogBytes: -1, CloseTimeout: time.Minute})
			p := []byte(letters(64 << 10))
			for range count {
				if err := r.c.Send(BinaryMessage, p); err != nil {
					t.Fatal(err)
				}
			}
			closed := make(chan error, 1)
			go func() { closed <- r.c.Close(CloseNormal, "") }()
			want := bare(0x82, string(p))
			for range count {
				r.peer.Want(want)
			}
			r.peer.Want(bare(0x88, "\x03\xE8"))
			r.peer.Send(closeFrame(CloseNormal, ""))
			r.peer.WantEOF()
			if err := <-closed; err != nil {
				t.Errorf("Close: %v", err)
			}
			if err := r.wantEnd(); err != ErrClosed || r.c.Dropped() != 0 {
				t.Errorf("ended with %v, %d messages dropped", err, r.c.Dropped())
			}
		})
	}
}

// Close gives up after CloseTimeout, and counts and reports what was not sent.
func TestCloseGivesUp(t *testing.T) {
	for _, f := range faces[:2] {
		t.Run(f.name, func(t *testing.T) {
			r := f.echo(t, Config{CloseTimeout: 50 * time.Millisecond})
			r.behind()
			if err := r.c.Close(CloseNormal, ""); !f.callbacks && !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("Close: %v", err)
			}
			within(t, "the end", r.c.Done())
			if err := r.wantEnd(); f.callbacks && !errors.Is(err, os.ErrDeadlineExceeded) || !f.callbacks && err != ErrClosed {
				t.Errorf("the server's end is told %v", err)
			}
			if err := r.c.Err(); !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("Err is %v", err)
			}
			if r.c.Dropped() == 0 {
				t.Error("Dropped: got 0")
			}
		})
	}
}

// awaitClosing waits until Close has begun.
func (c *Conn) awaitClosing() {
	for closing := false; !closing; {
		c.send.mu.Lock()
		closing = c.send.line.Ending()
		c.send.mu.Unlock()
	}
}

// If the peer's close frame comes before the backlog has left, the backlog is dropped, and Err and Dropped say so.
func TestCloseOvertaken(t *testing.T) {
	for _, f := range faces[:2] {
		t.Run(f.name, func(t *testing.T) {
			r := f.echo(t, Config{})
			r.behind()
			closed := make(chan error, 1)
			go func() { closed <- r.c.Close(CloseNormal, "") }()
			r.c.awaitClosing()
			r.peer.Send(closeFrame(CloseGoingAway, ""))
			if err := <-closed; err != nil {
				t.Errorf("Close: %v", err)
			}
			within(t, "the end", r.c.Done())
			if err := r.c.Err(); !IsCloseError(err, CloseGoingAway) || r.c.Dropped() == 0 {
				t.Errorf("ended with %v, %d messages dropped", err, r.c.Dropped())
			}
			r.wantEnd()
		})
	}
}

// A peer that does not reply in time sees the end of the stream and no reset.
func TestCloseUnansweredLosesNothing(t *testing.T) {
	for _, f := range faces[:2] {
		t.Run(f.name, func(t *testing.T) {
			r := f.echo(t, Config{CloseTimeout: 20 * time.Millisecond})
			if err := r.c.Send(TextMessage, []byte("last")); err != nil {
				t.Fatal(err)
			}
			r.c.Close(CloseNormal, "")
			if err := r.wantEnd(); err != ErrClosed {
				t.Errorf("ended with %v", err)
			}
			r.peer.Want(bare(0x81, "last") + bare(0x88, "\x03\xE8"))
			r.peer.WantEOF()
		})
	}
}

// Nothing is accepted after Close, also while accepted messages still leave.
func TestNothingAfterClose(t *testing.T) {
	for _, f := range faces[:2] {
		t.Run(f.name, func(t *testing.T) {
			r := f.echo(t, Config{})
			sent := r.behind()
			closed := make(chan error, 1)
			go func() { closed <- r.c.Close(CloseNormal, "") }()
			r.c.awaitClosing()
			for _, send := range []func() error{
				func() error { return r.c.Send(TextMessage, nil) },
				func() error { return r.c.SendPrepared(Prepare(TextMessage, nil)) },
				func() error { return r.c.WriteMessage(TextMessage, nil) },
				func() error { _, err := r.c.NextWriter(TextMessage); return err },
			} {
				if err := send(); !errors.Is(err, net.ErrClosed) {
					t.Errorf("while it closes: %v", err)
				}
			}
			for range sent {
				r.peer.Want(bare(0x82, letters(16<<10)))
			}
			r.peer.Want(bare(0x88, "\x03\xE8"))
			r.peer.Send(closeFrame(CloseNormal, ""))
			r.peer.WantEOF()
			<-closed
		})
	}
}

// A Send that waits for room fails as soon as Close is called.
func TestCloseTellsWhoWaits(t *testing.T) {
	for _, f := range faces[:2] {
		t.Run(f.name, func(t *testing.T) {
			r := f.echo(t, Config{Backlog: 2})
			r.narrow()
			refused := make(chan error, 1)
			full := make(chan struct{})
			go func() {
				var err error
				for sent := 0; err == nil; sent++ {
					if sent == 3 {
						close(full)
					}
					err = r.c.Send(BinaryMessage, []byte(letters(64<<10)))
				}
				refused <- err
			}()
			<-full
			go r.c.Close(CloseNormal, "")
			if err := <-refused; err != ErrClosed {
				t.Errorf("a Send that waits for room fails with %v", err)
			}
			r.peer.WantUntil(bare(0x88, "\x03\xE8"))
			r.peer.Send(closeFrame(CloseNormal, ""))
			r.peer.WantEOF()
		})
	}
}
