package netconn_test

import (
	"log/slog"
	"net"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// noneLeft is a listener whose Accept fails because there are no descriptors left.
type noneLeft struct{ net.Listener }

// Accept implements net.Listener.
func (noneLeft) Accept() (net.Conn, error) { return nil, syscall.EMFILE }

// Serve returns at once after Shutdown, even while it waits before it accepts again.
func TestShutdownEndsTheAcceptPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		eng := netconn.New(netconn.Config{Logger: slog.New(slog.DiscardHandler)})
		done := make(chan error, 1)
		go func() { done <- eng.Serve(noneLeft{wiretest.Listen(wiretest.Config{}, wiretest.Config{})}, nil) }()
		time.Sleep(10 * time.Second) // by now it tries once a second
		tries := eng.Stats().AcceptErrors
		time.Sleep(1500 * time.Millisecond)
		if n := eng.Stats().AcceptErrors - tries; n < 1 || n > 2 {
			t.Errorf("%d tries in a second and a half", n)
		}
		began := time.Now()
		if err := eng.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		if err := <-done; err != netconn.ErrShutdown || time.Since(began) != 0 {
			t.Errorf("Serve returned %v after %v", err, time.Since(began))
		}
	})
}
