package muxpeer

import (
	"net"
	"testing"
	"time"
)

// Every peer does every task, and every byte is compared.
func TestPeersDoTheirTasks(t *testing.T) {
	for _, name := range All {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		go Serve(name, l)
		for _, task := range []Task{{Echo, 100, 1, 0}, {Echo, Largest, 1, 0}, {OneWay, 100, 1, 0}, {OneWay, 64 << 10, 1, 0}, {Echo, 1000, 64, 0}} {
			task.Duration = 20 * time.Millisecond
			a, err := Drive(name, l.Addr().String(), task)
			if err != nil || a.Messages < 1 || a.Rate <= 0 {
				t.Errorf("%s: %+v: got %+v, %v", name, task, a, err)
			}
		}
	}
}

// An unknown peer is an error.
func TestUnknownPeers(t *testing.T) {
	if _, err := Dial("ssh", ""); err == nil || Known("ssh") || Serve("ssh", nil) == nil {
		t.Error("ssh is known")
	}
}
