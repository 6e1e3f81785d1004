package sys

import (
	"io"
	"testing"
)

// What one side did before it sent is visible to the other after it has received, whether the bytes go through this
// package or through package net. Under -race a missing edge fails this test.
func TestEdgesWithThePoller(t *testing.T) {
	fd, _, far := tcpPair(t)
	ball := make([]byte, 1)
	turns := 0
	done := make(chan struct{})
	go func() {
		defer close(done)
		b := make([]byte, 1)
		for range 20 {
			if _, err := io.ReadFull(far, b); err != nil {
				t.Error(err)
				return
			}
			turns++
			if _, err := far.Write(b); err != nil {
				t.Error(err)
				return
			}
		}
	}()
	for range 20 {
		turns++
		if _, err := Send(fd, ball, false); err != 0 {
			t.Fatal(err)
		}
		copy(ball, recvAll(t, fd, 1))
	}
	<-done
	if turns != 40 {
		t.Errorf("%d turns", turns)
	}
}
