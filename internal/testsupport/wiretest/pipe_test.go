package wiretest

import (
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

func pipe2(t *testing.T, near, far Config) (*Conn, *Conn) {
	a, b := Pipe(near, far)
	t.Cleanup(func() {
		_ = a.Close()
		_ = b.Close()
	})
	return a, b
}

// pieces reads until the end and returns what each read got.
func pieces(t *testing.T, c net.Conn) []string {
	t.Helper()
	var all []string
	p := make([]byte, 100)
	for {
		n, err := c.Read(p)
		if n > 0 {
			all = append(all, string(p[:n]))
		}
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// A read returns at most what its Split allows.
func TestSplits(t *testing.T) {
	for name, tc := range map[string]struct {
		split Split
		want  string
	}{
		"none":       {nil, "abcdefgh"},
		"every byte": {EveryByte, "a|b|c|d|e|f|g|h"},
		"at":         {At(7, 3), "abc|defg|h"},
		"at the end": {At(8, 100), "abcdefgh"},
		"wrong":      {func(int64, int) int { return 0 }, "abcdefgh"},
	} {
		a, b := pipe2(t, Config{Split: tc.split}, Config{})
		for _, s := range []string{"abcde", "fgh"} {
			if _, err := io.WriteString(b, s); err != nil {
				t.Fatal(err)
			}
		}
		_ = b.CloseWrite()
		if got := strings.Join(pieces(t, a), "|"); got != tc.want {
			t.Errorf("%s: read %s, want %s", name, got, tc.want)
		}
	}
}

// Random cuts in the same way for the same seed, and loses no byte.
func TestRandomIsRepeatable(t *testing.T) {
	text := strings.Repeat("0123456789", 9)
	cut := func(seed uint64) []string {
		a, b := pipe2(t, Config{Split: Random(seed)}, Config{})
		_, _ = io.WriteString(b, text)
		_ = b.CloseWrite()
		return pieces(t, a)
	}
	one, again, other := cut(1), cut(1), cut(2)
	if strings.Join(one, "|") != strings.Join(again, "|") {
		t.Error("the same seed cut in another way")
	}
	if strings.Join(one, "|") == strings.Join(other, "|") {
		t.Error("another seed cut the same way")
	}
	if strings.Join(one, "") != text {
		t.Error("bytes were lost")
	}
}

// A write to a full buffer waits until the other end reads.
func TestWriteWaitsForAFullBuffer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := Pipe(Config{Buffer: 4}, Config{})
		done := false
		go func() {
			if n, err := io.WriteString(b, "123456"); n != 6 || err != nil {
				t.Error(n, err)
			}
			done = true
		}()
		synctest.Wait()
		if done || a.Unread() != 4 {
			t.Fatalf("done %v with %d bytes in a buffer of 4", done, a.Unread())
		}
		p := make([]byte, 2)
		if _, err := io.ReadFull(a, p); err != nil || string(p) != "12" {
			t.Fatal(p, err)
		}
		synctest.Wait()
		if !done || a.Unread() != 4 {
			t.Fatalf("after a read: done %v, %d bytes", done, a.Unread())
		}
		_ = a.Close()
		_ = b.Close()
	})
}

// After HalfClose the other direction still works.
func TestHalfClose(t *testing.T) {
	a, b := pipe2(t, Config{}, Config{})
	ka, kb := NewTalk(t, a), NewTalk(t, b)
	kb.Send("ask")
	kb.HalfClose()
	ka.Want("ask")
	ka.WantEOF()
	ka.Send("answer")
	ka.Close()
	kb.Want("answer")
	kb.WantEOF()
	if _, err := b.Write([]byte("x")); !errors.Is(err, syscall.EPIPE) {
		t.Errorf("write after CloseWrite: %v", err)
	}
}

