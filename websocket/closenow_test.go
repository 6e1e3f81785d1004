package websocket

import (
	"errors"
	"net"
	"runtime"
	"sync/atomic"
	"testing"
)

// narrow makes the buffers of a connection over TCP small, so that a peer that does not read is soon behind.
func (r *rig) narrow() {
	r.t.Helper()
	near, far := r.c.NetConn().(*net.TCPConn), r.peer.Conn.(*net.TCPConn)
	if err := errors.Join(near.SetWriteBuffer(16<<10), far.SetReadBuffer(128<<10)); err != nil {
		r.t.Fatal(err)
	}
	r.peer.Timeout = patience
}

// behind sends 60 messages of 16 KiB, and the system takes less than half of them: the others wait for the peer.
func (r *rig) behind() (sent int) {
	r.t.Helper()
	r.narrow()
	for range 60 {
		if err := r.c.Send(BinaryMessage, []byte(letters(16<<10))); err != nil {
			r.t.Fatal(err)
		}
	}
	return 60
}

// wantCut expects that the connection is reset, where the system can do that at once; elsewhere that it ends.
func (r *rig) wantCut() {
	r.t.Helper()
	if runtime.GOARCH == "386" || runtime.GOARCH == "s390x" { // see sys.Disconnect
		r.peer.WantGone()
	} else {
		r.peer.WantReset()
	}
}

// CloseNow sends what was written and held back, and the peer sees the end of the stream.
func TestCloseNowFlushes(t *testing.T) {
	onEvery(t, func(t *testing.T, f face) {
		for range 20 {
			r := f.serve(t, Config{}, func(c *Conn, typ MessageType, p []byte) error {
				if err := c.WriteMessage(typ, p); err != nil {
					return err
				}
				return c.CloseNow()
			})
			r.peer.Send(text("one") + text("two") + text("three"))
			r.peer.Want(bare(0x81, "one"))
			r.peer.WantEOF()
			r.peer.Close()
			if err := r.wantEnd(); err != ErrClosed {
				t.Fatalf("ended with %v", err)
			}
		}
	})
}

// CloseNow does not wait for a peer that is behind: unsent messages count as dropped, and the peer sees a reset.
func TestCloseNowOfWhoIsBehind(t *testing.T) {
	for _, f := range faces[:2] {
		t.Run(f.name, func(t *testing.T) {
			r := f.echo(t, Config{Group: new(Group)})
			r.behind()
			if err := r.c.CloseNow(); err != nil {
				t.Error(err)
			}
			within(t, "the end", r.c.Done())
			if r.c.Dropped() == 0 {
				t.Error("Dropped: got 0")
			}
			r.wantCut()
		})
	}
}

// CloseNow drops messages that wait for the end of a message in parts.
func TestCloseNowAmidAMessage(t *testing.T) {
	r := faces[0].open(t, Config{})
	w := r.nextWriter(TextMessage)
	if err := r.c.Send(TextMessage, nil); err != nil {
		t.Fatal(err)
	}
	r.c.CloseNow()
	within(t, "the end", r.c.Done())
	r.wantCut()
	if n := r.c.Dropped(); n != 1 {
		t.Errorf("%d messages were dropped", n)
	}
	w.Close()
}

// CloseNow ends the connection even if a reader returns with a message at the same time.
func TestCloseNowRacesAReader(t *testing.T) {
	f := face{tcp: true}
	for range 300 {
		r := f.open(t, Config{})
		read := make(chan struct{})
		go func() {
			defer close(read)
			r.c.ReadMessage() // and never again
		}()
		sent := make(chan struct{})
		go func() {
			defer close(sent)
			r.peer.Conn.Write([]byte(text("Hello")))
		}()
		r.c.CloseNow()
		within(t, "the end", r.c.Done())
		if err := r.c.Err(); err != ErrClosed {
			t.Fatalf("got %v, want %v", err, ErrClosed)
		}
		<-sent
		<-read
		r.peer.Close()
	}
}

// A reader that holds the connection during CloseNow ends it when it leaves.
func TestCloseNowWhileAReaderReturns(t *testing.T) {
	r := faces[0].open(t, Config{})
	r.c.recv.mu.Lock() // as a reader does that has found a message
	r.c.CloseNow()
	if r.c.Err() != nil {
		t.Error("the connection is over while a reader holds it")
	}
	r.c.recv.unlock()
	within(t, "the end", r.c.Done())
	r.peer.WantEOF()
}

// After CloseNow no more messages are delivered.
func TestCloseNowIsTheLastCallback(t *testing.T) {
	var calls atomic.Int32
	r := faces[1].serve(t, Config{}, func(c *Conn, _ MessageType, _ []byte) error {
		calls.Add(1)
		return c.CloseNow()
	})
	r.peer.Send(text("one") + text("two"))
	r.wantEnd()
	if n := calls.Load(); n != 1 {
		t.Errorf("%d messages were delivered", n)
	}
}

// After Close no more messages are delivered (RFC 6455 §7.1.2).
func TestCloseIsTheLastCallback(t *testing.T) {
	var calls atomic.Int32
	r := faces[1].serve(t, Config{}, func(c *Conn, _ MessageType, _ []byte) error {
		calls.Add(1)
		return c.Close(CloseNormal, "")
	})
	r.peer.Send(text("one") + text("two"))
	r.peer.Want(bare(0x88, "\x03\xE8"))
	r.peer.Send(text("three") + closeFrame(CloseNormal, ""))
	r.wantEnd()
	if n := calls.Load(); n != 1 {
		t.Errorf("%d messages were delivered", n)
	}
}
