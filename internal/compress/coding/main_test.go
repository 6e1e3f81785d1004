package coding

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
	"go.uber.org/goleak"

	"github.com/shockwave-go/shockwave/http1"
)

// TestMain fails when a goroutine outlives the tests.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// all are the codings, one by one, and some lists.
var all = []string{"gzip", "x-gzip", "deflate", "bare", "br", "zstd", "gzip, br", "zstd,GZIP", "bare, deflate", "br, zstd, gzip, deflate"}

// flushWriter is what all encoders are.
type flushWriter interface {
	io.WriteCloser
	Flush() error
}

// encoder returns a writer that applies one coding; "bare" is deflate without its wrapper.
func encoder(t testing.TB, coding string, w io.Writer) (e flushWriter) {
	t.Helper()
	var err error
	switch strings.ToLower(coding) {
	case "gzip", "x-gzip":
		e = gzip.NewWriter(w)
	case "deflate":
		e = zlib.NewWriter(w)
	case "bare":
		e, err = flate.NewWriter(w, 6)
	case "br":
		e = brotli.NewWriterLevel(w, 5)
	case "zstd":
		e, err = zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(true), zstd.WithWindowSize(1<<20))
	default:
		err = fmt.Errorf("no encoder for %q", coding)
	}
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// coded returns plain with codings applied in their order.
func coded(t testing.TB, codings string, plain []byte) []byte {
	t.Helper()
	for coding := range http1.Elements(codings) {
		var b bytes.Buffer
		e := encoder(t, coding, &b)
		if _, err := e.Write(plain); err != nil {
			t.Fatal(err)
		}
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
		plain = b.Bytes()
	}
	return plain
}

// named is the value of Content-Encoding for one of the test's lists.
func named(codings string) string { return strings.ReplaceAll(codings, "bare", "deflate") }

// opened returns a Reader of src.
func opened(t testing.TB, src io.Reader, codings string, limits Limits) *Reader {
	t.Helper()
	r, err := NewReader(src, named(codings), limits)
	if err != nil {
		t.Fatalf("%s: %v", codings, err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// decoded reads a whole body.
func decoded(t testing.TB, body []byte, codings string) ([]byte, error) {
	t.Helper()
	r := opened(t, bytes.NewReader(body), codings, Limits{})
	defer r.Close()
	return io.ReadAll(r)
}

// text returns n bytes that compress as prose does.
func text(n int) []byte {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	words := strings.Fields("a body that has content codings is read as it comes, and what it may become has a bound")
	var b bytes.Buffer
	for b.Len() < n {
		b.WriteString(words[rng.IntN(len(words))])
		b.WriteByte(" \n,."[rng.IntN(4)])
	}
	return b.Bytes()[:n]
}

// noise returns n bytes that do not compress.
func noise(n int) []byte {
	rng := rand.New(rand.NewPCG(2, uint64(n)))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}

// pieces reads body byte by byte, or cut at one place.
func pieces(body []byte, cut int) io.Reader {
	if cut < 0 {
		return iotest.OneByteReader(bytes.NewReader(body))
	}
	return io.MultiReader(bytes.NewReader(body[:cut]), bytes.NewReader(body[cut:]))
}
