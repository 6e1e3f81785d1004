package websocket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/shockwave-go/shockwave"
)

// ways are how a message can be sent.
func (r *rig) ways(g *Group) []func(p string) error {
	return []func(p string) error{
		func(p string) error { return r.c.Send(TextMessage, []byte(p)) },
		func(p string) error { return r.c.WriteMessage(TextMessage, []byte(p)) },
		func(p string) error { return r.c.SendPrepared(Prepare(TextMessage, []byte(p))) },
		func(p string) error {
			w, err := r.c.NextWriter(TextMessage)
			if err != nil {
				return err
			}
			_, err = io.WriteString(w, p)
			return errors.Join(err, w.Close())
		},
		func(p string) error { return r.c.SendKey("key", TextMessage, []byte(p)) },
		func(p string) error {
			if n := g.Broadcast(Prepare(TextMessage, []byte(p))); n != 1 {
				return fmt.Errorf("sent to %d", n)
			}
			return nil
		},
		func(p string) error { return r.c.WriteMessageContext(context.Background(), TextMessage, []byte(p)) },
	}
}

// Messages of one goroutine arrive in the order of its calls, whichever calls they are.
func TestOrderOfOneGoroutine(t *testing.T) {
	for _, f := range faces[:4] {
		for _, compression := range []Compression{NoCompression, ContextTakeover} {
			t.Run(fmt.Sprint(f.name, compression), func(t *testing.T) {
				g := new(Group)
				r := f.echo(t, Config{Group: g, Backlog: 1000, Compression: compression, CompressionThreshold: 1 << 20})
				const size, rounds = 15 << 10, 12
				ways := r.ways(g)
				sent := make(chan error, 1)
				go func() {
					sent <- func() error {
						for range 40 {
							if err := r.c.Send(TextMessage, []byte(letters(size))); err != nil {
								return err
							}
						}
						for i := range rounds * len(ways) {
							if err := ways[(i+i/len(ways))%len(ways)](fmt.Sprint(i, letters(size))); err != nil {
								return err
							}
						}
						return nil
					}()
				}()
				if f.tcp {
					r.narrow()
				}
				for range 40 {
					r.wantMessage(TextMessage, letters(size))
				}
				for i := range rounds * len(ways) {
					r.wantMessage(TextMessage, fmt.Sprint(i, letters(size)))
				}
				if err := <-sent; err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// A writer that gives up its turn leaves no gap in the line.
func TestTurnGivenUp(t *testing.T) {
	for _, f := range faces[:2] {
		t.Run(f.name, func(t *testing.T) {
			r := f.echo(t, Config{})
			sent := r.behind()
			if err := r.c.WriteMessageContext(briefly(t), TextMessage, []byte("in a hurry")); !errors.Is(err, context.DeadlineExceeded) {
				t.Fatal(err)
			}
			if err := r.c.Send(TextMessage, []byte("next")); err != nil {
				t.Fatal(err)
			}
			for range sent {
				r.peer.Want(bare(0x82, letters(16<<10)))
			}
			r.peer.Want(bare(0x81, "next"))
			if err := r.c.WriteMessage(TextMessage, []byte("last")); err != nil {
				t.Fatal(err)
			}
			r.peer.Want(bare(0x81, "last"))
		})
	}
}

// A turn that is given up after it has come is passed on.
func TestTurnGivenUpTooLate(t *testing.T) {
	r := faces[0].open(t, Config{})
	sent := r.behind()
	s := &r.c.send
	s.mu.Lock()
	turn := s.line.AddTurn()
	s.mu.Unlock()
	if err := r.c.Send(TextMessage, []byte("next")); err != nil {
		t.Fatal(err)
	}
	for range sent {
		r.peer.Want(bare(0x82, letters(16<<10)))
	}
	within(t, "the turn", turn)
	s.mu.Lock()
	given := s.line.GiveUpTurn(turn)
	s.mu.Unlock()
	if given {
		t.Error("a turn that has come was given up")
	}
	s.moveOn()
	r.peer.Want(bare(0x81, "next"))
}

// A message that is neither text nor binary is refused by every way to send, and the connection goes on.
func TestTypes(t *testing.T) {
	onEvery(t, func(t *testing.T, f face) {
		g := new(Group)
		r := f.echo(t, Config{Group: g})
		for _, typ := range []MessageType{0, 3, 7, 8, 9, 10, 11, 15, 16, 129, 255} {
			m := Prepare(typ, []byte("x"))
			_, nextErr := r.c.NextWriter(typ)
			for name, err := range map[string]error{
				"WriteMessage": r.c.WriteMessage(typ, []byte("x")),
				"WriteContext": r.c.WriteMessageContext(t.Context(), typ, []byte("x")),
				"Send":         r.c.Send(typ, []byte("x")),
				"SendKey":      r.c.SendKey("key", typ, []byte("x")),
				"SendPrepared": r.c.SendPrepared(m),
				"NextWriter":   nextErr,
			} {
				if pe, ok := errors.AsType[*ProtocolError](err); !ok || pe.Blame() != shockwave.Local {
					t.Errorf("%s of type %d: %v", name, typ, err)
				}
			}
			if n := g.Broadcast(m); n != 0 {
				t.Errorf("Broadcast of type %d: sent to %d", typ, n)
			}
		}
		r.peer.Send(text("Hello"))
		r.peer.Want(bare(0x81, "Hello"))
	})
}
