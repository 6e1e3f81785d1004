package dial

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// Addresses are tried in the order and at the times of RFC 8305 §4 and §5.
func TestRace(t *testing.T) {
	const refused, silent = -1, -2
	type hosts map[string]time.Duration // after which they open; else refused or silent
	for name, tc := range map[string]struct {
		addrs string
		hosts hosts
		want  string // when which address is connected to, "" if none is
		tried []string
	}{
		"the first opens in time": {
			addrs: "2001:db8::1 192.0.2.1", hosts: hosts{"2001:db8::1": 249 * time.Millisecond, "192.0.2.1": 0},
			want: "249ms 2001:db8::1", tried: []string{"0s 2001:db8::1"},
		},
		"the first says nothing": {
			addrs: "2001:db8::1 192.0.2.1", hosts: hosts{"2001:db8::1": silent, "192.0.2.1": 10 * time.Millisecond},
			want: "260ms 192.0.2.1", tried: []string{"0s 2001:db8::1", "250ms 192.0.2.1"},
		},
		"the first is slow, and faster": {
			addrs: "2001:db8::1 192.0.2.1", hosts: hosts{"2001:db8::1": 300 * time.Millisecond, "192.0.2.1": time.Second},
			want: "300ms 2001:db8::1", tried: []string{"0s 2001:db8::1", "250ms 192.0.2.1"},
		},
		"the next follows a refusal at once, and has its own time": {
			addrs: "2001:db8::1 2001:db8::2 192.0.2.1 192.0.2.2",
			hosts: hosts{"2001:db8::1": refused, "192.0.2.1": silent, "2001:db8::2": silent, "192.0.2.2": 0},
			want:  "500ms 192.0.2.2",
			tried: []string{"0s 2001:db8::1", "0s 192.0.2.1", "250ms 2001:db8::2", "500ms 192.0.2.2"},
		},
		"families take turns, each in its order": {
			addrs: "2001:db8::2 2001:db8::1 192.0.2.3 192.0.2.1 192.0.2.2",
			hosts: hosts{"192.0.2.2": time.Second},
			want:  "2s 192.0.2.2",
			tried: []string{"0s 2001:db8::2", "250ms 192.0.2.3", "500ms 2001:db8::1", "750ms 192.0.2.1", "1s 192.0.2.2"},
		},
		"the resolver prefers IPv4": {
			addrs: "192.0.2.1 2001:db8::1", hosts: hosts{"2001:db8::1": 0},
			want: "250ms 2001:db8::1", tried: []string{"0s 192.0.2.1", "250ms 2001:db8::1"},
		},
		"one family": {
			addrs: "192.0.2.1 192.0.2.2", hosts: hosts{"192.0.2.2": 0},
			want: "250ms 192.0.2.2", tried: []string{"0s 192.0.2.1", "250ms 192.0.2.2"},
		},
		"one address": {
			addrs: "fe80::1%eth0", hosts: hosts{"fe80::1%eth0": 9 * time.Second},
			want: "9s fe80::1%eth0", tried: []string{"0s fe80::1%eth0"},
		},
		"an address twice, and mapped": {
			addrs: "192.0.2.1 ::ffff:192.0.2.1 192.0.2.1 192.0.2.2", hosts: hosts{"192.0.2.2": 0},
			want: "250ms 192.0.2.2", tried: []string{"0s 192.0.2.1", "250ms 192.0.2.2"},
		},
		"all refuse": {
			addrs: "2001:db8::1 192.0.2.1 192.0.2.2", hosts: hosts{"2001:db8::1": refused, "192.0.2.1": refused, "192.0.2.2": refused},
			want: "", tried: []string{"0s 2001:db8::1", "0s 192.0.2.1", "0s 192.0.2.2"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.names["example.com"] = tc.addrs
				for ip, after := range tc.hosts {
					switch after {
					case refused:
						w.refuse(ip)
					case silent:
					default:
						w.opens[ip] = after
					}
				}
				got, err := w.dial(w.t.Context(), "example.com:443")
				if err == nil && got != tc.want || err != nil && tc.want != "" {
					t.Errorf("got %s, %v; want %s", got, err, tc.want)
				}
				w.wantTried(tc.tried...)
				w.wantAsked("0s example.com")
			})
		})
	}
}

// A connection that opens after another one has won is closed.
func TestRaceLoser(t *testing.T) {
	inWorld(t, func(w *world) {
		w.names["example.com"] = "2001:db8::1 192.0.2.1"
		w.opens["2001:db8::1"], w.opens["192.0.2.1"] = 300*time.Millisecond, 20*time.Millisecond
		w.stays["2001:db8::1"] = true
		w.reaches("example.com:443", "192.0.2.1")
		time.Sleep(time.Second)
		w.mu.Lock()
		defer w.mu.Unlock()
		if n, there := w.open["2001:db8::1"]; n != 0 || !there {
			t.Errorf("%d left open, %v", n, there)
		}
	})
}

// Of connections that open at the same moment one is returned, and the others are closed.
func TestRaceAtOnce(t *testing.T) {
	inWorld(t, func(w *world) {
		w.names["example.com"] = many(4)
		for i, ip := range strings.Fields(many(4)) {
			w.opens[ip] = time.Second - time.Duration(i)*attemptDelay
		}
		if _, err := w.dial(w.t.Context(), "example.com:443"); err != nil {
			t.Error(err)
		}
	})
}

