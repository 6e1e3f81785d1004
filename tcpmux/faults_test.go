package tcpmux_test

import (
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/tcpmux"
)

// These are faults that another design had.

// A hundred reconnections leave no goroutines behind.
func TestReconnectWorksAndLeaksNothing(t *testing.T) {
	r := newRig(t, tcpmux.Config{})
	a, b := r.session(quick)
	x, y := r.channel(a, b, "x")
	r.send(x, "first")
	r.want(y, "first")
	before := runtime.NumGoroutine()
	for range 100 {
		r.p.cut()
		r.send(x, "there")
		r.want(y, "there")
		r.send(y, "back")
		r.want(x, "back")
	}
	waits(t, "goroutines end", func() bool { return runtime.NumGoroutine() <= before+2 })
	if n := a.Stats().Resumed; n < 50 {
		t.Errorf("resumed %d times", n)
	}
}

// A waiting Receive ends when the peer closes the channel or the session, or is gone.
func TestReceiveEndsWithThePeer(t *testing.T) {
	r := newRig(t, tcpmux.Config{})
	a, b := r.session(tcpmux.Config{})
	for name, tc := range map[string]struct {
		end  func(y *tcpmux.Channel)
		want func(err error) bool
	}{
		"CloseSend": {func(y *tcpmux.Channel) { y.CloseSend() }, func(err error) bool { return err == io.EOF }},
		"Close":     {func(y *tcpmux.Channel) { y.Close() }, func(err error) bool { return err == io.EOF }},
		"Reset": {func(y *tcpmux.Channel) { y.Reset(3) }, func(err error) bool {
			var reset *tcpmux.ResetError
			return errors.As(err, &reset) && reset.Code == 3 && reset.By == tcpmux.SidePeer
		}},
	} {
		x, y := r.channel(a, b, name)
		got := make(chan error, 1)
		go func() {
			_, err := x.Receive(r.ctx)
			got <- err
		}()
		tc.end(y)
		if err := <-got; !tc.want(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	x, _ := r.channel(a, b, "session")
	got := make(chan error, 1)
	go func() {
		_, err := x.Receive(r.ctx)
		got <- err
	}()
	_ = b.Shutdown(r.ctx)
	if err := <-got; isEnd(err) == nil {
		t.Errorf("the session: %v", err)
	}
}

// A channel full of unread messages does not stop another one.
func TestUnreadMessagesStopNobodyElse(t *testing.T) {
	t.Parallel()
	r := newRig(t, tcpmux.Config{})
	a, b := r.session(tcpmux.Config{})
	x, _ := r.channel(a, b, "unread")
	for x.TrySend(make([]byte, 10_000)) == nil {
		x.Flush(r.ctx)
	}
	v, w := r.channel(a, b, "other")
	for range 100 {
		r.send(v, strings.Repeat("x", 50_000))
		r.want(w, strings.Repeat("x", 50_000))
	}
}

// An empty message, even a nil one, is delivered.
func TestEmptyMessageIsAMessage(t *testing.T) {
	r := newRig(t, tcpmux.Config{})
	a, b := r.session(tcpmux.Config{})
	x, y := r.channel(a, b, "x")
	if err := x.Send(r.ctx, nil); err != nil {
		t.Fatal(err)
	}
	r.send(x, "behind")
	r.want(y, "")
	r.want(y, "behind")
}

// A session without channels is closed after IdleTimeout, and one with a channel is not.
func TestIdleClose(t *testing.T) {
	r := newRig(t, tcpmux.Config{})
	var a *tcpmux.Session
	var x *tcpmux.Channel
	idle := 30 * time.Millisecond
	for ; x == nil; idle *= 2 { // until the machine is not too busy to open a channel within that
		began := time.Now()
		var err error
		if a, err = tcpmux.Dial(r.ctx, r.p.url(), tcpmux.Config{IdleTimeout: idle, PingInterval: 10 * time.Millisecond}); err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		if x, err = a.Open("used"); err != nil && time.Since(began) < idle {
			t.Fatal(err)
		}
	}
	b, err := r.l.Accept(r.ctx) // the first that has a channel
	if err != nil {
		t.Fatal(err)
	}
	y, err := b.Accept(r.ctx)
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * idle)
	r.send(x, "still here")
	r.want(y, "still here")
	x.CloseSend()
	y.CloseSend()
	<-a.Done()
	<-b.Done()
	if end := isEnd(a.Err()); end.Err != nil || end.By != tcpmux.SideLocal {
		t.Errorf("got %v, want an end by %v", a.Err(), tcpmux.SideLocal)
	}
}

// Accept returns channels with names that were not known before, and with their metadata.
func TestChannelsAreAnnounced(t *testing.T) {
	r := newRig(t, tcpmux.Config{})
	a, b := r.session(tcpmux.Config{})
	x, err := a.OpenWith("4f3c1e0a-uuid", tcpmux.Options{Metadata: []byte("who"), Priority: tcpmux.PriorityUrgent})
	if err != nil {
		t.Fatal(err)
	}
	r.send(x, "first")
	y, err := b.Accept(r.ctx)
	if err != nil || y.Name() != "4f3c1e0a-uuid" || string(y.Metadata()) != "who" || y.OpenedBy() != tcpmux.SidePeer || x.OpenedBy() != tcpmux.SideLocal {
		t.Fatalf(`got %q, %q, %v; want "4f3c1e0a-uuid", "who", opened by the peer`, y.Name(), y.Metadata(), err)
	}
	r.want(y, "first")
	if _, err := b.Open("4f3c1e0a-uuid"); err != tcpmux.ErrChannelExists {
		t.Errorf("opened again: got %v, want %v", err, tcpmux.ErrChannelExists)
	}
}

// A channel that Open takes over counts as opened by both sides.
func TestOpenedByBoth(t *testing.T) {
	r := newRig(t, tcpmux.Config{})
	a, b := r.session(tcpmux.Config{})
	x, err := a.OpenWith("shared", tcpmux.Options{Metadata: []byte("who")})
	if err != nil {
		t.Fatal(err)
	}
	waits(t, "the peer knows of it", func() bool { return b.Channel("shared") != nil })
	by := b.Channel("shared").OpenedBy()
	y, err := b.Open("shared")
	if err != nil || by != tcpmux.SidePeer || y.OpenedBy() != tcpmux.SideLocal || x.OpenedBy() != tcpmux.SideLocal || string(y.Metadata()) != "who" {
		t.Errorf("%v, opened by %v, then %v and %v", err, by, y.OpenedBy(), x.OpenedBy())
	}
	if _, err := b.Open("shared"); err != tcpmux.ErrChannelExists {
		t.Errorf("opened again: got %v, want %v", err, tcpmux.ErrChannelExists)
	}
}

// Large messages that have only begun take no more memory than the session's window.
func TestPeerReservesNothing(t *testing.T) {
	r := newRig(t, tcpmux.Config{SessionWindow: 4 << 20})
	a, b := r.session(tcpmux.Config{})
	big := make([]byte, 16<<20)
	for range 64 {
		x, err := a.Open("")
		if err != nil {
			t.Fatal(err)
		}
		go x.Send(r.ctx, big)
	}
	waits(t, "the window is full", func() bool { return b.Stats().Buffered > 3<<20 })
	for range 20 {
		if n := b.Stats().Buffered; n > 4<<20+16<<20+1<<20 {
			t.Fatalf("%d bytes are held", n)
		}
		time.Sleep(5 * time.Millisecond)
	}
	a.Close()
}
