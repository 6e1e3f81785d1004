package tcpmux_test

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/tcpmux"
)

// Each error has this text, and wraps this error.
func TestErrorsInWords(t *testing.T) {
	for _, tc := range []struct {
		err  error
		want string
		is   error
	}{
		{&tcpmux.ResetError{Code: 7}, "tcpmux: channel reset by this side, code 7", nil},
		{&tcpmux.ResetError{Code: 7, By: tcpmux.SidePeer}, "tcpmux: channel reset by the peer, code 7", nil},
		{&tcpmux.RefusedError{Code: tcpmux.RefusedTooManySessions}, "tcpmux: refused: too many sessions", nil},
		{&tcpmux.RefusedError{Code: tcpmux.RefusedUnknownSession, Text: "why"}, "tcpmux: refused: unknown session: why", tcpmux.ErrUnknownSession},
		{&tcpmux.EndError{By: tcpmux.SideLocal}, "tcpmux: session closed by this side", net.ErrClosed},
		{&tcpmux.EndError{By: tcpmux.SidePeer}, "tcpmux: session closed by the peer", net.ErrClosed},
		{&tcpmux.EndError{Err: tcpmux.ErrPingTimeout, Undelivered: 3},
			"tcpmux: session lost, 3 messages not acknowledged: tcpmux: the peer is silent", tcpmux.ErrPingTimeout},
	} {
		if tc.err.Error() != tc.want || tc.is != nil && !errors.Is(tc.err, tc.is) {
			t.Errorf("%q, want %q, which is %v", tc.err, tc.want, tc.is)
		}
	}
	if errors.Is(&tcpmux.RefusedError{Code: tcpmux.RefusedTooManySessions}, tcpmux.ErrUnknownSession) || tcpmux.SideLocal.String() != "us" || tcpmux.SidePeer.String() != "peer" {
		t.Error("errors match the wrong errors, or have other texts")
	}
}

// Send on a channel that can send no more returns the right error, and so do calls that wait.
func TestSendFails(t *testing.T) {
	r := newRig(t, tcpmux.Config{MaxMessage: 1000})
	a, b := r.session(tcpmux.Config{})
	reset := func(err error, code uint32, peer bool) bool {
		var e *tcpmux.ResetError
		return errors.As(err, &e) && *e == tcpmux.ResetError{Code: code, By: map[bool]tcpmux.Side{true: tcpmux.SidePeer}[peer]}
	}
	for name, tc := range map[string]struct {
		end  func(x, y *tcpmux.Channel)
		want func(err error) bool
	}{
		"reset":              {func(x, y *tcpmux.Channel) { x.Reset(3) }, func(err error) bool { return reset(err, 3, false) }},
		"reset by the peer":  {func(x, y *tcpmux.Channel) { y.Reset(4) }, func(err error) bool { return reset(err, 4, true) }},
		"closed by the peer": {func(x, y *tcpmux.Channel) { y.Close() }, func(err error) bool { return err == tcpmux.ErrPeerClosed }},
		"a deadline":         {func(x, y *tcpmux.Channel) { x.SetDeadline(time.Now()) }, func(err error) bool { return errors.Is(err, os.ErrDeadlineExceeded) }},
		"a deadline that is moved": {func(x, y *tcpmux.Channel) {
			x.SetWriteDeadline(time.Now().Add(time.Hour))
			x.SetWriteDeadline(time.Now().Add(time.Millisecond))
		}, func(err error) bool { return errors.Is(err, os.ErrDeadlineExceeded) }},
	} {
		x, y := r.channel(a, b, name)
		failed := make(chan error, 1)
		go func() {
			for {
				if err := x.Send(r.ctx, make([]byte, 1000)); err != nil {
					failed <- err
					return
				}
			}
		}()
		waits(t, "nobody takes it", func() bool { return y.Stats().Buffered > 200_000 })
		tc.end(x, y)
		if err := <-failed; !tc.want(err) {
			t.Errorf("%s: who waits is told %v", name, err)
		}
		if err := x.Send(r.ctx, nil); !tc.want(err) {
			t.Errorf("%s: %v", name, err)
		}
		if err := x.TrySend(nil); !tc.want(err) {
			t.Errorf("%s: TrySend says %v", name, err)
		}
	}
	x, y := r.channel(a, b, "x")
	if err := x.Send(r.ctx, make([]byte, 1001)); err != tcpmux.ErrTooLarge {
		t.Errorf("too large: got %v, want %v", err, tcpmux.ErrTooLarge)
	}
	if err := x.Reset(1 << 31); err == nil {
		t.Error("Reset with a code that is not for programs: got no error")
	}
	r.send(x, "kept")
	x.CloseSend()
	if err := x.Send(r.ctx, nil); err != tcpmux.ErrClosed {
		t.Errorf("after CloseSend: got %v, want %v", err, tcpmux.ErrClosed)
	}
	r.want(y, "kept")
	y.Close()
	if _, err := y.Receive(r.ctx); err != tcpmux.ErrClosed {
		t.Errorf("after Close: got %v, want %v", err, tcpmux.ErrClosed)
	}
}

