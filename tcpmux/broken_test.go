package tcpmux_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/tcpmux"
)

// bytewise is a connection that delivers one byte at a time.
type bytewise struct{ net.Conn }

func (c bytewise) Read(p []byte) (int, error) {
	if len(p) > 1 {
		p = p[:1]
	}
	return c.Conn.Read(p)
}

// bytewiseListener accepts such connections.
type bytewiseListener struct{ net.Listener }

func (l bytewiseListener) Accept() (net.Conn, error) {
	nc, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return bytewise{nc}, nil
}

// Greetings and frames may arrive in pieces of any size on both sides.
func TestSplitAtEveryByte(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := tcpmux.NewListener(bytewiseListener{ln}, tcpmux.Config{})
	r := &rig{TB: t, l: l, p: newProxy(t, ln.Addr().String()), ctx: t.Context()}
	defer l.Shutdown(r.ctx)
	a, b := r.session(tcpmux.Config{NetDial: func(ctx context.Context, network, addr string) (net.Conn, error) {
		nc, err := new(net.Dialer).DialContext(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return bytewise{nc}, nil
	}})
	x, y := r.channel(a, b, "x")
	for k := range 3 {
		big := strings.Repeat("x", 3000)
		r.send(x, big)
		r.want(y, big)
		r.send(y, "back")
		r.want(x, "back")
		r.p.cut()
		waits(t, "resumed", func() bool { return a.Stats().Resumed == int64(k+1) && b.Stats().Resumed == int64(k+1) })
	}
	if end := shutdown(r.ctx, a); end.Err != nil || end.Undelivered != 0 {
		t.Errorf("got %+v, want Undelivered 0", end)
	}
}

// paperless is a connection whose writes fail after out was closed.
type paperless struct {
	net.Conn
	out <-chan struct{}
}

var errPaper = errors.New("out of paper")

func (c paperless) Write(p []byte) (int, error) {
	select {
	case <-c.out:
		return 0, errPaper
	default:
		return c.Conn.Write(p)
	}
}

// OnBroken gets the error of the write that broke the connection, not that of the read that ended after it.
func TestWhyItBroke(t *testing.T) {
	broken := make(chan error, 10)
	out := make(chan struct{})
	r := newRig(t, tcpmux.Config{})
	a, b := r.session(tcpmux.Config{
		AtMostOnce: true, OnBroken: func(_ *tcpmux.Session, err error) { broken <- err },
		NetDial: func(ctx context.Context, network, addr string) (net.Conn, error) {
			nc, err := new(net.Dialer).DialContext(ctx, network, addr)
			if err != nil {
				return nil, err
			}
			return paperless{nc, out}, nil
		},
	})
	x, _ := r.channel(a, b, "x")
	close(out)
	r.send(x, "hello")
	if err := <-broken; err != errPaper {
		t.Errorf("broken: got %v, want %v", err, errPaper)
	}
	if <-a.Done(); !errors.Is(a.Err(), errPaper) {
		t.Errorf("the session says %v", a.Err())
	}
}

// events are the records of a logger.
type events struct {
	slog.Handler
	mu  sync.Mutex
	all []string
}

func (e *events) Enabled(context.Context, slog.Level) bool { return true }

func (e *events) Handle(_ context.Context, r slog.Record) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all = append(e.all, r.Level.String()+" "+r.Message)
	return nil
}

func (e *events) wait(t *testing.T, what string) {
	t.Helper()
	waits(t, "the logger is told: "+what, func() bool {
		e.mu.Lock()
		defer e.mu.Unlock()
		return slices.Contains(e.all, what)
	})
}

// failingListener fails in its first Accept.
type failingListener struct{ net.Listener }

func (failingListener) Accept() (net.Conn, error) { return nil, io.ErrUnexpectedEOF }

// The logger gets the errors that are not returned to a caller.
func TestLogger(t *testing.T) {
	var here, there events
	r := newRig(t, tcpmux.Config{Logger: slog.New(&there)})
	a, b := r.session(tcpmux.Config{Logger: slog.New(&here), RedialFirst: time.Millisecond, RedialLongest: time.Millisecond})
	r.p.away(true)
	here.wait(t, "DEBUG session broken")
	here.wait(t, "DEBUG session not resumed")
	there.wait(t, "DEBUG session broken")
	r.p.away(false)
	here.wait(t, "DEBUG session resumed")
	there.wait(t, "DEBUG session resumed")
	a.Close()
	here.wait(t, "DEBUG session lost")
	<-b.Done()
	there.wait(t, "DEBUG session lost")

	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := tcpmux.NewListener(failingListener{ln}, tcpmux.Config{Logger: slog.New(&there)})
	there.wait(t, "ERROR a listener has failed")
	_ = l.Shutdown(r.ctx)
	var quiet events
	l, err = tcpmux.Listen("tcp://127.0.0.1:0", tcpmux.Config{Logger: slog.New(&quiet)})
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Shutdown(r.ctx)
	if len(quiet.all) != 0 {
		t.Errorf("a listener that was closed has said %v", quiet.all)
	}
}

// Listener.Shutdown delivers what was sent, and both sides report who has closed the sessions.
func TestListenerCloses(t *testing.T) {
	r := newRig(t, tcpmux.Config{})
	a, b := r.session(tcpmux.Config{})
	x, y := r.channel(a, b, "x")
	r.send(y, "last")
	held, err := net.Dial("tcp", r.l.Addr().String()) // as long as it is open no other program is given the port
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	_ = r.l.Shutdown(r.ctx)
	if end := isEnd(b.Err()); end == nil || end.Err != nil || end.By != tcpmux.SideLocal || end.Undelivered != 0 {
		t.Errorf("got %v, want an end by %v", b.Err(), tcpmux.SideLocal)
	}
	r.want(x, "last")
	<-a.Done()
	if end := isEnd(a.Err()); end.Err != nil || end.By != tcpmux.SidePeer {
		t.Errorf("got %v, want an end by %v", a.Err(), tcpmux.SidePeer)
	}
	if nc, err := net.Dial("tcp", r.l.Addr().String()); err == nil {
		nc.Close()
		t.Error("the listener still listens after Shutdown")
	}
}
