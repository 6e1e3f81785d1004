package wiretest

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"time"
)

// Talk is a conversation with the other end of a connection. Each method ends the test if the conversation goes
// differently, with what was expected, what was received, and what was sent before. So its methods may be called only
// by the goroutine of the test.
type Talk struct {
	// Conn is the connection. Reading from it bypasses what the Talk has read ahead.
	Conn net.Conn
	// Timeout bounds each step. Default 30 s.
	Timeout time.Duration

	t    testing.TB
	got  []byte // received and not yet expected
	end  error  // why no more will be received
	said []byte // what was sent last, for failure messages
	step int
}

// NewTalk begins a conversation on nc. nc is closed when the test ends.
func NewTalk(t testing.TB, nc net.Conn) *Talk {
	t.Cleanup(func() { _ = nc.Close() })
	return &Talk{Conn: nc, Timeout: 30 * time.Second, t: t}
}

// Send sends s.
func (k *Talk) Send(s string) {
	k.t.Helper()
	k.step++
	k.said = append(k.said[:0], s[:min(len(s), 200)]...)
	_ = k.Conn.SetWriteDeadline(time.Now().Add(k.Timeout))
	if n, err := io.WriteString(k.Conn, s); err != nil {
		k.fail("sent %d of %d bytes: %v", n, len(s), err)
	}
}

// Want expects that s is received next. More may follow.
func (k *Talk) Want(s string) {
	k.t.Helper()
	k.step++
	want := []byte(s)
	for len(k.got) < len(want) && bytes.HasPrefix(want, k.got) && k.more() {
		continue
	}
	if !bytes.HasPrefix(k.got, want) {
		k.fail("want %s\n got %s%s", quote(want), quote(k.got), k.why())
	}
	k.got = k.got[len(want):]
}

// WantUntil expects to receive mark, and returns everything up to its end.
func (k *Talk) WantUntil(mark string) string {
	k.t.Helper()
	k.step++
	for {
		if i := bytes.Index(k.got, []byte(mark)); i >= 0 {
			s := string(k.got[:i+len(mark)])
			k.got = k.got[i+len(mark):]
			return s
		}
		if !k.more() {
			k.fail("want %q\n got %s%s", mark, quote(k.got), k.why())
		}
	}
}

// WantN expects n more bytes and returns them.
func (k *Talk) WantN(n int) string {
	k.t.Helper()
	k.step++
	for len(k.got) < n && k.more() {
		continue
	}
	if len(k.got) < n {
		k.fail("want %d bytes, got %d: %s%s", n, len(k.got), quote(k.got), k.why())
	}
	s := string(k.got[:n])
	k.got = k.got[n:]
	return s
}

// WantEOF expects that nothing more is received and that the other end closes in order.
func (k *Talk) WantEOF() {
	k.t.Helper()
	if rest := k.Rest(); rest != "" {
		k.fail("want the end\n got %s first", quote([]byte(rest)))
	}
}

// Rest expects that the other end closes in order, and returns what is received before.
func (k *Talk) Rest() string {
	k.t.Helper()
	k.step++
	k.drain()
	if k.end != io.EOF {
		k.fail("want the end\n got %s%s", quote(k.got), k.why())
	}
	rest := string(k.got)
	k.got = nil
	return rest
}

// WantReset expects that the connection is reset. What is received before does not matter.
func (k *Talk) WantReset() {
	k.t.Helper()
	k.step++
	k.drain()
	if !errors.Is(k.end, syscall.ECONNRESET) && !errors.Is(k.end, syscall.EPIPE) {
		k.fail("want a reset\n got %s%s", quote(k.got), k.why())
	}
	k.got = nil
}

// WantGone expects that the connection ends, in order or by a reset. What is received before does not matter.
func (k *Talk) WantGone() {
	k.t.Helper()
	k.step++
	k.drain()
	if k.end == nil || errors.Is(k.end, os.ErrDeadlineExceeded) {
		k.fail("want the end or a reset\n got %s%s", quote(k.got), k.why())
	}
	k.got = nil
}

// WantSilence expects that nothing is received for d, and that the connection stays open.
func (k *Talk) WantSilence(d time.Duration) {
	k.t.Helper()
	k.step++
	if len(k.got) == 0 && k.end == nil {
		_ = k.Conn.SetReadDeadline(time.Now().Add(d))
		k.read()
		if errors.Is(k.end, os.ErrDeadlineExceeded) {
			k.end = nil
		}
	}
	if len(k.got) > 0 || k.end != nil {
		k.fail("want silence\n got %s%s", quote(k.got), k.why())
	}
}

// HalfClose closes the write half.
func (k *Talk) HalfClose() {
	k.t.Helper()
	k.step++
	half, ok := k.Conn.(interface{ CloseWrite() error })
	if !ok {
		k.fail("a %T cannot be half closed", k.Conn)
	}
	if err := half.CloseWrite(); err != nil {
		k.fail("half close: %v", err)
	}
}

// Reset closes the connection so that the other end sees a reset.
func (k *Talk) Reset() {
	k.t.Helper()
	k.step++
	l, ok := k.Conn.(interface{ SetLinger(sec int) error })
	if !ok {
		k.fail("a %T cannot be reset", k.Conn)
	}
	_ = l.SetLinger(0)
	_ = k.Conn.Close()
}

// Close closes the connection.
func (k *Talk) Close() { _ = k.Conn.Close() }

// more reads once and reports whether anything was received.
func (k *Talk) more() bool {
	if k.end != nil {
		return false
	}
	before := len(k.got)
	_ = k.Conn.SetReadDeadline(time.Now().Add(k.Timeout))
	k.read()
	return len(k.got) > before
}

// drain reads until no more is received.
func (k *Talk) drain() {
	for k.more() {
		continue
	}
}

func (k *Talk) read() {
	var chunk [16 << 10]byte
	n, err := k.Conn.Read(chunk[:])
	k.got = append(k.got, chunk[:n]...)
	k.end = err
}

// why describes why no more was received.
func (k *Talk) why() string {
	switch {
	case k.end == nil:
		return ""
	case errors.Is(k.end, os.ErrDeadlineExceeded):
		return "\n then nothing for " + k.Timeout.String()
	case k.end == io.EOF:
		return "\n then the end"
	default:
		return "\n then " + k.end.Error()
	}
}
