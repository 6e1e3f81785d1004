package websocket

import (
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// endless is a net.Conn from which the same bytes can be read for ever, and which discards what is written.
type endless struct {
	bytes string
	at    int
}

func (e *endless) Read(p []byte) (int, error) {
	n := copy(p, e.bytes[e.at:])
	e.at = (e.at + n) % len(e.bytes)
	return n, nil
}

func (e *endless) Write(p []byte) (int, error)        { return len(p), nil }
func (e *endless) Close() error                       { return nil }
func (e *endless) LocalAddr() net.Addr                { return &net.TCPAddr{} }
func (e *endless) RemoteAddr() net.Addr               { return &net.TCPAddr{} }
func (e *endless) SetDeadline(time.Time) error        { return nil }
func (e *endless) SetReadDeadline(time.Time) error    { return nil }
func (e *endless) SetWriteDeadline(t time.Time) error { return nil }

func openEndless(tb testing.TB, role wsframe.Role, sent string) *Conn {
	tb.Helper()
	c, err := Config{}.settings().open(&opened{role: role, nc: &endless{bytes: sent}}, nil)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { c.CloseNow() })
	return c
}

// Reading into a buffer or a pooled slice and writing allocate nothing; ReadMessage allocates the message.
func TestAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector's pools forget on purpose")
	}
	for name, sent := range map[string]string{
		"whole":        text(letters(1000)),
		"large":        binaryF(letters(40_000)),
		"in fragments": frame(0x01, letters(300)) + frame(0x00, "") + frame(0x80, letters(200)),
	} {
		c := openEndless(t, wsframe.Server, sent)
		buf := make([]byte, 64<<10)
		into := testing.AllocsPerRun(500, func() {
			if _, _, err := c.ReadMessageInto(buf); err != nil {
				t.Fatal(err)
			}
		})
		kept := testing.AllocsPerRun(500, func() {
			if _, _, err := c.ReadMessage(); err != nil {
				t.Fatal(err)
			}
		})
		pool := new(BufferPool)
		pooled := testing.AllocsPerRun(500, func() {
			_, p, err := c.ReadPooled(pool)
			if err != nil {
				t.Fatal(err)
			}
			pool.Put(p)
		})
		if name == "large" {
			pooled-- // no tier holds it
		}
		if into != 0 || kept != 1 || pooled != 0 {
			t.Errorf("%s: %v allocations into a buffer, %v to be kept, %v from a pool; want 0, 1 and 0", name, into, kept, pooled)
		}
	}
	for _, role := range []wsframe.Role{wsframe.Server, wsframe.Client} {
		c := openEndless(t, role, text("Hello"))
		p := []byte(letters(1000))
		if n := testing.AllocsPerRun(500, func() { c.WriteMessage(TextMessage, p) }); n != 0 {
			t.Errorf("%v: %v allocations to write", role, n)
		}
	}
}

// BenchmarkReadInto measures reading into a buffer.
func BenchmarkReadInto(b *testing.B) {
	for _, size := range []int{64, 1024, 16 << 10} {
		b.Run(strconv.Itoa(size), func(b *testing.B) {
			c := openEndless(b, wsframe.Server, strings.Repeat(text(letters(size)), 64))
			buf := make([]byte, size)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				_, n, err := c.ReadMessageInto(buf)
				if n != size || err != nil {
					b.Fatalf("got %v, %v; want %v", n, err, size)
				}
			}
			if string(buf) != letters(size) {
				b.Fatal("got other bytes than were sent")
			}
		})
	}
}

// BenchmarkWrite measures writing.
func BenchmarkWrite(b *testing.B) {
	for _, role := range []wsframe.Role{wsframe.Server, wsframe.Client} {
		b.Run(role.String(), func(b *testing.B) {
			c := openEndless(b, role, text("Hello"))
			p := []byte(letters(1024))
			b.ReportAllocs()
			for b.Loop() {
				if err := c.WriteMessage(TextMessage, p); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
