package bufpool

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// taker is a Writer that takes at most n bytes of each Write.
type taker struct {
	bytes.Buffer
	n   int
	err error
}

// Write implements io.Writer.
func (k *taker) Write(p []byte) (int, error) {
	n, _ := k.Buffer.Write(p[:min(k.n, len(p))])
	return n, k.err
}

// ReadFrom implements io.ReaderFrom, which Copy must not call.
func (k *taker) ReadFrom(io.Reader) (int64, error) { panic("ReadFrom was called") }

// Copy returns how many bytes were written, and the first error.
func TestCopy(t *testing.T) {
	errTest := errors.New("test")
	const text = "hello"
	for name, tc := range map[string]struct {
		src  io.Reader
		dst  taker
		n    int64
		want error
	}{
		"all":                       {strings.NewReader(text), taker{n: 9}, 5, nil},
		"nothing":                   {strings.NewReader(""), taker{n: 9}, 0, nil},
		"bytes together with EOF":   {iotest.DataErrReader(strings.NewReader(text)), taker{n: 9}, 5, nil},
		"a Read fails":              {io.MultiReader(strings.NewReader(text), iotest.ErrReader(errTest)), taker{n: 9}, 5, errTest},
		"a Write fails":             {strings.NewReader(text), taker{n: 2, err: errTest}, 2, errTest},
		"a Write takes less":        {strings.NewReader(text), taker{n: 2}, 2, io.ErrShortWrite},
		"a Write fails before Read": {iotest.DataErrReader(strings.NewReader(text)), taker{n: 5, err: errTest}, 5, errTest},
	} {
		t.Run(name, func(t *testing.T) {
			n, err := Copy(&tc.dst, tc.src)
			if n != tc.n || err != tc.want || tc.dst.String() != text[:n] {
				t.Errorf("got %d, %v, %q; want %d, %v", n, err, tc.dst.String(), tc.n, tc.want)
			}
		})
	}
}
