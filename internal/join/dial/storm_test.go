package dial

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// unsteady is a Resolver and a network without a lock, so that only the Dialer's lock protects it.
type unsteady struct{ open atomic.Int64 }

// LookupIPAddr implements Resolver.
func (u *unsteady) LookupIPAddr(ctx context.Context, host string) ([]net.IPAddr, error) {
	if rand.IntN(4) == 0 {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if rand.IntN(4) == 0 {
		return nil, errServFail
	}
	return fixed("2001:db8::1 192.0.2.1 2001:db8::2 192.0.2.2").LookupIPAddr(ctx, host)
}

// connect opens a connection or fails.
func (u *unsteady) connect(ctx context.Context, _, _ string) (net.Conn, error) {
	switch rand.IntN(4) {
	case 0:
		return nil, syscall.ECONNREFUSED
	case 1:
		<-ctx.Done()
		return nil, ctx.Err()
	}
	u.open.Add(1)
	return &counted{open: &u.open}, nil
}

// counted is a connection that is counted.
type counted struct {
	net.Conn
	open *atomic.Int64
}

// Close implements net.Conn.
func (c *counted) Close() error {
	c.open.Add(-1)
	return nil
}

// Many dials at once, whose contexts end at any time, give connections or errors and leave nothing.
func TestDialerStorm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := new(unsteady)
		d := &Dialer{Resolver: u, Connect: u.connect, Keep: 100 * time.Millisecond}
		for i := range 32 {
			go func() {
				for j := range 100 {
					ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rand.IntN(1000))*time.Millisecond)
					nc, err := d.DialContext(ctx, "tcp", fmt.Sprintf("%d.example:80", (i+j)%3))
					cancel()
					switch {
					case err == nil:
						nc.Close()
					case !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, errServFail) && !errors.Is(err, syscall.ECONNREFUSED):
						t.Errorf("got %v", err)
					}
				}
			}()
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		d.mu.Lock()
		defer d.mu.Unlock()
		if n := u.open.Load(); n != 0 || len(d.lookups) > 0 {
			t.Errorf("%d connections and %d look-ups are left", n, len(d.lookups))
		}
	})
}
