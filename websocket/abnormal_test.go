package websocket

import (
	"errors"
	"io"
	"net"
	"syscall"
	"testing"
)

// A connection that is reset ends with CloseAbnormal, and the error of the network can be unwrapped.
func TestResetIsAbnormal(t *testing.T) {
	for _, f := range faces {
		if !f.tcp {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			r := f.echo(t, Config{})
			r.peer.Send(text("Hello"))
			r.peer.Want(bare(0x81, "Hello"))
			r.peer.Conn.(*net.TCPConn).SetLinger(0)
			r.peer.Close()
			err := r.wantEnd()
			if !IsCloseError(err, CloseAbnormal) || !errors.Is(err, syscall.ECONNRESET) || CloseStatus(err) != CloseAbnormal {
				t.Errorf("ended with %v, want 1006 and a reset", err)
			}
			if !IsUnexpectedCloseError(err, CloseNormal, CloseGoingAway) || IsUnexpectedCloseError(err, CloseAbnormal) {
				t.Error("IsUnexpectedCloseError: got the wrong value for CloseAbnormal")
			}
			if r.c.Err() != err {
				t.Errorf("Err returns %v", r.c.Err())
			}
		})
	}
}

// Every way to read reports CloseAbnormal when the connection ends in the middle of a message.
func TestAbnormalInEveryRead(t *testing.T) {
	for name, read := range map[string]func(c *Conn) error{
		"ReadMessage":     func(c *Conn) error { _, _, err := c.ReadMessage(); return err },
		"ReadMessageInto": func(c *Conn) error { _, _, err := c.ReadMessageInto(make([]byte, 100)); return err },
		"ReadContext":     func(c *Conn) error { _, _, err := c.ReadMessageContext(soon(t)); return err },
		"NextReader": func(c *Conn) error {
			_, r, err := c.NextReader()
			if err != nil {
				t.Error(err)
			}
			_, err = io.ReadAll(r)
			return err
		},
		"Messages": func(c *Conn) (err error) {
			for _, err = range c.Messages() {
			}
			return err
		},
		"NetConn": func(c *Conn) error { _, err := io.ReadAll(Stream(t.Context(), c, TextMessage)); return err },
	} {
		r := faces[2].open(t, Config{})
		go func() {
			r.peer.Send(text("Hello")[:8])
			r.peer.HalfClose()
		}()
		for range 2 { // it stays so
			if err := read(r.c); !IsCloseError(err, CloseAbnormal) || !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%s: %v", name, err)
			}
			if name == "NextReader" {
				break
			}
		}
		if err := r.c.WriteMessage(TextMessage, nil); err != ErrClosed {
			t.Errorf("%s: a write afterwards: got %v, want %v", name, err, ErrClosed)
		}
	}
}

// Reads report the same end when a write has noticed it first.
func TestWriteThatFindsTheEnd(t *testing.T) {
	near, far := Pipe(Config{}, Config{})
	far.NetConn().Close()
	for near.WriteMessage(TextMessage, make([]byte, 100)) == nil {
	}
	if _, _, err := near.ReadMessage(); !IsCloseError(err, CloseAbnormal) {
		t.Errorf("ended with %v, want 1006", err)
	}
}

// An end that this side decided is not reported as CloseAbnormal.
func TestOurEndsAreNotAbnormal(t *testing.T) {
	for name, end := range map[string]func(c *Conn){
		"Close":    func(c *Conn) { c.Close(CloseNormal, "") },
		"CloseNow": func(c *Conn) { c.CloseNow() },
	} {
		c, s := pipe(t, Config{}, Config{})
		go func() {
			for {
				if _, _, err := s.ReadMessage(); err != nil {
					return
				}
			}
		}()
		end(c)
		if _, _, err := c.ReadMessage(); !errors.Is(err, net.ErrClosed) || CloseStatus(err) != 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
