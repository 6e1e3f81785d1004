package tcpmux

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/wire/muxframe"
	"github.com/shockwave-go/shockwave/internal/wire/muxsession"
)

// given returns a channel of the peer that has been accepted, and a function that makes a message arrive.
func given(t *testing.T) (x *Channel, comes func(p string)) {
	t.Helper()
	s := lonely(Config{})
	announced(t, s, 2, false)
	x, err := s.Accept(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return x, func(p string) {
		t.Helper()
		b := append(muxframe.AppendData(nil, 2, muxframe.Fin, len(p)), p...)
		s.locked(func() {
			if n, err := s.core.Receive(b, 1); n != len(b) || err != nil {
				t.Fatalf("%d bytes of %d, %v", n, len(b), err)
			}
		})
	}
}

// A message that does not fit the buffer stays the next one, and another waiting reader is woken for it.
func TestShortBuffer(t *testing.T) {
	x, comes := given(t)
	short, got := make(chan error, 1), make(chan string, 1)
	go func() {
		n, err := x.ReceiveInto(t.Context(), make([]byte, 3))
		if n != 5 {
			t.Errorf("it has %d bytes", n)
		}
		short <- err
	}()
	x.s.until(t, "the first waits", func() bool { return x.readers.length() == 1 })
	go func() {
		p, err := x.Receive(t.Context())
		if err != nil {
			t.Error(err)
		}
		got <- string(p)
	}()
	x.s.until(t, "the second waits", func() bool { return x.readers.length() == 2 })
	comes("hello")
	if err := <-short; err != io.ErrShortBuffer {
		t.Errorf("into 3 bytes: got %v, want %v", err, io.ErrShortBuffer)
	}
	if p := <-got; p != "hello" {
		t.Errorf(`got %q, want "hello"`, p)
	}
}

// Each message wakes one waiting reader.
func TestReadersTakeTurns(t *testing.T) {
	x, comes := given(t)
	got := make(chan string, 3)
	for range 3 {
		go func() {
			p, err := x.Receive(t.Context())
			if err != nil {
				t.Error(err)
			}
			got <- string(p)
		}()
	}
	x.s.until(t, "all wait", func() bool { return x.readers.length() == 3 })
	comes("1")
	if p := <-got; p != "1" {
		t.Errorf(`got %q, want "1"`, p)
	}
	comes("2")
	comes("3")
	a, b := <-got, <-got
	if a > b {
		a, b = b, a
	}
	if a != "2" || b != "3" {
		t.Errorf(`got %q, %q; want "2", "3"`, a, b)
	}
}

// A deadline ends waits that have begun before it was set, and can be replaced by another one.
func TestDeadlinesOfWaits(t *testing.T) {
	x, comes := given(t)
	said := make(chan error, 1)
	receive := func() {
		_, err := x.Receive(t.Context())
		said <- err
	}
	go receive()
	x.s.until(t, "it waits", func() bool { return x.readers.first != nil })
	x.SetWriteDeadline(time.Now()) // which is for others
	x.SetReadDeadline(time.Now().Add(time.Hour))
	x.SetReadDeadline(time.Now().Add(-time.Second))
	if err := <-said; !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("receive: %v", err)
	}
	comes("hello")
	if _, err := x.Receive(t.Context()); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("receive: %v", err)
	}
	x.SetReadDeadline(time.Time{})
	if receive(); <-said != nil {
		t.Error("got an error without a deadline")
	}
	big := make([]byte, 1<<20) // more than the window
	x.SetWriteDeadline(time.Time{})
	x.SetReadDeadline(time.Now())
	go func() { said <- x.Send(t.Context(), big) }()
	x.s.until(t, "it waits", x.core.Pending)
	x.SetWriteDeadline(time.Now().Add(time.Hour))
	x.SetWriteDeadline(time.Now().Add(time.Millisecond))
	if err := <-said; !errors.Is(err, os.ErrDeadlineExceeded) || x.core.Pending() {
		t.Errorf("send: %v", err)
	}
}

// Close ends a waiting Receive and drops the unread messages, even on a channel that is over.
func TestClosedChannel(t *testing.T) {
	x, _ := given(t)
	said := make(chan error, 1)
	go func() {
		_, err := x.Receive(t.Context())
		said <- err
	}()
	x.s.until(t, "it waits", func() bool { return x.readers.first != nil })
	x.Close()
	if err := <-said; err != ErrClosed {
		t.Errorf("receive: got %v, want %v", err, ErrClosed)
	}
	x, comes := given(t)
	comes("hello")
	x.s.finishLocked(EndError{})
	if x.Stats().Buffered == 0 {
		t.Error("messages that were received are lost with the session")
	}
	if x.Close(); x.Stats().Buffered != 0 {
		t.Errorf("%d bytes are held after Close", x.Stats().Buffered)
	}
	if _, err := x.Receive(t.Context()); err != ErrClosed {
		t.Errorf("receive: got %v, want %v", err, ErrClosed)
	}
}

