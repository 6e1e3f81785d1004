package sys

import (
	"testing"
)

// Receiving, sending and waiting do not allocate.
func TestNoAllocations(t *testing.T) {
	if !Native {
		t.Skip("the twins allocate")
	}
	fd, _, _ := tcpPair(t)
	SetInq(fd)
	a, b := unixPair(t)
	poll, err := NewPoll()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = poll.Close() }()
	if err := poll.Add(a, IN, 1); err != 0 {
		t.Fatal(err)
	}
	p := make([]byte, 64)
	events := make([]Event, 8)
	for name, f := range map[string]func(){
		"Send and Recv":       func() { sendRecv(t, b, a, p) },
		"SendTwo and RecvInq": func() { sendTwoRecv(t, b, a, p) },
		"RecvInq of nothing":  func() { _, _, _ = RecvInq(fd, p) },
		"Mod and Wait":        func() { poll.Mod(a, IN|RDHUP, 1); _, _ = poll.Wait(events, 0) },
	} {
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func sendRecv(t *testing.T, from, to int, p []byte) {
	if n, err := Send(from, p, false); n != len(p) || err != 0 {
		t.Fatal(n, err)
	}
	if n, err := Recv(to, p); n != len(p) || err != 0 {
		t.Fatal(n, err)
	}
}

func sendTwoRecv(t *testing.T, from, to int, p []byte) {
	if n, err := SendTwo(from, p[:30], p[30:]); n != len(p) || err != 0 {
		t.Fatal(n, err)
	}
	if n, _, err := RecvInq(to, p); n != len(p) || err != 0 {
		t.Fatal(n, err)
	}
}

func BenchmarkRecv(b *testing.B) {
	from, to := unixPair(b)
	p := make([]byte, 100)
	for b.Loop() {
		_, _ = Send(from, p, false)
		_, _ = Recv(to, p)
	}
}

func BenchmarkRecvNothing(b *testing.B) {
	fd, _, _ := tcpPair(b)
	p := make([]byte, 100)
	b.Run("recvfrom", func(b *testing.B) {
		for b.Loop() {
			_, _ = Recv(fd, p)
		}
	})
	b.Run("recvmsg", func(b *testing.B) {
		for b.Loop() {
			_, _, _ = RecvInq(fd, p)
		}
	})
}
