package peers

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/compat/internal/both"
)

// kind is the type of a message; all libraries give these the same numbers.
type kind = int

const (
	text   kind = 1
	binary kind = 2
)

// end is the client's end of a connection, of whatever library. Reads are done by one goroutine while another one does
// the rest.
type end struct {
	read   func() (kind, []byte, error)
	write  func(k kind, fragments ...[]byte) error
	ping   func(ctx context.Context) error // returns when the pong has come
	close  func(code int, reason string) error
	closed func(err error) (code int, reason string) // what a read's error tells of the peer's close frame
}

// parts are the fragments of a message.
type parts [][]byte

// write writes them to w, which has just been opened, or not: then err says why.
func (all parts) write(w io.WriteCloser, err error) error {
	if err != nil {
		return err
	}
	for _, p := range all {
		w.Write(p) // Close returns the error
	}
	return w.Close()
}

// dialogue is an end whose reads go on beside the test.
type dialogue struct {
	*end
	t     *testing.T
	heard chan message
	over  chan error
}

type message struct {
	kind kind
	data string
}

func begin(t *testing.T, e *end) *dialogue {
	d := &dialogue{end: e, t: t, heard: make(chan message, 10), over: make(chan error, 1)}
	go func() {
		for {
			k, p, err := e.read()
			if err != nil {
				d.over <- err
				return
			}
			d.heard <- message{k, string(p)}
		}
	}()
	return d
}

// say sends a message, in fragments if it is given more than one.
func (d *dialogue) say(k kind, fragments ...string) {
	d.t.Helper()
	var parts [][]byte
	for _, f := range fragments {
		parts = append(parts, []byte(f))
	}
	if err := d.write(k, parts...); err != nil {
		d.t.Fatalf("sending %.20q: %v", fragments, err)
	}
}

// hear waits for a message.
func (d *dialogue) hear(k kind, want string) {
	d.t.Helper()
	select {
	case err := <-d.over:
		d.t.Fatalf("the connection is over: %v", err)
	case got := <-d.heard:
		if got.kind != k || got.data != want {
			d.t.Fatalf("heard %.60q, %d bytes of type %d; want %.60q, %d bytes of type %d",
				got.data, len(got.data), got.kind, want, len(want), k)
		}
	case <-d.t.Context().Done():
	}
}

// converse talks to an echo that takes orders as package wsecho's does: on one connection until this end closes, on
// another one until the echo does.
func converse(t *testing.T, dial func() *end) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), both.Patience)
	defer cancel()
	d := begin(t, dial())
	large := string(bytes.Repeat([]byte{0, 1, 0xFF, 0x80, 'x', 'y', 'z'}, 10_000))
	repetitive := strings.Repeat("the same words again; ", 5000)
	for _, m := range []message{{text, "grüße 👋"}, {text, ""}, {binary, large}, {text, repetitive}, {text, repetitive}} {
		d.say(m.kind, m.data)
		d.hear(m.kind, m.data)
	}
	d.say(text, "frag", "", "ments ", repetitive)
	d.hear(text, "fragments "+repetitive)
	if err := d.ping(ctx); err != nil {
		t.Errorf("our ping: %v", err)
	}
	d.say(text, "/fragments")
	d.hear(text, strings.Repeat("f", 70_000))
	d.say(text, "/ping")
	d.hear(text, "answered")
	if err := d.close(4001, "bye"); err != nil {
		t.Errorf("closing: %v", err)
	}
	if code, _ := d.closed(both.Receive(t, d.over, "the response to our close")); code != 0 && code != 4001 {
		t.Errorf("the reply to our close frame has code %d", code)
	}

	d = begin(t, dial())
	d.say(text, "/close 4002 wegen Ü")
	err := both.Receive(t, d.over, "the peer's close")
	if code, reason := d.closed(err); code != 4002 || reason != "wegen Ü" {
		t.Errorf("the peer's close: %d %q: %v", code, reason, err)
	}
}
