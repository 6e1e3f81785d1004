package dial

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"go.uber.org/goleak"
)

// TestMain fails when a goroutine outlives the tests.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// hop is the other end of the first connection that a Target opens.
type hop struct {
	*wiretest.Talk
	addr string // that was asked for
	near net.Conn
}

// through makes t open pipes to the hop that it returns.
func through(tb testing.TB, t *Target, split wiretest.Split) *hop {
	tb.Helper()
	near, far := wiretest.Pipe(wiretest.Config{Split: split}, wiretest.Config{})
	h := &hop{Talk: wiretest.NewTalk(tb, far), near: near}
	t.Net = func(_ context.Context, _, addr string) (net.Conn, error) {
		h.addr = addr
		return near, nil
	}
	return h
}

// result is what Dial returns.
type result struct {
	nc    net.Conn
	ahead []byte
	err   error
}

// begin dials; the channel receives the result.
func begin(ctx context.Context, t *Target) <-chan result {
	done := make(chan result, 1)
	go func() {
		nc, ahead, err := t.Dial(ctx)
		done <- result{nc, ahead, err}
	}()
	return done
}

// wait returns the result of a Dial; its connection is closed with the test.
func wait(tb testing.TB, done <-chan result) result {
	tb.Helper()
	select {
	case r := <-done:
		if r.nc != nil {
			tb.Cleanup(func() { Cut(r.nc) })
		}
		return r
	case <-time.After(time.Minute):
		tb.Fatal("Dial has not returned")
		return result{}
	}
}

// connected is wait for a connection.
func connected(tb testing.TB, done <-chan result) net.Conn {
	tb.Helper()
	r := wait(tb, done)
	if r.err != nil {
		tb.Fatal(r.err)
	}
	return r.nc
}
