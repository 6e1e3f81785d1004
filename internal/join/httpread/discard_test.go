package httpread

import (
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// bounded is a Buffer with its connection's deadlines.
type bounded struct {
	*Buffer
	net.Conn
	last time.Time // that was set
}

func (c *bounded) Read(p []byte) (int, error) { return c.Buffer.Read(p) }

func (c *bounded) SetReadDeadline(t time.Time) error {
	c.last = t
	return c.Conn.SetReadDeadline(t)
}

// sent returns a connection that has brought text, and the end that brings more.
func sent(t *testing.T, text string, split wiretest.Split) (*bounded, *wiretest.Conn) {
	near, far := wiretest.Pipe(wiretest.Config{Split: split}, wiretest.Config{})
	t.Cleanup(func() { near.Close(); far.Close() })
	io.WriteString(far, text)
	return &bounded{Buffer: NewBuffer(near, 256), Conn: near}, far
}

var patient = Bounds{Bytes: 1000, Wait: time.Minute, Time: time.Minute}

// Discard reads a body to its end, and leaves the bytes after it.
func TestDiscard(t *testing.T) {
	chunks := "5\r\nhello\r\n0\r\n\r\n"
	for _, split := range []wiretest.Split{nil, wiretest.EveryByte, wiretest.Random(5)} {
		c, _ := sent(t, chunks+behind, split)
		b := streamed(byChunks, -1)
		b.Read(c, make([]byte, 2))
		b.Discard(c, patient)
		if !b.Ended() || b.Err() != nil || !c.last.IsZero() {
			t.Errorf("ended %t, %v, deadline %v", b.Ended(), b.Err(), c.last)
		}
		p := make([]byte, len(behind))
		if _, err := io.ReadFull(readerOf{c}, p); string(p) != behind || err != nil {
			t.Errorf("left %q, %v", p, err)
		}
	}
}

// Discard stops at its limits of bytes and time, and when the connection fails.
func TestDiscardIsBounded(t *testing.T) {
	long := http1.Framing{Delimiter: http1.ByLength, Length: 1 << 40}
	c, _ := sent(t, strings.Repeat("x", 5000), nil)
	b := streamed(long, -1)
	if b.Discard(c, patient); b.Ended() || b.Err() != nil {
		t.Errorf("too many bytes: %v", b.Err())
	}
	for _, hurried := range []Bounds{{1000, -time.Minute, time.Minute}, {1000, time.Minute, -time.Minute}} {
		c, _ = sent(t, "", nil)
		b = streamed(long, -1)
		if b.Discard(c, hurried); b.Ended() || !os.IsTimeout(b.Err()) || !c.last.IsZero() {
			t.Errorf("within %v: %v", hurried, b.Err())
		}
	}
	c, far := sent(t, "abc", nil)
	far.CloseWrite()
	b = streamed(long, -1)
	if b.Discard(c, patient); b.Ended() || b.Err() != io.ErrUnexpectedEOF {
		t.Errorf("cut short: %v", b.Err())
	}
	c, _ = sent(t, "5\nhello", nil)
	b = streamed(byChunks, -1)
	if b.Discard(c, patient); b.Ended() || b.Err() == nil {
		t.Error("a malformed body was not reported")
	}
}

// Discard reads nothing of a body that has ended, has failed, or arrived whole.
func TestDiscardNothing(t *testing.T) {
	c, _ := sent(t, behind, nil)
	ended, failed, whole := streamed(http1.Framing{}, -1), streamed(byLength, -1), &Body{}
	failed.Fail(io.ErrClosedPipe)
	whole.StartWhole([]byte("hello"))
	for _, b := range []*Body{ended, failed, whole} {
		if b.Discard(c, patient); len(c.Unread()) > 0 {
			t.Error("something was received")
		}
	}
}

// Discarding what has arrived tells a pause from the end, from too many bytes, and from a malformed body.
func TestDiscardArrived(t *testing.T) {
	hasty := Bounds{Bytes: 20, Wait: time.Millisecond, Time: time.Minute}
	for _, c := range []struct {
		sent   string
		ok     bool
		ended  bool
		failed bool
	}{
		{"5\r\nhello\r\n0\r\n\r\n" + behind, true, true, false},
		{"5\r\nhel", true, false, false},
		{"", true, false, false},
		{"ff\r\n" + strings.Repeat("x", 30), false, false, false},
		{"no chunk\r\n", false, false, true},
	} {
		nc, _ := sent(t, c.sent, nil)
		b := streamed(byChunks, -1)
		ok := b.DiscardArrived(nc, hasty)
		if ok != c.ok || b.Ended() != c.ended || (b.Err() != nil) != c.failed || !nc.last.IsZero() {
			t.Errorf("%q: %v, ended %v, %v, deadline %v", c.sent, ok, b.Ended(), b.Err(), nc.last)
		}
	}
	c, far := sent(t, "5\r\nhel", nil)
	b := streamed(byChunks, -1)
	b.DiscardArrived(c, hasty)
	io.WriteString(far, "lo\r\n0\r\n\r\n")
	if b.Discard(c, patient); !b.Ended() || b.Err() != nil {
		t.Errorf("after a pause: ended %v, %v", b.Ended(), b.Err())
	}
}

// Bytes that were discarded before a pause count against the limit after it.
func TestDiscardOnce(t *testing.T) {
	long := http1.Framing{Delimiter: http1.ByLength, Length: 1 << 40}
	c, far := sent(t, strings.Repeat("x", 15), nil)
	b := streamed(long, -1)
	bounds := Bounds{Bytes: 20, Wait: time.Millisecond, Time: time.Minute}
	if !b.DiscardArrived(c, bounds) {
		t.Error("a pause is none")
	}
	io.WriteString(far, strings.Repeat("x", 5))
	if b.Discard(c, bounds); b.Ended() || b.Err() != nil {
		t.Errorf("it waits for more than there may be: ended %v, %v", b.Ended(), b.Err())
	}
}

// AtLeast is the rest of a known length, or of the current chunk.
func TestAtLeast(t *testing.T) {
	c, _ := sent(t, "64\r\nhello", nil)
	b := streamed(byChunks, -1)
	if n := b.MinLeft(); n > 0 {
		t.Errorf("at first %d", n)
	}
	b.Read(c, make([]byte, 5))
	if n := b.MinLeft(); n != 95 {
		t.Errorf("in a chunk of 100, of which 5 are read: %d", n)
	}
	b = streamed(http1.Framing{Delimiter: http1.ByLength, Length: 10}, -1)
	if n := b.MinLeft(); n != 10 {
		t.Errorf("of 10: %d", n)
	}
}
