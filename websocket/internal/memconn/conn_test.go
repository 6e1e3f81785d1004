package memconn

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"
)

// A connection in memory keeps the rules of a net.Conn about ends and deadlines.
func TestConn(t *testing.T) {
	a, b := Pair()
	a.Write([]byte("Hello"))
	a.CloseWrite()
	if p, err := io.ReadAll(b); string(p) != "Hello" || err != nil {
		t.Errorf(`got %q, %v; want "Hello"`, p, err)
	}
	if _, err := a.Write([]byte("more")); !errors.Is(err, net.ErrClosed) {
		t.Errorf("a write after CloseWrite: %v", err)
	}
	b.SetDeadline(time.Now().Add(-time.Second))
	if _, err := b.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a read after its deadline: %v", err)
	}
	if _, err := b.Write([]byte("x")); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a write after its deadline: %v", err)
	}
	b.SetDeadline(time.Time{})
	waiting := make(chan error, 1)
	go func() {
		_, err := a.Read(make([]byte, 1))
		waiting <- err
	}()
	a.Close()
	if err := <-waiting; !errors.Is(err, net.ErrClosed) {
		t.Errorf("a read that Close ends: %v", err)
	}
	if _, err := b.Write([]byte("x")); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("a write after the other end has closed: %v", err)
	}
	b.Close()
}