// Closing a connection with unread bytes resets it: this is how an error response is lost when a server closes without
// reading on.
func TestCloseWithBytesUnreadResets(t *testing.T) {
	a, b := pipe2(t, Config{}, Config{})
	_, _ = io.WriteString(b, "a body that nobody reads")
	_, _ = io.WriteString(a, "413")
	_ = a.Close()
	NewTalk(t, b).WantReset()
}

// A write to an end that was closed resets the connection, and unread bytes are lost.
func TestWriteToTheClosedResets(t *testing.T) {
	a, b := pipe2(t, Config{}, Config{})
	_, _ = io.WriteString(a, "413")
	_ = a.Close()
	if _, err := io.WriteString(b, "more body"); !errors.Is(err, syscall.EPIPE) {
		t.Errorf("write: %v", err)
	}
	NewTalk(t, b).WantReset()
}

// After a reset the other end's calls fail with ECONNRESET, and this end's with net.ErrClosed.
func TestReset(t *testing.T) {
	a, b := pipe2(t, Config{}, Config{})
	NewTalk(t, a).Reset()
	if _, err := b.Read(make([]byte, 1)); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("read: %v", err)
	}
	if _, err := b.Write([]byte("x")); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("write: %v", err)
	}
	if _, err := a.Read(nil); !errors.Is(err, net.ErrClosed) {
		t.Errorf("read after close: %v", err)
	}
	if err := a.Close(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("second close: %v", err)
	}
}

// Reads and writes end at the last deadline that was set.
func TestDeadlines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := Pipe(Config{}, Config{Buffer: 1})
		begin := time.Now()
		_ = a.SetReadDeadline(begin.Add(time.Second))
		_ = a.SetReadDeadline(begin.Add(3 * time.Second)) // the first timer must not fire
		_, err := a.Read(make([]byte, 1))
		var timeout net.Error
		if !errors.Is(err, os.ErrDeadlineExceeded) || !errors.As(err, &timeout) || !timeout.Timeout() {
			t.Errorf("read: %v", err)
		}
		_ = a.SetWriteDeadline(begin.Add(5 * time.Second))
		if n, err := a.Write([]byte("12")); n != 1 || !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("write: %d, %v", n, err)
		}
		if took := time.Since(begin); took != 5*time.Second {
			t.Errorf("took %v", took)
		}
		_ = a.SetDeadline(time.Time{})
		_, _ = io.WriteString(b, "x")
		if _, err := a.Read(make([]byte, 1)); err != nil {
			t.Errorf("read after the deadline was taken back: %v", err)
		}
		_ = a.SetDeadline(begin)
		_, _ = io.WriteString(b, "y")
		if _, err := a.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("read after a deadline in the past: %v", err)
		}
		_ = a.Close()
		_ = b.Close()
	})
}

// Close ends a read and a write that wait on this end.
func TestCloseEndsWaits(t *testing.T) {
	a, b := pipe2(t, Config{}, Config{Buffer: 1})
	var wg sync.WaitGroup
	wg.Go(func() {
		if _, err := a.Read(make([]byte, 1)); !errors.Is(err, net.ErrClosed) {
			t.Errorf("read: %v", err)
		}
	})
	wg.Go(func() {
		if _, err := io.WriteString(a, "12"); !errors.Is(err, net.ErrClosed) {
			t.Errorf("write: %v", err)
		}
	})
	for b.Unread() == 0 {
		time.Sleep(time.Millisecond)
	}
	_ = a.Close()
	wg.Wait()
}

// Reads and Writes return the number of calls of Read and Write.
func TestCounts(t *testing.T) {
	a, b := pipe2(t, Config{Split: EveryByte}, Config{})
	_, _ = io.WriteString(b, "four")
	_, _ = io.WriteString(b, "")
	_, _ = io.ReadFull(a, make([]byte, 4))
	if a.Reads() != 4 || b.Writes() != 2 {
		t.Errorf("%d reads, %d writes", a.Reads(), b.Writes())
	}
}
