package httpread

import (
	"io"
	"testing"

	"go.uber.org/goleak"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// TestMain fails when a goroutine outlives the tests.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// received returns a connection that brings text, cut by split, and then its end.
func received(t testing.TB, text string, split wiretest.Split) *Buffer {
	t.Helper()
	near, far := wiretest.Pipe(wiretest.Config{Split: split, Buffer: len(text) + 1}, wiretest.Config{})
	t.Cleanup(func() { near.Close() })
	io.WriteString(far, text)
	far.CloseWrite()
	return NewBuffer(near, 256)
}

// cuts calls f with text in one piece, in two that are cut at every byte, and byte by byte.
func cuts(t *testing.T, text string, f func(c *Buffer)) {
	t.Helper()
	f(received(t, text, nil))
	f(received(t, text, wiretest.EveryByte))
	for i := range len(text) {
		f(received(t, text, wiretest.At(int64(i))))
	}
}

// rest returns the remaining bytes of the connection.
func rest(t testing.TB, c Conn) string {
	t.Helper()
	b, err := io.ReadAll(readerOf{c})
	if err != nil {
		t.Error(err)
	}
	return string(b)
}

type readerOf struct{ c Conn }

func (r readerOf) Read(p []byte) (int, error) { return r.c.Read(p) }
