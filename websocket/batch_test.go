package websocket

import (
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// still returns a Group whose clock stands still, so that no tick comes between two answers.
func still() (*Group, *clock.Clock) {
	g, clk := new(Group), clock.NewManual()
	cfg := g.config()
	cfg.Clock = clk
	g.engine = netconn.New(cfg)
	return g, clk
}

// The replies to all messages of one receive leave in one write.
func TestAnswersLeaveTogether(t *testing.T) {
	for _, callbacks := range []bool{false, true} {
		server, client := wiretest.Pipe(wiretest.Config{}, wiretest.Config{})
		peer := wiretest.NewTalk(t, client)
		peer.Send(strings.Repeat(text("Hello"), 16) + text("Hello")[:4])
		g, clk := still()
		cfg := Config{Group: g}
		if callbacks {
			cfg.OnMessage = func(c *Conn, typ MessageType, p []byte) { c.WriteMessage(typ, p) }
		}
		c, err := cfg.settings().open(&opened{role: wsframe.Server, nc: server}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !callbacks {
			for range 16 {
				typ, p, err := c.ReadMessage()
				if err != nil {
					t.Fatal(err)
				}
				c.WriteMessage(typ, p)
			}
			clk.Advance(clock.Tick)
		}
		peer.Want(strings.Repeat(bare(0x81, "Hello"), 16))
		if n := server.Writes(); n != 1 {
			t.Errorf("callbacks %v: %d writes, want 1", callbacks, n)
		}
		peer.Close()
		c.CloseNow()
		within(t, "the end", c.Done())
	}
}

// A flood of pings costs one write for each receive.
func TestPongsLeaveTogether(t *testing.T) {
	for _, callbacks := range []bool{false, true} {
		server, client := wiretest.Pipe(wiretest.Config{}, wiretest.Config{})
		peer := wiretest.NewTalk(t, client)
		peer.Send(strings.Repeat(frame(0x89, "p"), 16))
		g, _ := still()
		cfg := Config{Group: g}
		if callbacks {
			cfg.OnMessage = func(*Conn, MessageType, []byte) { t.Error("got a message, want none") }
		}
		c, err := cfg.settings().open(&opened{role: wsframe.Server, nc: server}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !callbacks {
			go c.ReadMessage()
		}
		peer.Want(strings.Repeat(bare(0x8A, "p"), 16))
		if n := server.Writes(); n != 1 {
			t.Errorf("callbacks %v: %d writes, want 1", callbacks, n)
		}
		peer.Close()
		within(t, "the end", c.Done())
	}
}

// A written message leaves even if its reader takes its time or never reads again.
func TestNoAnswerWaits(t *testing.T) {
	r := faces[0].open(t, Config{})
	r.peer.Send(text("one") + text("two"))
	if _, _, err := r.c.ReadMessage(); err != nil {
		t.Fatal(err)
	}
	r.c.WriteMessage(TextMessage, []byte("answer"))
	r.peer.Want(bare(0x81, "answer"))
}

// Writing does not change the caller's bytes, on either side.
func TestBytesOfTheCallerStay(t *testing.T) {
	for _, role := range []wsframe.Role{wsframe.Server, wsframe.Client} {
		near, far := wiretest.Pipe(wiretest.Config{}, wiretest.Config{})
		c, err := Config{}.settings().open(&opened{role: role, nc: near}, nil)
		if err != nil {
			t.Fatal(err)
		}
		peer := wiretest.NewTalk(t, far)
		for _, n := range []int{0, 5, 1000, 20_000, 100_000} {
			p := []byte(letters(n))
			written := make(chan error)
			go func() { written <- c.WriteMessage(BinaryMessage, p) }()
			h := wsframe.Header{Length: int64(n), Masked: role == wsframe.Client}
			peer.WantN(h.Size() + n)
			if err := <-written; err != nil {
				t.Fatal(err)
			}
			if string(p) != letters(n) {
				t.Errorf("%v: %d bytes were changed", role, n)
			}
		}
		peer.Close()
		c.CloseNow()
	}
}
