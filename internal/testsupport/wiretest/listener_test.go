package wiretest

import (
	"errors"
	"net"
	"syscall"
	"testing"
)

// A Listener in memory accepts what it dials, and Close ends Accept.
func TestListener(t *testing.T) {
	l := Listen(Config{Split: EveryByte}, Config{})
	accepted := make(chan net.Conn)
	go func() {
		nc, err := l.Accept()
		if err != nil {
			t.Error(err)
		}
		accepted <- nc
		_, err = l.Accept()
		if !errors.Is(err, net.ErrClosed) {
			t.Errorf("Accept after Close: %v", err)
		}
		accepted <- nil
	}()
	client, err := l.Dial()
	if err != nil {
		t.Fatal(err)
	}
	k, server := NewTalk(t, client), NewTalk(t, <-accepted)
	k.Send("hello")
	server.Want("hello")
	server.Send("bye")
	server.Close()
	k.Want("bye")
	k.WantEOF()
	_ = l.Close()
	<-accepted
	if _, err := l.Dial(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Dial after Close: %v", err)
	}
	if err := l.Close(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("second Close: %v", err)
	}
}

// Fail makes the first Accepts fail, and Count counts the bytes and calls of each connection.
func TestCountingAndFailing(t *testing.T) {
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	counting := Count(tcp)
	l := Fail(counting, syscall.EMFILE)
	defer func() { _ = l.Close() }()
	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Accept(); err != syscall.EMFILE || l.Left() != 0 {
		t.Fatalf("first Accept: %v, %d left", err, l.Left())
	}
	nc, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	k, server := NewTalk(t, client), NewTalk(t, nc)
	k.Send("12345")
	server.Want("12345")
	server.Send("123")
	k.Want("123")
	c := counting.Conns()[0]
	if c.BytesIn() != 5 || c.BytesOut() != 3 || c.Reads() == 0 || c.Writes() != 1 {
		t.Errorf("counted %d in by %d reads, %d out by %d writes", c.BytesIn(), c.Reads(), c.BytesOut(), c.Writes())
	}
}
