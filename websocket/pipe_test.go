package websocket

import (
	"errors"
	"io"
	"os"
	"testing"
	"time"
)

// pipe returns the ends of a Pipe, which end with the test.
func pipe(t *testing.T, client, server Config) (c, s *Conn) {
	t.Helper()
	c, s = Pipe(client, server)
	t.Cleanup(func() {
		c.CloseNow()
		s.CloseNow()
		within(t, "the client's end to end", c.Done())
		within(t, "the server's end to end", s.Done())
	})
	return c, s
}

// Both ends of a Pipe exchange messages, also from one goroutine.
func TestPipe(t *testing.T) {
	c, s := pipe(t, Config{Subprotocols: []string{"chat", "soap"}}, Config{Subprotocols: []string{"xmpp", "soap"}})
	if c.Subprotocol() != "soap" || s.Subprotocol() != "soap" {
		t.Errorf("subprotocols %q and %q", c.Subprotocol(), s.Subprotocol())
	}
	if c.LocalAddr().String() != "client" || c.RemoteAddr().String() != "server" || s.RemoteAddr().String() != "client" || s.LocalAddr().Network() != "memory" {
		t.Errorf("client %v %v, server %v %v", c.LocalAddr(), c.RemoteAddr(), s.LocalAddr(), s.RemoteAddr())
	}
	for _, ends := range [][2]*Conn{{c, s}, {s, c}} {
		for _, n := range []int{0, 5, 1000, 500_000} {
			for range 2 {
				if err := ends[0].WriteMessage(TextMessage, []byte(letters(n))); err != nil {
					t.Fatal(err)
				}
			}
			for range 2 {
				if typ, p, err := ends[1].ReadMessage(); typ != TextMessage || string(p) != letters(n) || err != nil {
					t.Fatalf("%d bytes: got %v, %d, %v", n, typ, len(p), err)
				}
			}
		}
	}
}

// Both ends of a Pipe see the closing handshake.
func TestPipeCloses(t *testing.T) {
	c, s := pipe(t, Config{}, Config{})
	c.WriteMessage(TextMessage, []byte("last words"))
	closed := make(chan error, 1)
	go func() { closed <- c.Close(CloseGoingAway, "bye") }()
	if _, p, err := s.ReadMessage(); string(p) != "last words" || err != nil {
		t.Fatalf(`got %q, %v; want "last words"`, p, err)
	}
	var ce *CloseError
	if _, _, err := s.ReadMessage(); !errors.As(err, &ce) || ce.Code != CloseGoingAway || ce.Reason != "bye" {
		t.Errorf("the server is told %v", err)
	}
	if err := <-closed; err != nil {
		t.Errorf("Close: %v", err)
	}
}

// Either end of a Pipe may have callbacks.
func TestPipeCallbacks(t *testing.T) {
	over := make(chan error, 1)
	c, _ := pipe(t, Config{}, Config{
		OnMessage: func(c *Conn, typ MessageType, p []byte) { c.WriteMessage(typ, p) },
		OnClose:   func(_ *Conn, err error) { over <- err },
	})
	for _, want := range []string{"Hello", ""} {
		c.WriteMessage(BinaryMessage, []byte(want))
		if typ, p, err := c.ReadMessage(); typ != BinaryMessage || string(p) != want || err != nil {
			t.Fatalf("got %q, %v; want %q", p, err, want)
		}
	}
	if err := c.Close(CloseNormal, ""); err != nil {
		t.Error(err)
	}
	if err := <-over; CloseStatus(err) != CloseNormal {
		t.Error(err)
	}
}

// Reads and writes of a Pipe end at their deadlines.
func TestPipeDeadlines(t *testing.T) {
	c, s := pipe(t, Config{}, Config{})
	s.SetReadDeadline(time.Now().Add(time.Millisecond))
	if _, _, err := s.ReadMessage(); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("reading: %v", err)
	}
	s.SetReadDeadline(time.Time{})
	c.WriteMessage(TextMessage, []byte("Hello"))
	if _, p, err := s.ReadMessage(); string(p) != "Hello" || err != nil {
		t.Errorf("after the deadline: got %q, %v", p, err)
	}
	c.SetWriteDeadline(time.Now().Add(10 * time.Millisecond))
	if err := c.WriteMessage(BinaryMessage, make([]byte, 3<<20)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("writing: %v", err)
	}
}

// A deadline of now ends calls that need not wait, too, and nothing is lost.
func TestDeadlineOfNow(t *testing.T) {
	for range 20 { // the coarse clock may just have ticked
		c, s := pipe(t, Config{}, Config{})
		c.SetWriteDeadline(time.Now())
		if err := c.WriteMessage(TextMessage, []byte("late")); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatalf("writing: %v", err)
		}
		c.SetWriteDeadline(time.Time{})
		for _, p := range []string{"one", "two", "three"} {
			c.WriteMessage(TextMessage, []byte(p))
		}
		reads := func(want string) {
			t.Helper()
			if _, p, err := s.ReadMessage(); string(p) != want || err != nil {
				t.Fatalf("got %q, %v", p, err)
			}
		}
		reads("one") // the others have arrived with it
		s.SetReadDeadline(time.Now())
		if _, p, err := s.ReadMessage(); err != os.ErrDeadlineExceeded {
			t.Fatalf("reading: got %q, %v", p, err)
		}
		if _, _, err := s.NextReader(); err != os.ErrDeadlineExceeded {
			t.Fatalf("a reader: got %v, want %v", err, os.ErrDeadlineExceeded)
		}
		s.SetReadDeadline(time.Time{})
		_, r, err := s.NextReader()
		if err != nil {
			t.Fatal(err)
		}
		s.SetReadDeadline(time.Now())
		if n, err := r.Read(make([]byte, 9)); n > 0 || err != os.ErrDeadlineExceeded {
			t.Fatalf("reading in parts: got %d bytes, %v", n, err)
		}
		s.SetReadDeadline(time.Time{})
		if p, err := io.ReadAll(r); string(p) != "two" || err != nil {
			t.Fatalf("got %q, %v", p, err)
		}
		reads("three")
	}
}

// A writer of a Pipe waits when 1 MiB is unread.
func TestPipeIsBounded(t *testing.T) {
	c, s := pipe(t, Config{}, Config{ReadLimit: -1})
	written := make(chan error, 1)
	go func() { written <- c.WriteMessage(BinaryMessage, []byte(letters(5<<20))) }()
	if _, p, err := s.ReadMessage(); string(p) != letters(5<<20) || err != nil {
		t.Errorf("got %d bytes, %v", len(p), err)
	}
	if err := <-written; err != nil {
		t.Error(err)
	}
}

// Pipe panics with ErrGroupClosed if a Group has been shut down.
func TestPipeOfAGroupThatIsOver(t *testing.T) {
	over := new(Group)
	if err := over.Shutdown(soon(t)); err != nil {
		t.Fatal(err)
	}
	for _, cfgs := range [][2]Config{{{Group: over}, {}}, {{}, {Group: over}}} {
		func() {
			defer func() {
				if recover() != ErrGroupClosed {
					t.Error("Pipe does not panic with ErrGroupClosed")
				}
			}()
			Pipe(cfgs[0], cfgs[1])
		}()
	}
}
