package dial

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

var (
	errServFail = &net.DNSError{Err: "server misbehaving", Name: "example.com", IsTemporary: true}
	errNoName   = &net.DNSError{Err: "no such host", Name: "example.com", IsNotFound: true}
)

// Answers of the resolver are kept for 30 s, or for Keep.
func TestAnswerKept(t *testing.T) {
	for _, keep := range []time.Duration{0, 5 * time.Second} {
		inWorld(t, func(w *world) {
			w.Keep = keep
			if keep == 0 {
				keep = 30 * time.Second
			}
			w.names["example.com"], w.names["example.org"] = "192.0.2.1", "192.0.2.2"
			w.accept("192.0.2.1", "192.0.2.2")
			w.reaches("example.com:80", "192.0.2.1")
			w.reaches("example.com:443", "192.0.2.1")
			w.reaches("example.org:80", "192.0.2.2")
			w.wantAsked("0s example.com", "0s example.org")
			w.names["example.com"] = "192.0.2.2"
			time.Sleep(keep - 1)
			w.reaches("example.com:80", "192.0.2.1")
			w.wantAsked()
			time.Sleep(time.Nanosecond)
			w.reaches("example.com:80", "192.0.2.2")
			w.wantAsked(keep.String() + " example.com")
			w.reaches("example.com:80", "192.0.2.2")
			w.wantAsked()
		})
	}
}

// With a negative Keep each dial asks the resolver, except for those at the same time.
func TestAnswerNotKept(t *testing.T) {
	inWorld(t, func(w *world) {
		w.Keep = -1
		w.names["example.com"] = "192.0.2.1 192.0.2.2"
		w.accept("192.0.2.1", "192.0.2.2")
		w.reaches("example.com:80", "192.0.2.1")
		w.reaches("example.com:80", "192.0.2.1")
		w.wantAsked("0s example.com", "0s example.com")
		w.broken = errServFail
		if _, err := w.dial(w.t.Context(), "example.com:80"); !errors.Is(err, errServFail) || len(w.answers) != 0 {
			t.Errorf("got %v, and %d answers are kept", err, len(w.answers))
		}
	})
}

// A failed look-up is net.Dialer's error, and the next dial asks again.
func TestAnswerFails(t *testing.T) {
	inWorld(t, func(w *world) {
		for _, tc := range []struct {
			broken error
			want   string
		}{
			{errServFail, "dial tcp: lookup example.com: server misbehaving"},
			{nil, "dial tcp: lookup example.com: no such host"}, // an answer without addresses
			{errors.New("out of order"), "dial tcp: out of order"},
		} {
			w.broken = tc.broken
			_, err := w.dial(w.t.Context(), "example.com:80")
			if op, ok := err.(*net.OpError); !ok || op.Op != "dial" || err.Error() != tc.want || tc.broken != nil && !errors.Is(err, tc.broken) {
				t.Errorf("got %v, want %s", err, tc.want)
			}
			w.wantAsked("0s example.com")
		}
		w.broken, w.names["example.com"] = nil, "192.0.2.1"
		w.accept("192.0.2.1")
		w.reaches("example.com:80", "192.0.2.1")
		w.wantAsked("0s example.com")
	})
}

// An old answer is used while the resolver fails, but not for ever.
func TestAnswerStale(t *testing.T) {
	inWorld(t, func(w *world) {
		w.names["example.com"] = "192.0.2.1"
		w.accept("192.0.2.1")
		w.reaches("example.com:80", "192.0.2.1")
		w.broken = errServFail
		time.Sleep(time.Minute)
		w.wantAsked("0s example.com")
		w.reaches("example.com:80", "192.0.2.1")
		time.Sleep(defaultKeep - 1)
		w.reaches("example.com:80", "192.0.2.1")
		w.wantAsked("1m0s example.com")
		time.Sleep(time.Hour - time.Minute + 1)
		w.reaches("example.com:80", "192.0.2.1")
		w.wantAsked("1h0m30s example.com")
		time.Sleep(defaultKeep)
		if _, err := w.dial(w.t.Context(), "example.com:80"); !errors.Is(err, errServFail) {
			t.Errorf("got %v", err)
		}
		w.wantAsked("1h1m0s example.com")
	})
}

// An old answer is not used for a name that no longer exists.
func TestAnswerGone(t *testing.T) {
	inWorld(t, func(w *world) {
		w.names["example.com"] = "192.0.2.1"
		w.accept("192.0.2.1")
		w.reaches("example.com:80", "192.0.2.1")
		time.Sleep(time.Minute)
		w.broken = errNoName
		for _, w.broken = range []error{errNoName, errServFail} { // the old answer is forgotten, too
			if _, err := w.dial(w.t.Context(), "example.com:80"); !errors.Is(err, w.broken) {
				t.Errorf("got %v, want %v", err, w.broken)
			}
		}
	})
}

// After a failed dial the next one asks the resolver again.
func TestAnswerDoubted(t *testing.T) {
	for _, before := range []string{"192.0.2.1", "192.0.2.1 192.0.2.3"} {
		inWorld(t, func(w *world) {
			w.names["example.com"] = before
			w.accept("192.0.2.1", "192.0.2.2")
			w.reaches("example.com:80", "192.0.2.1")
			w.refuse("192.0.2.1", "192.0.2.3")
			w.names["example.com"] = "192.0.2.2"
			if _, err := w.dial(w.t.Context(), "example.com:80"); err == nil {
				t.Error("got a connection, want an error")
			}
			w.wantAsked("0s example.com")
			w.reaches("example.com:80", "192.0.2.2")
			w.wantAsked("0s example.com")
		})
	}
}