// fills sends the given number of messages of 10,000 bytes.
func fills(t *testing.T, x *Channel, n int) {
	t.Helper()
	for range n {
		if err := x.Send(t.Context(), make([]byte, 10_000)); err != nil {
			t.Fatal(err)
		}
	}
}

// A TrySend that fails sends nothing, not even later, and says why.
func TestTrySend(t *testing.T) {
	for name, tc := range map[string]struct {
		prepare func(x *Channel)
		size    int
		want    func(err error) bool
	}{
		"room":        {func(x *Channel) {}, 1000, func(err error) bool { return err == nil }},
		"nothing":     {func(x *Channel) {}, 0, func(err error) bool { return err == nil }},
		"too large":   {func(x *Channel) {}, 10_001, func(err error) bool { return err == ErrTooLarge }},
		"the largest": {func(x *Channel) {}, 10_000, func(err error) bool { return err == nil }},
		"closed":      {func(x *Channel) { x.CloseSend() }, 1, func(err error) bool { return err == ErrClosed }},
		"late":        {func(x *Channel) { x.SetWriteDeadline(time.Now()) }, 1, func(err error) bool { return err == os.ErrDeadlineExceeded }},
		"ended":       {func(x *Channel) { x.s.finishLocked(EndError{}) }, 1, func(err error) bool { return errors.Is(err, net.ErrClosed) && err != ErrClosed }},
		"no room":     {func(x *Channel) { fills(t, x, 5) }, 10_000, func(err error) bool { return err == ErrWouldBlock }},
		"somebody else": {func(x *Channel) {
			fills(t, x, 6)
			go x.Send(t.Context(), make([]byte, 10_000))
			x.s.until(t, "it waits", x.core.Pending)
		}, 0, func(err error) bool { return err == ErrWouldBlock }},
	} {
		s := lonely(Config{ResumeBytes: 60_000})
		s.core = muxsession.New(muxsession.Config{
			Dialler: true, Watcher: s.watcher(), Theirs: muxframe.Limits{Window: 1 << 20, Session: 1 << 20, MaxMessage: 10_000},
			Settings: &s.cfg.core,
		})
		x, err := s.Open("x")
		if err != nil {
			t.Fatal(err)
		}
		tc.prepare(x)
		sent, kept := x.Sent(), s.core.Kept()
		err = x.TrySend(make([]byte, tc.size))
		if !tc.want(err) {
			t.Errorf("%s: %v", name, err)
		}
		if n := x.Sent() - sent; (n == 1) != (err == nil) || (s.core.Kept() == kept) != (err != nil) {
			t.Errorf("%s: %v, and %d messages were sent, %d bytes", name, err, n, s.core.Kept()-kept)
		}
		s.Close()
	}
}

// The end of a channel is reported once, even to a caller that asks afterwards.
func TestLeft(t *testing.T) {
	s := lonely(Config{})
	told := make(chan string, 3)
	x, err := s.Open("x")
	if err != nil {
		t.Fatal(err)
	}
	x.afterDone(func() { told <- "before" })
	before := x.Done()
	select {
	case <-before:
		t.Error("the channel is over from the start")
	default:
	}
	x.Reset(1)
	x.afterDone(func() { told <- "behind" })
	<-before
	<-x.Done()
	y, err := s.Open("y")
	if err != nil {
		t.Fatal(err)
	}
	y.Reset(1)
	<-y.Done() // asked for when it is over
	if a, b := <-told, <-told; a == b {
		t.Errorf("told %q twice", a)
	}
}

// A caller that asks at the moment when the channel ends is told of it.
func TestLeftAtOnce(t *testing.T) {
	s := lonely(Config{})
	for range 200 {
		x, err := s.Open("x")
		if err != nil {
			t.Fatal(err)
		}
		told := make(chan bool)
		go x.Reset(1)
		x.afterDone(func() { close(told) })
		<-told
	}
}

// Messages leaves the messages that it has not returned, and its error comes once and last.
func TestMessagesStop(t *testing.T) {
	x, comes := given(t)
	comes("1")
	comes("2")
	for p, err := range x.Messages() {
		if err != nil || !bytes.Equal(p, []byte("1")) {
			t.Errorf(`got %q, %v; want "1"`, p, err)
		}
		break
	}
	if p, err := x.Receive(t.Context()); err != nil || string(p) != "2" {
		t.Errorf(`got %q, %v; want "2"`, p, err)
	}
	x.s.finishLocked(EndError{})
	var end *EndError
	for p, err := range x.Messages() {
		if p != nil || end != nil || !errors.As(err, &end) {
			t.Errorf("%q, %v after the end", p, err)
		}
	}
	if end == nil {
		t.Error("Messages ended without its error")
	}
}
