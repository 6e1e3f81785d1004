package websocket

import (
	"errors"
	"io"
	"os"
	"testing"
	"time"
)

// A read deadline ends NextReader and its reader while the peer takes no output.
func TestStreamDeadlineBehindOutput(t *testing.T) {
	c, s := pipe(t, Config{}, Config{Slow: DropOldest})
	for range 4 {
		if err := s.Send(BinaryMessage, make([]byte, 1<<20)); err != nil {
			t.Fatal(err)
		}
	}
	read := func(what string, f func() error) {
		t.Helper()
		s.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
		ended := make(chan error, 1)
		go func() { ended <- f() }()
		select {
		case err := <-ended:
			if !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("%s: %v", what, err)
			}
		case <-time.After(3 * time.Second):
			t.Errorf("%s still waits", what)
			s.CloseNow()
			<-ended
			t.FailNow()
		}
	}
	read("ReadMessage", func() error { _, _, err := s.ReadMessage(); return err })
	read("NextReader", func() error { _, _, err := s.NextReader(); return err })
	w, err := c.NextWriter(BinaryMessage)
	if err != nil {
		t.Fatal(err)
	}
	w.Write(make([]byte, 20<<10))
	s.SetReadDeadline(time.Time{})
	_, r, err := s.NextReader()
	if err != nil {
		t.Fatal(err)
	}
	read("the reader", func() error { _, err := io.Copy(io.Discard, r); return err })
}
