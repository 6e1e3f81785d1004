package netconn

import (
	"io"
	"net"
	"testing"
	"time"
)

// TestTenants: entries in the lot are index and generation. An event that was read before a connection left must not
// reach the one that took its place meanwhile. From outside that moment cannot be hit at will.
func TestTenants(t *testing.T) {
	l := &lot{}
	first, second := &Conn{}, &Conn{}
	old := l.enter(first)
	if l.tenant(old.key()) != first {
		t.Fatal("a tenant is not found by its key")
	}
	l.leave(old)
	if l.tenant(old.key()) != nil {
		t.Error("a free place has a tenant")
	}
	next := l.enter(second)
	if next.index != old.index {
		t.Fatal("the place was not given out again: the test shows nothing")
	}
	if l.tenant(old.key()) != nil {
		t.Error("the event of one connection reaches the next in its place")
	}
	if l.tenant(next.key()) != second {
		t.Error("the next tenant is not found by its key")
	}
}

// silent is a protocol that takes everything and says nothing.
type silent struct{}

func (silent) Data(_ *Conn, in []byte) (int, error) { return len(in), nil }
func (silent) End(*Conn, error)                     {}

// TestPlacesAreReused: the lot is as large as the most connections it held at one time, not as all it ever held.
func TestPlacesAreReused(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	eng := New(Config{Loop: Auto, IdlePark: time.Microsecond, New: func(*Conn, net.Listener) (Protocol, error) {
		return silent{}, nil
	}})
	if eng.cfg.Loop == Plain {
		_ = l.Close()
		t.Skip("the plain loop does not park")
	}
	done := make(chan error)
	go func() { done <- eng.Serve(l, nil) }()
	wait := func(parked int64) {
		t.Helper()
		for end := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
			if s := eng.Stats(); s.Open == parked && s.Parked == parked {
				return
			} else if time.Now().After(end) {
				t.Fatalf("waited in vain for %d parked connections: %+v", parked, s)
			}
		}
	}
	for range 20 {
		nc, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		wait(1)
		if _, err := io.WriteString(nc, "x"); err != nil {
			t.Fatal(err)
		}
		wait(1)
		_ = nc.Close()
		wait(0)
	}
	lot := eng.lotOf()
	lot.mu.Lock()
	places := len(lot.places)
	lot.mu.Unlock()
	if places > 2 {
		t.Errorf("%d places for one connection at a time", places)
	}
	_ = eng.Close()
	<-done
}
