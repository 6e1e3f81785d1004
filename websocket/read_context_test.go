package websocket

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// The ways to read with a context.
var contextReads = map[string]func(c *Conn, ctx context.Context) ([]byte, error){
	"ReadContext": func(c *Conn, ctx context.Context) ([]byte, error) {
		_, p, err := c.ReadMessageContext(ctx)
		return p, err
	},
	"NextReaderContext": func(c *Conn, ctx context.Context) ([]byte, error) {
		_, r, err := c.NextReaderContext(ctx)
		if err != nil {
			return nil, err
		}
		return io.ReadAll(r)
	},
}

// The end of a context does not remove a read deadline.
func TestReadContextKeepsTheDeadline(t *testing.T) {
	for name, read := range contextReads {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := new(Group)
				defer g.Shutdown(t.Context())
				c, s := Pipe(Config{Group: g}, Config{Group: g})
				began := time.Now()
				s.SetReadDeadline(began.Add(time.Minute))
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				if _, err := read(s, ctx); !errors.Is(err, context.DeadlineExceeded) {
					t.Error(err)
				}
				if _, _, err := s.ReadMessage(); !errors.Is(err, os.ErrDeadlineExceeded) {
					t.Error(err)
				}
				if waited := time.Since(began); waited < time.Minute || waited > time.Minute+time.Second {
					t.Errorf("the deadline came after %v", waited)
				}
				c.CloseNow()
				s.CloseNow()
			})
		})
	}
}

// ReadMessageContext gives up in time while another goroutine reads, which is not disturbed.
func TestReadContextWhileAnotherReads(t *testing.T) {
	for name, read := range contextReads {
		t.Run(name, func(t *testing.T) {
			onPulled(t, func(t *testing.T, f face) {
				r := f.open(t, Config{})
				got := make(chan error, 1)
				go func() {
					_, p, err := r.c.ReadMessage()
					if err == nil && string(p) != "at last" {
						err = errors.New(string(p))
					}
					got <- err
				}()
				for r.c.recv.mu.TryLock() { // until the other waits
					r.c.recv.mu.Unlock()
				}
				ctx, cancel := context.WithCancel(t.Context())
				gave := make(chan error, 1)
				go func() {
					_, err := read(r.c, ctx)
					gave <- err
				}()
				cancel()
				if err := <-gave; !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
				r.peer.Send(text("at last"))
				if err := <-got; err != nil {
					t.Error(err)
				}
				r.peer.Send(text("for us"))
				if p, err := read(r.c, soon(t)); string(p) != "for us" || err != nil {
					t.Errorf(`got %q, %v; want "for us"`, p, err)
				}
			})
		})
	}
}

// Many readers with contexts get all messages, each once.
func TestReadContextTakesTurns(t *testing.T) {
	c, s := Pipe(Config{}, Config{})
	const messages = 300
	got := make(chan []byte)
	all, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	for range 4 {
		go func() {
			for all.Err() == nil {
				ctx, cancel := context.WithTimeout(all, 100*time.Microsecond)
				_, p, err := s.ReadMessageContext(ctx)
				cancel()
				if err == nil {
					got <- p
				} else if !errors.Is(err, context.DeadlineExceeded) && all.Err() == nil {
					t.Error(err)
					break
				}
			}
			ended <- nil
		}()
	}
	go func() {
		for i := range messages {
			c.WriteMessage(BinaryMessage, []byte{byte(i), byte(i >> 8)})
		}
	}()
	seen := map[int]bool{}
	for range messages {
		select {
		case p := <-got:
			seen[int(p[0])|int(p[1])<<8] = true
		case <-time.After(patience):
			t.Fatalf("%d messages came", len(seen))
		}
	}
	if len(seen) != messages {
		t.Errorf("%d of %d messages", len(seen), messages)
	}
	stop()
	for range 4 {
		<-ended
	}
	c.CloseNow()
	s.CloseNow()
}

// The rest of a message that a context has ended is skipped by the next read.
func TestNextReaderContextAmidAMessage(t *testing.T) {
	onPulled(t, func(t *testing.T, f face) {
		r := f.open(t, Config{})
		r.peer.Send(frame(0x01, "Hel"))
		ctx, cancel := context.WithCancel(t.Context())
		_, body, err := r.c.NextReaderContext(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(body, make([]byte, 3)); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Millisecond, cancel)
		for range 2 {
			if n, err := body.Read(make([]byte, 3)); n != 0 || !errors.Is(err, context.Canceled) {
				t.Fatalf("got %d, %v; want 0, %v", n, err, context.Canceled)
			}
		}
		r.peer.Send(frame(0x80, "lo") + text("next"))
		if _, p, err := r.c.ReadMessageContext(soon(t)); string(p) != "next" || err != nil {
			t.Errorf(`got %q, %v; want "next"`, p, err)
		}
	})
}

// joining is a context type of a program, whose errors cannot be compared.
type joining struct{ context.Context }

// Err implements context.Context.
func (j joining) Err() error {
	if err := j.Context.Err(); err != nil {
		return joined{err}
	}
	return nil
}

type joined []error

// Error implements error.
func (j joined) Error() string { return j[0].Error() }

// Unwrap is for errors.Is.
func (j joined) Unwrap() []error { return j }

// The end of a writer's context leaves the connection as it was if nothing was sent, and ends it otherwise.
func TestNextWriterContext(t *testing.T) {
	for _, tc := range []struct {
		name     string
		cfg      Config
		sent     int // before the context ends
		survives bool
	}{
		{"nothing", Config{}, 100, true},
		{"a part", Config{}, 20_000, false},
		{"nothing, compressed", Config{Compression: ContextTakeover}, 1000, true},
		{"a part, compressed", Config{Compression: NoContextTakeover}, 40_000, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, s := Pipe(tc.cfg, tc.cfg)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			ctx = joining{ctx}
			w, err := c.NextWriterContext(ctx, BinaryMessage)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.Write(bytes.Repeat([]byte("x"), tc.sent)); err != nil {
				t.Fatal(err)
			}
			if _, err := c.NextWriterContext(briefly(t), BinaryMessage); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("out of turn: %v", err)
			}
			cancel()
			if err := w.Close(); !errors.Is(err, context.Canceled) {
				t.Errorf("Close: %v", err)
			}
			if _, err := c.NextWriterContext(ctx, BinaryMessage); !errors.Is(err, context.Canceled) {
				t.Errorf("afterwards: %v", err)
			}
			err = c.WriteMessage(TextMessage, []byte("next"))
			if !tc.survives {
				within(t, "the end", c.Done())
				if _, _, err := s.ReadMessage(); !IsCloseError(err, CloseAbnormal) || !errors.Is(c.Err(), context.Canceled) {
					t.Errorf("the peer reads %v, ended with %v", err, c.Err())
				}
				return
			}
			if _, p, rerr := s.ReadMessage(); err != nil || string(p) != "next" || rerr != nil {
				t.Errorf("%v, then %q, %v", err, p, rerr)
			}
			c.CloseNow()
			s.CloseNow()
		})
	}
}
