package websocket

import (
	"errors"
	"net"
	"os"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// fates are the outcomes of messages of SendFunc, in any order.
type fates chan error

func (f fates) note(err error) { f <- err }

// next returns the next outcome.
func (f fates) next(t *testing.T) error {
	t.Helper()
	select {
	case err := <-f:
		return err
	case <-time.After(patience):
		t.Fatal("done was not called")
		return nil
	}
}

// SendFunc reports when a message has left, on every kind of connection.
func TestSendFunc(t *testing.T) {
	onEvery(t, func(t *testing.T, f face) {
		cfg := Config{}
		if f.callbacks {
			cfg.OnMessage = func(*Conn, MessageType, []byte) {}
		}
		r := f.open(t, cfg)
		told := make(fates, 10)
		for _, n := range []int{0, 5, 1000, 70_000} {
			r.c.SendFunc(BinaryMessage, []byte(letters(n)), told.note)
			r.c.Send(TextMessage, []byte("between"))
			r.peer.Want(bare(0x82, letters(n)) + bare(0x81, "between"))
			if err := told.next(t); err != nil {
				t.Errorf("%d bytes: %v", n, err)
			}
		}
		r.c.SetWriteDeadline(aLongTimeAgo)
		r.c.SendFunc(TextMessage, nil, told.note)
		if err := told.next(t); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("after the deadline: %v", err)
		}
		r.c.CloseNow()
		within(t, "the end", r.c.Done())
		r.c.SendFunc(TextMessage, nil, told.note)
		if err := told.next(t); !errors.Is(err, net.ErrClosed) {
			t.Errorf("after the end: %v", err)
		}
	})
	cfg := Config{Compression: NoContextTakeover}
	c, s := Pipe(cfg, cfg)
	told := make(fates, 1)
	c.SendFunc(TextMessage, []byte(letters(5000)), told.note)
	wantMessage(t, s, letters(5000))
	if err := told.next(t); err != nil {
		t.Error(err)
	}
	c.CloseNow()
	s.CloseNow()
}

// SendFunc reports a message that is dropped, or still waits at the end, and none that still waits.
func TestSendFuncToTheSlow(t *testing.T) {
	near, far := net.Pipe() // which takes nothing
	peer := wiretest.NewTalk(t, far)
	c, err := Config{Slow: DropOldest, Backlog: 1}.settings().open(&opened{role: wsframe.Server, nc: near}, nil)
	if err != nil {
		t.Fatal(err)
	}
	told := make([]fates, 5)
	for i := range told {
		told[i] = make(fates, 1)
		c.SendFunc(BinaryMessage, []byte(letters(70_000)), told[i].note)
	}
	// The first is on its way, the second in the queue, and the others have dropped one another.
	for _, i := range []int{2, 3} {
		if err := told[i].next(t); err != ErrDropped {
			t.Errorf("message %d: got %v, want %v", i, err, ErrDropped)
		}
	}
	peer.Want(bare(0x82, letters(70_000)))
	if err := told[0].next(t); err != nil {
		t.Errorf("the first: %v", err)
	}
	c.CloseNow()
	for _, i := range []int{1, 4} {
		if err := told[i].next(t); !errors.Is(err, net.ErrClosed) {
			t.Errorf("message %d, at the end: %v", i, err)
		}
	}
	far.Close()
	within(t, "the end", c.Done())
}

// A message that the peer's close frame leaves in the backlog is not reported as ErrDropped.
func TestSendFuncAndThePeersClose(t *testing.T) {
	near, far := net.Pipe()
	peer := wiretest.NewTalk(t, far)
	cfg := Config{OnMessage: func(*Conn, MessageType, []byte) {}}
	c, err := cfg.settings().open(&opened{role: wsframe.Server, nc: near}, nil)
	if err != nil {
		t.Fatal(err)
	}
	told := make([]fates, 5)
	for i := range told {
		told[i] = make(fates, 1)
		c.SendFunc(BinaryMessage, []byte(letters(70_000)), told[i].note)
	}
	peer.Send(closeFrame(CloseNormal, ""))
	for _, i := range []int{2, 3, 4} { // the first is on its way, the second in the queue
		if err := told[i].next(t); !IsCloseError(err, CloseNormal) && err != ErrClosed {
			t.Errorf("message %d: %v", i, err)
		}
	}
	far.Close()
	c.CloseNow()
	within(t, "the end", c.Done())
}
