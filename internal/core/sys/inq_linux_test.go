package sys

import (
	"net"
	"syscall"
	"testing"
)

// Unread counts received bytes until they are read, but not the end of the stream.
func TestUnread(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	far, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	near, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer near.Close()
	raw, err := near.(syscall.Conn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	want := func(n int) {
		t.Helper()
		if err := raw.Control(func(fd uintptr) {
			if got := Unread(int(fd)); got != n {
				t.Errorf("%d bytes are unread, want %d", got, n)
			}
		}); err != nil {
			t.Fatal(err)
		}
	}
	want(0)
	if _, err := far.Write([]byte("four")); err != nil {
		t.Fatal(err)
	}
	if n, err := near.Read(make([]byte, 1)); n != 1 || err != nil { // waits for them
		t.Fatal(n, err)
	}
	want(3)
	_ = far.Close()
	if n, err := near.Read(make([]byte, 9)); n != 3 || err != nil {
		t.Fatal(n, err)
	}
	want(0)
	if Unread(-1) != -1 {
		t.Error("something is unread on no socket")
	}
}