// WaitAcked and Flush wait until the peer's session has received the messages.
func TestAcknowledged(t *testing.T) {
	r := newRig(t, tcpmux.Config{})
	a, b := r.session(tcpmux.Config{})
	x, y := r.channel(a, b, "x")
	given, cancel := context.WithCancel(r.ctx)
	cancel()
	if n, err := x.WaitAcked(given, 0); n != 0 || err != context.Canceled {
		t.Errorf("nothing was sent, and there may be something: got %d, %v; want 0, %v", n, err, context.Canceled)
	}
	acked := make(chan uint64, 1)
	go func() {
		n, err := x.WaitAcked(r.ctx, 1)
		if err != nil {
			t.Errorf("WaitAcked: %v", err)
		}
		acked <- n
	}()
	r.send(x, "1")
	r.send(x, "2")
	if n := <-acked; n < 2 || x.Acked() != n || x.Sent() != 2 {
		t.Errorf("%d acknowledged", n)
	}
	r.p.away(true)
	waits(t, "broken", func() bool { return !a.Connected() && !b.Connected() })
	r.send(x, "3")
	flushed := make(chan error, 2)
	go func() { flushed <- x.Flush(r.ctx) }()
	go func() {
		_, err := x.WaitAcked(r.ctx, 2)
		flushed <- err
	}()
	x.Reset(9)
	for range 2 {
		var reset *tcpmux.ResetError
		if err := <-flushed; !errors.As(err, &reset) {
			t.Errorf("reset: %v", err)
		}
	}
	r.p.away(false)
	v, w := r.channel(a, b, "over")
	v.CloseSend()
	w.CloseSend()
	<-v.Done()
	if _, err := v.WaitAcked(r.ctx, 0); err != tcpmux.ErrClosed {
		t.Errorf("there will be none: got %v, want %v", err, tcpmux.ErrClosed)
	}
	r.want(y, "1")
	st, sum := y.Stats(), b.Stats()
	if st.Received != 3 || st.Buffered != 2*(1+8) || st.Window == 0 || sum.Received != 3 || sum.ReceivedBytes != 3 || sum.Resumed != 1 {
		t.Errorf("got %+v, %+v; want 3 received, 2 buffered, 1 outage resumed", st, sum)
	}
	u, _ := r.channel(a, b, "ends")
	r.p.away(true)
	r.send(u, "lost")
	go func() { flushed <- u.Flush(r.ctx) }()
	a.Close()
	if err := <-flushed; !errors.Is(err, tcpmux.ErrAborted) {
		t.Errorf("aborted: %v", err)
	}
	if _, err := u.WaitAcked(r.ctx, 5); !errors.Is(err, tcpmux.ErrAborted) {
		t.Errorf("aborted: %v", err)
	}
	if _, err := a.Ping(r.ctx); !errors.Is(err, tcpmux.ErrAborted) {
		t.Errorf("aborted: %v", err)
	}
	if _, err := a.Accept(r.ctx); !errors.Is(err, tcpmux.ErrAborted) {
		t.Errorf("aborted: %v", err)
	}
	if err := u.Reset(1); !errors.Is(err, tcpmux.ErrAborted) {
		t.Errorf("aborted: %v", err)
	}
}

// The net.Listener of a session ends with Close or the session, and its connections return errors as package net does.
func TestStreamsOfASession(t *testing.T) {
	r := newRig(t, tcpmux.Config{})
	a, b := r.session(tcpmux.Config{})
	l := b.Listener()
	if l.Addr().String() != b.LocalAddr().String() {
		t.Errorf("it listens on %v", l.Addr())
	}
	x, err := a.DialContext(r.ctx, "tcp", "anywhere:1")
	if err != nil {
		t.Fatal(err)
	}
	y, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	big := strings.Repeat("0123456789", 10_000)
	go io.WriteString(x, big)
	got := make([]byte, len(big))
	if _, err := io.ReadFull(y, got); err != nil || string(got) != big {
		t.Errorf("read: %v", err)
	}
	if n, err := y.Read(nil); n != 0 || err != nil {
		t.Errorf("read of nothing: got %d, %v; want 0", n, err)
	}
	x.(interface{ CloseWrite() error }).CloseWrite()
	if _, err := y.Read(got); err != io.EOF {
		t.Errorf("the end: got %v, want %v", err, io.EOF)
	}
	y.Close()
	var op *net.OpError
	if _, err := y.Read(got); !errors.As(err, &op) || op.Op != "read" || op.Net != "tcpmux" || !errors.Is(err, net.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
	if addr := y.RemoteAddr(); addr.Network() != "tcpmux" || addr.String() != b.ID()+"/"+x.RemoteAddr().String()[33:] {
		t.Errorf("%v and %v", addr, x.RemoteAddr())
	}
	accepted := make(chan error, 1)
	go func() {
		_, err := l.Accept()
		accepted <- err
	}()
	l.Close()
	if err := <-accepted; err != tcpmux.ErrClosed {
		t.Errorf("closed: got %v, want %v", err, tcpmux.ErrClosed)
	}
	other := b.Listener()
	b.Close()
	if _, err := other.Accept(); !errors.Is(err, tcpmux.ErrAborted) {
		t.Errorf("the session has ended: %v", err)
	}
	<-a.Done()
	if nc, err := a.DialContext(r.ctx, "", ""); nc != nil || isEnd(err) == nil {
		t.Errorf("dialled: %v", err)
	}
}
