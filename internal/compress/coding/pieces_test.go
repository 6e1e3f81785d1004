package coding

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"
	"testing/iotest"

	"github.com/andybalholm/brotli"
)

// cutting reads b in pieces: bit i of cuts is set if one ends behind the byte with that number, counted from the end.
type cutting struct {
	b    []byte
	cuts uint
}

func (c *cutting) Read(p []byte) (n int, err error) {
	if len(c.b) == 0 {
		return 0, io.EOF
	}
	for n = 1; n < len(c.b); n++ {
		if left := len(c.b) - n; left < 32 && c.cuts>>left&1 == 1 {
			break
		}
	}
	n = copy(p, c.b[:n])
	c.b = c.b[n:]
	return n, nil
}

// However the last bytes are cut into pieces, the end is found, and so are bytes after it.
func TestEveryEnd(t *testing.T) {
	if raceEnabled {
		t.Skip("it is long, and one goroutine's")
	}
	bodies := map[string][]byte{"empty": nil, "short": text(10), "text": text(3000), "noise": noise(2000), "zeros": make([]byte, 70_000)}
	for name, plain := range bodies {
		for _, level := range []int{1, 5, 11} {
			var b bytes.Buffer
			w := brotli.NewWriterLevel(&b, level)
			w.Write(plain)
			w.Close()
			everyEnd(t, fmt.Sprint(name, level), "br", b.Bytes(), plain, 7)
		}
		for _, coding := range []string{"gzip", "deflate", "zstd"} {
			everyEnd(t, name+coding, coding, coded(t, coding, plain), plain, 4)
		}
	}
}

// everyEnd reads a body whose last bytes, and those behind its end, are cut in every way: at so many places.
func everyEnd(t *testing.T, name, coding string, body, plain []byte, places int) {
	for _, more := range []string{"", "\x06", "\x03\x00"} {
		whole := append(body[:len(body):len(body)], more...)
		for cuts := range uint(1) << places {
			got, err := io.ReadAll(opened(t, &cutting{whole, cuts << 1}, coding, Limits{}))
			if !bytes.Equal(got, plain) || (err == nil) != (more == "") {
				t.Fatalf("%s, %q behind it, cut at %b: %d bytes of %d, %v", name, more, cuts, len(got), len(plain), err)
			}
		}
		if more == "" {
			continue
		}
		if _, err := io.ReadAll(opened(t, bytes.NewReader(whole), coding, Limits{})); err == nil {
			t.Errorf("%s: %q behind it is not found", name, more)
		}
	}
}

// A Reader that has failed returns the same error again, and it stays the body's fault when the source has ended.
func TestErrorStays(t *testing.T) {
	plain := text(5000)
	for _, coding := range []string{"gzip", "deflate", "br", "zstd"} {
		body := coded(t, coding, plain)
		broken := bytes.Clone(body)
		for i := range 40 {
			broken[len(broken)/2+i] ^= 0x55
		}
		if coding == "br" { // which has no checksum
			broken = append(bytes.Clone(body), 0)
		}
		for _, tc := range []struct {
			src    io.Reader
			limits Limits
		}{
			{bytes.NewReader(broken), Limits{}},
			{iotest.DataErrReader(bytes.NewReader(broken)), Limits{}},
			{iotest.DataErrReader(bytes.NewReader(body)), Limits{Bytes: 100}},
			{iotest.OneByteReader(bytes.NewReader(body)), Limits{Bytes: 100}},
		} {
			r := opened(t, tc.src, coding, tc.limits)
			_, err := io.Copy(io.Discard, r)
			var e *Error
			if !errors.As(err, &e) || e.Coding != coding {
				t.Errorf("%s: %v", coding, err)
			}
			for range 3 {
				if n, again := r.Read(make([]byte, 10)); n != 0 || again != err {
					t.Errorf("%s: %d, %v after %v", coding, n, again, err)
				}
			}
		}
	}
}
