package websocket

import (
	"io"
	"testing"
	"time"
)

// TestPartsOutliveIdleness: a connection that is silent while a message is being written in parts, and another writer
// waits for that, keeps whom it has to wake.
func TestPartsOutliveIdleness(t *testing.T) {
	r := faces[1].echo(t, Config{}) // callbacks/tcp
	r.peer.Send(text("x"))
	r.peer.Want(bare(0x81, "x"))
	w, err := r.c.NextWriter(TextMessage)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, "one"); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- r.c.WriteMessage(TextMessage, []byte("two")) }()
	time.Sleep(150 * time.Millisecond) // a quiet connection of its habit is parked after 50; without that it only shows less
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the other writer never got its turn")
	}
}