// The oldest answer is dropped when there are too many.
func TestAnswersBounded(t *testing.T) {
	inWorld(t, func(w *world) {
		w.accept("192.0.2.1")
		name := func(i int) string { return fmt.Sprintf("%d.example", i) }
		for i := range maxNames + 1 {
			w.names[name(i)] = "192.0.2.1"
		}
		for i := range maxNames {
			w.reaches(name(i)+":80", "192.0.2.1")
			time.Sleep(time.Nanosecond)
		}
		w.asked = nil
		w.reaches(name(maxNames)+":80", "192.0.2.1")
		w.reaches(name(1)+":80", "192.0.2.1")
		w.wantAsked("256ns " + name(maxNames))
		w.reaches(name(0)+":80", "192.0.2.1")
		w.wantAsked("256ns " + name(0))
		if len(w.answers) != maxNames {
			t.Errorf("%d answers are kept", len(w.answers))
		}
	})
}

// Dials of the same name at the same time share one look-up.
func TestLookupShared(t *testing.T) {
	inWorld(t, func(w *world) {
		w.names["example.com"], w.slow = "192.0.2.1", time.Second
		w.accept("192.0.2.1")
		for _, answers := range []bool{true, false} {
			if !answers {
				w.broken = errServFail
				clear(w.answers)
			}
			var wg sync.WaitGroup
			for range 100 {
				wg.Go(func() {
					if got, err := w.dial(w.t.Context(), "example.com:80"); (err == nil) != answers {
						t.Errorf("got %s, %v", got, err)
					}
				})
			}
			wg.Wait()
		}
		w.wantAsked("0s example.com", "1s example.com")
	})
}

// A shared look-up goes on while a dial waits for it, and is cancelled when all have gone.
func TestLookupLeft(t *testing.T) {
	inWorld(t, func(w *world) {
		w.names["example.com"], w.slow = "192.0.2.1", time.Second
		w.accept("192.0.2.1")
		type key struct{}
		first, leave := context.WithCancel(context.WithValue(w.t.Context(), key{}, "first"))
		var wg sync.WaitGroup
		wg.Go(func() {
			at, err := w.dial(first, "example.com:80")
			if dns, ok := errors.AsType[*net.DNSError](err); at != "500ms" || !errors.Is(err, context.Canceled) || !ok || dns.Timeout() {
				t.Errorf("at %s got %v", at, err)
			}
		})
		synctest.Wait()
		wg.Go(func() { w.reaches("example.com:80", "192.0.2.1") })
		time.Sleep(500 * time.Millisecond)
		leave()
		wg.Wait()
		w.wantAsked("0s example.com")

		clear(w.answers)
		ctx, cancel := context.WithTimeout(w.t.Context(), time.Second/2)
		defer cancel()
		for range 2 {
			wg.Go(func() {
				at, err := w.dial(ctx, "example.com:80")
				if dns, ok := errors.AsType[*net.DNSError](err); at != "1.5s" || !errors.Is(err, context.DeadlineExceeded) || !ok || !dns.Timeout() {
					t.Errorf("at %s got %v", at, err)
				}
			})
		}
		wg.Wait()
		w.wantAsked("1s example.com")
		if w.ended != 1 || len(w.answers) != 0 {
			t.Errorf("%d look-ups ended, %d answers are kept", w.ended, len(w.answers))
		}
		w.reaches("example.com:80", "192.0.2.1")
		w.wantAsked("1.5s example.com")
	})
}

// The late result of a cancelled look-up is ignored.
func TestLookupLate(t *testing.T) {
	inWorld(t, func(w *world) {
		w.accept("192.0.2.1", "192.0.2.2")
		w.Resolver = resolverFunc(func(host string) ([]net.IPAddr, error) {
			time.Sleep(time.Second)
			ip := "192.0.2.1"
			if time.Since(w.begun) > time.Second {
				ip = "192.0.2.2"
			}
			return []net.IPAddr{{IP: net.ParseIP(ip)}}, nil
		})
		ctx, cancel := context.WithTimeout(w.t.Context(), time.Second/2)
		defer cancel()
		if at, err := w.dial(ctx, "example.com:80"); at != "500ms" || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("at %s got %v", at, err)
		}
		if got, err := w.dial(w.t.Context(), "example.com:80"); got != "1.5s 192.0.2.2" {
			t.Errorf("got %s, %v", got, err)
		}
	})
}

// resolverFunc is a Resolver that ignores its context.
type resolverFunc func(host string) ([]net.IPAddr, error)

// LookupIPAddr implements Resolver.
func (f resolverFunc) LookupIPAddr(_ context.Context, host string) ([]net.IPAddr, error) {
	return f(host)
}

// With a context that has ended nothing is looked up or dialled.
func TestEndedBefore(t *testing.T) {
	inWorld(t, func(w *world) {
		w.names["example.com"] = "192.0.2.1"
		ctx, cancel := context.WithCancel(w.t.Context())
		cancel()
		if _, err := w.dial(ctx, "example.com:80"); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "example.com") {
			t.Errorf("got %v", err)
		}
		w.wantAsked()
		w.wantTried()
	})
}
