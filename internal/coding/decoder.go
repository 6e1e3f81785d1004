package coding

import (
	"bufio"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// decoder undoes one coding. It says io.EOF at the end of what is coded.
type decoder interface {
	io.Reader
	// begin has it read from src, in which at least one byte stands ready.
	begin(src *bufio.Reader) error
}

func newDecoder(k kind) decoder {
	switch k {
	case gzipKind:
		return new(gzipDecoder)
	case deflateKind:
		return new(deflateDecoder)
	case brotliKind:
		return new(brotliDecoder)
	}
	return newZstd()
}

// gzipDecoder reads one member of a gzip file (RFC 1952 §2.2).
type gzipDecoder struct{ gzip.Reader }

func (d *gzipDecoder) begin(src *bufio.Reader) error {
	err := d.Reset(src)
	d.Multistream(false) // the stage goes on to the next: it can tell the end of the file from one within a header
	return err
}

// deflateDecoder reads the zlib format (RFC 1950) or, if the first bytes are not of it, bare deflate (RFC 1951), which
// RFC 9110 §8.4.1.2 warns of.
type deflateDecoder struct {
	zlib io.ReadCloser
	bare io.ReadCloser
	io.Reader
}

func (d *deflateDecoder) begin(src *bufio.Reader) (err error) {
	if head, _ := src.Peek(2); len(head) == 2 && !isZlib(head) {
		return d.beginBare(src)
	}
	if d.zlib == nil {
		d.zlib, err = zlib.NewReader(src)
	} else {
		err = d.zlib.(zlib.Resetter).Reset(src, nil)
	}
	d.Reader = d.zlib
	return err
}

func (d *deflateDecoder) beginBare(src *bufio.Reader) error {
	if d.bare == nil {
		d.bare = flate.NewReader(src)
	}
	d.Reader = d.bare
	return d.bare.(flate.Resetter).Reset(src, nil)
}

// isZlib reports whether a stream that begins with head has the header of RFC 1950 §2.2: the method 8, a window of at most
// 32 KiB, and a check that the two bytes are a multiple of 31. Of bare deflate such a first byte would be the beginning
// of a stored block with bits set that no encoder sets.
func isZlib(head []byte) bool {
	return head[0]&0x0f == 8 && head[0]>>4 <= 7 && (uint(head[0])<<8|uint(head[1]))%31 == 0
}

// brotliDecoder reads br (RFC 7932), which ends where its source does.
type brotliDecoder struct {
	brotli.Reader
	excess bool // the library has said that bytes come behind the end
}

func (d *brotliDecoder) begin(src *bufio.Reader) error {
	d.excess = false
	return d.Reset(src)
}

// Read asks twice whether bytes come behind the end. The library also says so when the last bytes have come in small
// pieces, of which it keeps a copy, and then a second Read finds the end; if bytes do come, it says so again.
func (d *brotliDecoder) Read(p []byte) (n int, err error) {
	n, err = d.Reader.Read(p)
	if err != nil && !d.excess && err.Error() == "brotli: excessive input" {
		d.excess = true
		return n, nil
	}
	return n, err
}

// zstdDecoder reads zstd (RFC 8878), frame after frame.
type zstdDecoder struct{ *zstd.Decoder }

// newZstd returns one that starts no goroutine and refuses windows of more than 8 MiB (RFC 9659 §3).
func newZstd() *zstdDecoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxZstdWindow))
	if err != nil {
		panic(err) // the options are out of bounds
	}
	return &zstdDecoder{d}
}

const maxZstdWindow = 8 << 20

func (d *zstdDecoder) begin(src *bufio.Reader) error { return d.Reset(src) }