// The error lists each attempt, and errors.Is and errors.As find the causes.
func TestRaceErrors(t *testing.T) {
	inWorld(t, func(w *world) {
		w.names["example.com"] = "2001:db8::1 192.0.2.1"
		w.refuses["2001:db8::1"], w.refuses["192.0.2.1"] = syscall.ENETUNREACH, syscall.ECONNREFUSED
		_, err := w.dial(w.t.Context(), "example.com:443")
		if want := "dial tcp example.com:443: 2001:db8::1: network is unreachable; 192.0.2.1: connection refused"; err == nil || err.Error() != want {
			t.Fatalf("got %v\nwant %s", err, want)
		}
		op, _ := errors.AsType[*net.OpError](err)
		if !errors.Is(err, syscall.ECONNREFUSED) || !errors.Is(err, syscall.ENETUNREACH) || op == nil || op.Addr.String() != "[2001:db8::1]:443" {
			t.Errorf("got %#v", err)
		}
		if ne, ok := err.(net.Error); !ok || ne.Timeout() {
			t.Errorf("%v is no net.Error, or a timeout", err)
		}
		if e, ok := err.(interface{ Temporary() bool }); !ok || e.Temporary() {
			t.Errorf("%v is temporary", err)
		}
	})
}

// With one address the error is net.Dialer's.
func TestRaceErrorOfOne(t *testing.T) {
	inWorld(t, func(w *world) {
		w.names["example.com"] = "192.0.2.1"
		w.refuse("192.0.2.1")
		_, err := w.dial(w.t.Context(), "example.com:443")
		if _, ok := err.(*net.OpError); !ok || err.Error() != "dial tcp 192.0.2.1:443: connect: connection refused" {
			t.Errorf("got %#v", err)
		}
	})
}

// The text of an error with many attempts is bounded.
func TestRaceManyErrors(t *testing.T) {
	inWorld(t, func(w *world) {
		w.names["example.com"] = many(100)
		w.refuse(strings.Fields(many(100))...)
		_, err := w.dial(w.t.Context(), "example.com:443")
		if err == nil || !strings.HasSuffix(err.Error(), "192.0.2.4: connection refused; 56 more") || len(w.tried) != 2*maxPerFamily {
			t.Errorf("%d tried, %v", len(w.tried), err)
		}
	})
}

// The context ends all attempts, and the error lists those that have failed.
func TestRaceEnds(t *testing.T) {
	const by = 600 * time.Millisecond
	for name, tc := range map[string]struct {
		refuse string
		want   string
		tried  int
	}{
		"all silent":  {want: "dial tcp example.com:443: %v", tried: 3},
		"one refuses": {refuse: "192.0.2.1", want: "dial tcp example.com:443: %v; 192.0.2.1: connection refused", tried: 4},
	} {
		for _, end := range []error{context.Canceled, context.DeadlineExceeded} {
			t.Run(fmt.Sprint(name, " ", end), func(t *testing.T) {
				inWorld(t, func(w *world) {
					w.names["example.com"] = many(8)
					w.refuse(tc.refuse)
					ctx, cancel := context.WithTimeout(w.t.Context(), by)
					defer cancel()
					if end == context.Canceled {
						ctx, cancel = context.WithCancel(w.t.Context())
						time.AfterFunc(by, cancel)
					}
					at, err := w.dial(ctx, "example.com:443")
					if want := fmt.Sprintf(tc.want, end); at != by.String() || !errors.Is(err, end) || err.Error() != want {
						t.Fatalf("at %s got %v; want %s", at, err, want)
					}
					if ne, ok := err.(net.Error); !ok || ne.Timeout() != (end == context.DeadlineExceeded) {
						t.Errorf("%v: Timeout() is wrong", err)
					}
					if op, ok := errors.AsType[*net.OpError](err); !ok || op.Op != "dial" || op.Addr.String() != "example.com:443" || op.Addr.Network() != "tcp" {
						t.Errorf("got %#v", op)
					}
					time.Sleep(time.Second)
					synctest.Wait()
					if len(w.tried) != tc.tried {
						t.Errorf("tried %v", w.tried)
					}
				})
			})
		}
	}
}

// No attempt starts after the deadline, even if an attempt notices the deadline first.
func TestRaceEarlyDeadline(t *testing.T) {
	inWorld(t, func(w *world) {
		w.names["example.com"] = many(4)
		w.Connect = func(ctx context.Context, network, addr string) (net.Conn, error) {
			w.mu.Lock()
			w.tried = append(w.tried, addr)
			w.mu.Unlock()
			by, _ := ctx.Deadline()
			time.Sleep(time.Until(by))
			return nil, &net.OpError{Op: "dial", Err: syscall.ETIMEDOUT}
		}
		ctx := lateContext{w.t.Context(), time.Now().Add(100 * time.Millisecond)}
		if at, err := w.dial(ctx, "example.com:443"); at != "100ms" || !errors.Is(err, context.DeadlineExceeded) || len(w.tried) != 1 {
			t.Errorf("at %s, %v; tried %v", at, err, w.tried)
		}
	})
}

// lateContext is a context that does not end at its deadline.
type lateContext struct {
	context.Context
	by time.Time
}

// Deadline implements context.Context.
func (c lateContext) Deadline() (time.Time, bool) { return c.by, true }
