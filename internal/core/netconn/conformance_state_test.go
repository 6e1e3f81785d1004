package netconn_test

import (
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// A connection is idle between two messages, but not after its last one: a program that closes idle connections would
// destroy the last response.
func TestStates(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		var mu sync.Mutex
		var states []netconn.State
		r := serve(t, k, netconn.Config{OnState: func(_ net.Conn, s netconn.State) {
			mu.Lock()
			defer mu.Unlock()
			states = append(states, s)
		}}, lines(func(c *netconn.Conn, line string) error {
			if err := echo(c, line); err != nil || line == "hello" {
				return err
			}
			return netconn.ErrDone
		}))
		talk := r.dial()
		talk.Send("hello\n")
		talk.Want("hello\n")
		talk.Send("bye\n")
		talk.Want("bye\n")
		talk.WantEOF()
		talk.Close()
		eventually(t, "the connection to end", func() bool { return r.eng.Stats().Open == 0 })
		mu.Lock()
		defer mu.Unlock()
		want := []netconn.State{netconn.StateNew, netconn.StateActive, netconn.StateIdle, netconn.StateActive, netconn.StateClosed}
		if fmt.Sprint(states) != fmt.Sprint(want) {
			t.Errorf("states %v, want %v", states, want)
		}
	})
}

// A new connection is reported before the next one is accepted, and before Serve returns.
func TestNewBeforeTheNext(t *testing.T) {
	for _, secured := range []bool{false, true} {
		var told []string
		all := make(chan struct{})
		r := newRig(t, kind{name: "pipe", network: "pipe", tls: secured})
		l := &counted{Listener: r.listen(), accepting: func(n int) {
			if len(told) != n {
				t.Errorf("the connection %d is accepted, of %d it was told", n, len(told))
			}
			if n == 3 {
				close(all)
			}
		}}
		r.start(netconn.Config{
			OnState: func(nc net.Conn, s netconn.State) {
				if s == netconn.StateNew { // on the goroutine that accepts
					told = append(told, fmt.Sprintf("%T", nc))
				}
			},
			New: func(*netconn.Conn, net.Listener) (netconn.Protocol, error) {
				return &protocol{r: r, data: lines(echo)}, nil
			},
		}, l)
		for range 3 {
			nc, err := l.Listener.(*wiretest.Listener).Dial()
			if err != nil {
				t.Fatal(err)
			}
			nc.Close()
		}
		within(t, "three connections to be accepted", all)
		_ = r.eng.Close()
		within(t, "Serve to return", r.done)
		want := map[bool]string{false: "*wiretest.Conn", true: "*tls.Conn"}[secured]
		if fmt.Sprint(told) != fmt.Sprint([]string{want, want, want}) {
			t.Errorf("OnState got %v", told)
		}
	}
}

// counted calls accepting before each Accept, with the number of earlier ones.
type counted struct {
	net.Listener
	n         int
	accepting func(n int)
}

func (l *counted) Accept() (net.Conn, error) {
	l.accepting(l.n)
	nc, err := l.Listener.Accept()
	if err == nil {
		l.n++
	}
	return nc, err
}

// After Shutdown has returned, OnState is not called any more: a program may tear down what its OnState uses.
func TestClosedBeforeShutdownReturns(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		closing, told := make(chan struct{}), make(chan struct{})
		r := serve(t, k, netconn.Config{OnState: func(_ net.Conn, s netconn.State) {
			if s == netconn.StateClosed {
				close(closing)
				<-told
			}
		}}, lines(echo))
		talk := r.dial()
		talk.Send("hello\n")
		talk.Want("hello\n")
		ended := make(chan error, 1)
		go func() { ended <- r.shutdown() }()
		within(t, "the last state", closing)
		select {
		case <-ended:
			t.Error("Shutdown returned while OnState was being told of StateClosed")
			ended <- nil
		case <-time.After(millis(10)):
		}
		close(told)
		if err := within(t, "Shutdown", ended); err != nil {
			t.Errorf("Shutdown: %v", err)
		}
	})
}
