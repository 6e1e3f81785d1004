package websocket

import (
	"errors"
	"io"
	"net"
	"testing"
)

// A connection can be closed in order in the middle of a message of either direction.
func TestCloseAmidStreams(t *testing.T) {
	onPulled(t, func(t *testing.T, f face) {
		r := f.open(t, Config{})
		r.peer.Send(frame(0x01, "Hel"))
		_, body := r.nextReader()
		if _, err := io.ReadFull(body, make([]byte, 2)); err != nil {
			t.Fatal(err)
		}
		w := r.nextWriter(BinaryMessage)
		io.WriteString(w, letters(20_000))
		closed := make(chan error, 1)
		go func() { closed <- r.c.Close(CloseNormal, "enough") }()
		r.peer.Want(bare(0x02, letters(19_999)) + bare(0x88, "\x03\xe8enough"))
		r.peer.Send(frame(0x80, "lo") + text("never read") + closeFrame(CloseNormal, ""))
		if err := <-closed; err != nil {
			t.Errorf("Close: %v", err)
		}
		if err := w.Close(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("the writer's Close: %v", err)
		}
		if n, err := body.Read(make([]byte, 9)); n != 0 || err == nil {
			t.Errorf("the reader gives %d bytes, %v", n, err)
		}
		r.peer.WantEOF()
	})
}

// CloseNow ends a reader that waits in the middle of a message.
func TestCloseNowAmidStreams(t *testing.T) {
	onPulled(t, func(t *testing.T, f face) {
		r := f.open(t, Config{})
		r.peer.Send(frame(0x01, "Hel"))
		_, body := r.nextReader()
		begun, told := make(chan struct{}), make(chan error, 1)
		go func() {
			_, err := io.ReadFull(body, make([]byte, 3))
			close(begun)
			if err == nil {
				_, err = body.Read(make([]byte, 1))
			}
			told <- err
		}()
		<-begun
		r.c.CloseNow()
		if err := <-told; !errors.Is(err, net.ErrClosed) {
			t.Errorf("the reader is told %v", err)
		}
	})
}

// A group can shut down while a reader is left in the middle of a message.
func TestShutdownAmidAStream(t *testing.T) {
	onPulled(t, func(t *testing.T, f face) {
		g := new(Group)
		r := f.open(t, Config{Group: g})
		r.peer.Send(frame(0x01, "Hel"))
		r.nextReader()
		over := make(chan error, 1)
		go func() { over <- g.Shutdown(soon(t)) }()
		r.peer.Want(bare(0x88, "\x03\xe9"))
		r.peer.Send(frame(0x80, "lo") + closeFrame(CloseGoingAway, ""))
		r.peer.WantEOF()
		r.peer.Close()
		if err := <-over; err != nil {
			t.Error(err)
		}
	})
}
