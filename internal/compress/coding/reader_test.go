package coding

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"net"
	"testing"
	"testing/iotest"
)

// Every coding and list of codings gives back the original bytes, in pieces of any size.
func TestCodings(t *testing.T) {
	for _, codings := range all {
		for _, plain := range [][]byte{text(1), text(100), text(60_000), noise(40_000), make([]byte, 200_000)} {
			body := coded(t, codings, plain)
			for name, src := range map[string]io.Reader{
				"whole": bytes.NewReader(body), "halves": iotest.HalfReader(bytes.NewReader(body)),
				"bytes": pieces(body, -1), "with its end": iotest.DataErrReader(bytes.NewReader(body)),
			} {
				got, err := io.ReadAll(opened(t, src, codings, Limits{}))
				if err != nil || !bytes.Equal(got, plain) {
					t.Errorf("%s, %s: %d bytes of %d, %v", codings, name, len(got), len(plain), err)
				}
			}
		}
	}
}

// Lists of codings are read as RFC 9110 §5.6.1 and §8.4 write them.
func TestListAsWritten(t *testing.T) {
	plain := text(1000)
	for written, applied := range map[string]string{
		"GZIP": "gzip", "X-Gzip": "gzip", " br\t": "br", ",gzip ,, br,": "gzip,br", "identity": "", "": "",
		"gzip, Identity": "gzip", "gzip,gzip,gzip,gzip": "gzip,gzip,gzip,gzip", "identity,br,br,br,br,identity": "br,br,br,br",
	} {
		got, err := decoded(t, coded(t, applied, plain), written)
		if err != nil || !bytes.Equal(got, plain) {
			t.Errorf("%q: %d bytes of %d, %v", written, len(got), len(plain), err)
		}
	}
}

// An unknown coding is reported before anything is read.
func TestUnknown(t *testing.T) {
	for codings, want := range map[string]Error{
		"compress": {"compress", ErrUnknown}, "gzip, aes128gcm": {"aes128gcm", ErrUnknown}, "gzip;q=1": {"gzip;q=1", ErrUnknown},
		"gzip br": {"gzip br", ErrUnknown}, "dcb": {"dcb", ErrUnknown},
		"gzip,gzip,br,br,zstd": {"gzip,gzip,br,br,zstd", ErrTooMany},
	} {
		r, err := NewReader(iotest.ErrReader(errors.New("was read")), codings, Limits{})
		e, ok := errors.AsType[*Error](err)
		if r != nil || !ok || *e != want || !errors.Is(err, want.Err) {
			t.Errorf("%q: %v, %v", codings, r, err)
		}
	}
	if got := (&Error{"dcb", ErrUnknown}).Error(); got != "content encoding dcb could not be decoded: unknown content encoding" {
		t.Errorf("it says %q", got)
	}
	var r Reader
	if err := r.Reset(bytes.NewReader(nil), "x", Limits{}); err == nil {
		t.Error("x is known")
	}
	if _, err := r.Read(make([]byte, 1)); err != net.ErrClosed {
		t.Errorf("what was not opened says %v", err)
	}
}

// An empty body is empty in every coding, as with responses to HEAD.
func TestEmptyBody(t *testing.T) {
	for _, codings := range all {
		if got, err := decoded(t, nil, codings); len(got) > 0 || err != nil {
			t.Errorf("%s: %q, %v", codings, got, err)
		}
	}
}

// A gzip body may have several members, and a zstd body several frames (RFC 1952 §2.2, RFC 8878 §3).
func TestMembers(t *testing.T) {
	a, b := text(5000), noise(5000)
	for _, coding := range []string{"gzip", "zstd"} {
		body := coded(t, coding, a)
		body = append(body, coded(t, coding, nil)...)
		if coding == "zstd" {
			body = append(body, "\x5a\x2a\x4d\x18\x03\x00\x00\x00abc"...) // a skippable frame
		}
		body = append(body, coded(t, coding, b)...)
		for _, cut := range []int{-1, 0, 11, 12, 13} {
			got, err := io.ReadAll(opened(t, pieces(body, cut), coding, Limits{}))
			if err != nil || !bytes.Equal(got, append(a[:len(a):len(a)], b...)) {
				t.Errorf("%s: %d bytes, %v", coding, len(got), err)
			}
		}
	}
}

// All optional parts of a gzip header are skipped, and its checksum is checked.
func TestHeader(t *testing.T) {
	var b bytes.Buffer
	w, plain := gzip.NewWriter(&b), text(100)
	w.Name, w.Comment, w.Extra = "naïve", "a comment", noise(4000)
	w.Write(plain)
	w.Close()
	if got, err := decoded(t, b.Bytes(), "gzip"); err != nil || !bytes.Equal(got, plain) {
		t.Errorf("%q, %v", got, err)
	}
	withSum := []byte("\x1f\x8b\x08\x02\x00\x00\x00\x00\x00\xff")
	withSum = binary.LittleEndian.AppendUint16(withSum, uint16(crc32.ChecksumIEEE(withSum))) // RFC 1952 §2.3.1
	withSum = append(withSum, coded(t, "gzip", plain)[10:]...)
	if got, err := decoded(t, withSum, "gzip"); err != nil || !bytes.Equal(got, plain) {
		t.Errorf("with a checksum: %q, %v", got, err)
	}
	withSum[10]++
	if _, err := decoded(t, withSum, "gzip"); !errors.Is(err, gzip.ErrHeader) {
		t.Errorf("with a wrong checksum: %v", err)
	}
}

// Bytes after the end are refused once the bytes before them were read, in each coding of a list.
func TestTrailing(t *testing.T) {
	plain := text(5000)
	for _, coding := range []string{"gzip", "deflate", "bare", "br", "zstd"} {
		for _, more := range []string{"\n", "\x00", "something that is longer than a header"} {
			body := append(coded(t, coding, plain), more...)
			for _, cut := range []int{-1, len(body) - len(more), 0} {
				got, err := io.ReadAll(opened(t, pieces(body, cut), coding, Limits{}))
				if err == nil || !bytes.Equal(got, plain) {
					t.Errorf("%s with %q, cut at %d: %d bytes, %v", coding, more, cut, len(got), err)
				}
				if _, ok := errors.AsType[*Error](err); !ok && err != io.ErrUnexpectedEOF {
					t.Errorf("%s with %q, cut at %d: %v", coding, more, cut, err)
				}
			}
			if _, err := decoded(t, coded(t, "gzip", body), coding+", gzip"); err == nil {
				t.Errorf("%s within gzip with %q is taken", coding, more)
			}
		}
	}
	twice := append(coded(t, "deflate", plain), coded(t, "deflate", plain)...)
	if got, err := decoded(t, twice, "deflate"); !errors.Is(err, ErrTrailing) || !bytes.Equal(got, plain) {
		t.Errorf("deflate twice: %d bytes, %v", len(got), err)
	}
}

// A wrong checksum is an error in every coding that has one.
func TestChecksums(t *testing.T) {
	plain := text(5000)
	for coding, fromEnd := range map[string]int{"gzip": 8, "deflate": 4, "zstd": 4} {
		for i := range fromEnd {
			body := coded(t, coding, plain)
			body[len(body)-1-i] ^= 0x40
			got, err := decoded(t, body, coding)
			if e, ok := errors.AsType[*Error](err); !ok || e.Coding != coding || len(got) > len(plain) {
				t.Errorf("%s with its last byte but %d changed: %d bytes, %v", coding, i, len(got), err)
			}
		}
	}
}
