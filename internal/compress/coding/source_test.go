package coding

import (
	"bytes"
	"errors"
	"io"
	"os"
	"testing"
	"testing/iotest"
)

// It does not matter where a body is cut into pieces.
func TestSplit(t *testing.T) {
	plain := text(400)
	for _, codings := range all {
		body := coded(t, codings, plain)
		for cut := -1; cut < len(body); cut++ {
			r := opened(t, pieces(body, cut), codings, Limits{})
			got, err := io.ReadAll(iotest.OneByteReader(r))
			if err != nil || !bytes.Equal(got, plain) {
				t.Fatalf("%s, cut at %d: %d bytes, %v", codings, cut, len(got), err)
			}
			r.Close()
		}
	}
}

// A body or a further member that ends too early is an error.
func TestTruncated(t *testing.T) {
	plain := text(400)
	named := []byte("\x1f\x8b\x08\x1c\x00\x00\x00\x00\x00\xff\x02\x00xxname\x00comment\x00")
	bodies := map[string][]byte{"gzip": append(named, coded(t, "gzip", plain)[10:]...)}
	for _, codings := range all[1:] {
		bodies[codings] = coded(t, codings, plain)
	}
	for codings, body := range bodies {
		for end := 1; end < len(body); end++ {
			got, err := decoded(t, body[:end], codings)
			if err != io.ErrUnexpectedEOF || !bytes.HasPrefix(plain, got) {
				t.Errorf("%s, %d bytes of %d: %d bytes, %v", codings, end, len(body), len(got), err)
			}
		}
	}
	for _, coding := range []string{"gzip", "zstd"} {
		first, second := coded(t, coding, plain), bodies[coding]
		for end := 1; end < len(second); end++ {
			got, err := decoded(t, append(first[:len(first):len(first)], second[:end]...), coding)
			if err != io.ErrUnexpectedEOF || !bytes.HasPrefix(got, plain) {
				t.Errorf("%s, %d bytes of its second part: %d bytes, %v", coding, end, len(got), err)
			}
		}
	}
}

// An error of the source follows all bytes before it, as it is, and io.ErrUnexpectedEOF is not taken for an end.
func TestSourceFails(t *testing.T) {
	plain := text(400)
	for _, why := range []error{os.ErrDeadlineExceeded, io.ErrUnexpectedEOF, &os.PathError{Op: "read", Path: "x", Err: os.ErrClosed}} {
		for _, codings := range all {
			body := coded(t, codings, plain)
			for end := 0; end <= len(body); end++ {
				src := io.MultiReader(bytes.NewReader(body[:end]), iotest.ErrReader(why))
				got, err := io.ReadAll(opened(t, src, codings, Limits{}))
				if err != why || !bytes.HasPrefix(plain, got) || end == len(body) && len(got) < len(plain) {
					t.Errorf("%s, %v after %d bytes of %d: %d bytes, %v", codings, why, end, len(body), len(got), err)
				}
			}
		}
	}
	body := append([]byte("\x50\x2a\x4d\x18\x00\x01\x00\x00"), make([]byte, 100)...) // within a skippable frame
	src := io.MultiReader(bytes.NewReader(body), iotest.ErrReader(os.ErrDeadlineExceeded))
	if _, err := io.ReadAll(opened(t, src, "zstd", Limits{})); err != os.ErrDeadlineExceeded {
		t.Errorf("within a skippable frame: %v", err)
	}
}

// onlyOnce fails a test in which it is read after it has failed.
type onlyOnce struct {
	t    *testing.T
	body io.Reader
	err  error
}

func (o *onlyOnce) Read(p []byte) (int, error) {
	if o.err != nil {
		o.t.Errorf("read after %v", o.err)
	}
	n, err := o.body.Read(p)
	o.err = err
	return n, err
}

// A Reader ends only when its source has, does not read it again, and keeps returning io.EOF.
func TestEnd(t *testing.T) {
	plain := text(100_000)
	for _, codings := range all {
		src := &onlyOnce{t: t, body: bytes.NewReader(coded(t, codings, plain))}
		r := opened(t, src, codings, Limits{})
		got, err := io.ReadAll(r)
		if err != nil || !bytes.Equal(got, plain) || src.err != io.EOF {
			t.Errorf("%s: %d bytes, %v; the source said %v", codings, len(got), err, src.err)
		}
		if r.n != 0 {
			t.Errorf("%s: the decoders are not given back with the end", codings)
		}
		for range 3 {
			if n, err := r.Read(make([]byte, 10)); n != 0 || err != io.EOF {
				t.Errorf("%s: %d, %v after the end", codings, n, err)
			}
		}
	}
}

// What the sender has flushed can be read before more arrives.
func TestAsItComes(t *testing.T) {
	waits := errors.New("more is waited for")
	for _, coding := range []string{"gzip", "deflate", "bare", "br", "zstd"} {
		var b bytes.Buffer
		e := encoder(t, coding, &b)
		var soFar []byte
		for i := range 5 {
			soFar = append(soFar, text(100*i+1)...)
			e.Write(text(100*i + 1))
			e.Flush()
			src := io.MultiReader(bytes.NewReader(b.Bytes()), iotest.ErrReader(waits))
			r := opened(t, src, coding, Limits{})
			got, p := []byte(nil), make([]byte, 4096)
			for len(got) < len(soFar) {
				n, err := r.Read(p)
				if got = append(got, p[:n]...); n == 0 || err != nil {
					t.Fatalf("%s, %d flushes: %d bytes of %d, %v", coding, i+1, len(got), len(soFar), err)
				}
			}
			if n, err := r.Read(p); n != 0 || err != waits || !bytes.Equal(got, soFar) {
				t.Errorf("%s, %d flushes: %d bytes more, %v", coding, i+1, n, err)
			}
		}
	}
}

// A Read into an empty slice reads nothing.
func TestNothingRead(t *testing.T) {
	for _, codings := range all {
		r := opened(t, iotest.ErrReader(errors.New("was read")), codings, Limits{})
		if n, err := r.Read(nil); n != 0 || err != nil {
			t.Errorf("%s: %d, %v", codings, n, err)
		}
	}
}

// The end of a brotli body is found however its last bytes arrive, and so are bytes after it.
func TestLastPieces(t *testing.T) {
	if raceEnabled {
		t.Skip("it is long, and one goroutine's")
	}
	for n := range 60 {
		plain := text(1000 * n)
		body := coded(t, "br", plain)
		for tail := range min(9, len(body)) {
			cut := len(body) - tail
			for _, more := range []string{"", "\x00", "\x03\x03\x03\x03\x03\x03\x03\x03\x03"} {
				src := io.MultiReader(bytes.NewReader(body[:cut]), iotest.OneByteReader(bytes.NewReader(append(body[cut:len(body):len(body)], more...))))
				got, err := io.ReadAll(opened(t, src, "br", Limits{}))
				if !bytes.Equal(got, plain) || (err == nil) != (more == "") {
					t.Errorf("%d bytes, the last %d one by one, then %q: %d bytes, %v", len(plain), tail, more, len(got), err)
				}
			}
		}
	}
}
