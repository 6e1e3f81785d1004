package coding

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"testing"
)

// fuzzBytes bounds what a body of a fuzzer becomes.
const fuzzBytes = 1 << 20

// seeds adds bodies of a coding, whole and broken.
func seeds(f *testing.F, coding string, add func(body []byte)) {
	for _, plain := range [][]byte{nil, text(1), text(300), noise(50), make([]byte, 5000)} {
		body := coded(f, coding, plain)
		add(body)
		add(body[:len(body)/2])
		add(append(body[:len(body):len(body)], body...))
		add(append(body[:len(body):len(body)], '\n'))
	}
	add(nil)
	add([]byte("\x1f\x8b\x08\x1f\x00\x00\x00\x00\x00\xff\x02\x00xxname\x00comment\x00\x12\x34"))
}

// agree compares what a Reader makes of a body, whole and byte by byte, with what another decoder makes of it.
func agree(t *testing.T, body []byte, coding string, want []byte, wrong error) {
	t.Helper()
	for _, cut := range []int{0, -1} {
		got, err := io.ReadAll(opened(t, pieces(body, cut), coding, Limits{Bytes: fuzzBytes}))
		switch {
		case len(want) > fuzzBytes:
			if err == nil || !bytes.HasPrefix(want, got) {
				t.Errorf("cut at %d: %d bytes of %d, %v", cut, len(got), len(want), err)
			}
		case (err == nil) != (wrong == nil):
			t.Errorf("cut at %d: %v, want %v", cut, err, wrong)
		case err == nil && !bytes.Equal(got, want):
			t.Errorf("cut at %d: %q, want %q", cut, got, want)
		}
	}
}

// The results are those of compress/gzip, except that reserved flags are refused (RFC 1952 §2.3.1.2).
func FuzzGzip(f *testing.F) {
	seeds(f, "gzip", func(body []byte) { f.Add(body) })
	f.Add([]byte("\x1f\x8b\b\x00\x00\x00\x00\x00\x00\xffJ\x02\x04\x00\x00\xff\xff\xf9\xef\xbeq\x01\x00\x00\x00\x1f\x8b\b@\x00\x00\x00\x00\x00\xffJ\x02\x04\x00\x00\xff\xff\xf9\xef\xbeq\x01\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, body []byte) {
		want, err := gunzip(body)
		agree(t, body, "gzip", want, err)
	})
}

// gunzip decodes member after member.
func gunzip(body []byte) (want []byte, err error) {
	z := new(gzip.Reader)
	for src := bytes.NewReader(body); src.Len() > 0 && len(want) <= fuzzBytes; {
		if member := body[len(body)-src.Len():]; len(member) > 3 && member[3]&0xe0 != 0 {
			return want, gzip.ErrHeader
		}
		if err = z.Reset(src); err != nil {
			return want, err
		}
		z.Multistream(false)
		part, err := io.ReadAll(io.LimitReader(z, int64(fuzzBytes+1-len(want))))
		if want = append(want, part...); err != nil {
			return want, err
		}
	}
	return want, nil
}

// The results are those of compress/zlib or compress/flate, and nothing may follow the end.
func FuzzDeflate(f *testing.F) {
	seeds(f, "deflate", func(body []byte) { f.Add(body) })
	seeds(f, "bare", func(body []byte) { f.Add(body) })
	f.Fuzz(func(t *testing.T, body []byte) {
		var want []byte
		src := bufio.NewReader(bytes.NewReader(body))
		z, err := zlib.NewReader(src)
		if errors.Is(err, zlib.ErrHeader) {
			src.Reset(bytes.NewReader(body))
			z, err = flate.NewReader(src), nil
		}
		if err == nil {
			want, err = io.ReadAll(io.LimitReader(z, fuzzBytes+1))
		}
		if _, more := src.ReadByte(); err == nil && more == nil {
			err = ErrTrailing
		}
		if len(body) == 0 {
			err = nil
		}
		agree(t, body, "deflate", want, err)
	})
}

// Whatever the bytes are, the result does not depend on where they are cut, keeps to the limits, and ends or fails
// with a documented error.
func FuzzCodings(f *testing.F) {
	for i, codings := range all {
		seeds(f, codings, func(body []byte) { f.Add(body, uint8(i)) })
	}
	f.Add([]byte(zstdTebibyte+zstdZeros+zstdZeros+zstdZeros+zstdZeros+zstdZeros+zstdZeros+zstdZeros+zstdZeros+zstdZeros), uint8(5))
	f.Fuzz(func(t *testing.T, body []byte, which uint8) {
		codings := all[int(which)%len(all)]
		var first []byte
		var failed bool
		for i, cut := range []int{0, len(body) / 2, -1} {
			got, err := io.ReadAll(opened(t, pieces(body, cut), codings, Limits{Bytes: fuzzBytes}))
			if _, ok := errors.AsType[*Error](err); err != nil && !ok && err != io.ErrUnexpectedEOF {
				t.Errorf("%s: %v", codings, err)
			}
			if len(got) > fuzzBytes {
				t.Errorf("%s: %d bytes", codings, len(got))
			}
			if i == 0 {
				first, failed = got, err != nil
			}
			if failed != (err != nil) || !failed && !bytes.Equal(got, first) {
				t.Errorf("%s, cut at %d: %d bytes, %v; whole: %d bytes, failed %v", codings, cut, len(got), err, len(first), failed)
			}
		}
	})
}

// Reading undoes any list of codings.
func FuzzRoundTrip(f *testing.F) {
	for i := range all {
		f.Add(text(2000), uint8(i), 7)
	}
	f.Fuzz(func(t *testing.T, plain []byte, which uint8, cut int) {
		codings := all[int(which)%len(all)]
		body := coded(t, codings, plain)
		got, err := io.ReadAll(opened(t, pieces(body, min(max(cut, -1), len(body))), codings, Limits{}))
		if err != nil || !bytes.Equal(got, plain) {
			t.Errorf("%s: %d bytes of %d, %v", codings, len(got), len(plain), err)
		}
	})
}
