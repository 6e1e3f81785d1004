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

// decoder decodes one coding. Read returns io.EOF at the end of the encoded data.
type decoder interface {
	io.Reader
	// begin makes the decoder read from src, in which at least one byte is buffered.
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
	d.Multistream(false) // stage.begin goes on to the next member: it can tell the end of the file from an end within a header
	return err
}

// deflateDecoder decodes the zlib format (RFC 1950) or, if the data does not begin with its header, raw deflate (RFC
// 1951), which some servers send (RFC 9110 §8.4.1.2).
type deflateDecoder struct {
	zlib io.ReadCloser
	raw  io.ReadCloser
	io.Reader
}

func (d *deflateDecoder) begin(src *bufio.Reader) (err error) {
	if head, _ := src.Peek(2); len(head) == 2 && !isZlib(head) {
		return d.beginRaw(src)
	}
	if d.zlib == nil {
		d.zlib, err = zlib.NewReader(src)
	} else {
		err = d.zlib.(zlib.Resetter).Reset(src, nil)
	}
	d.Reader = d.zlib
	return err
}

func (d *deflateDecoder) beginRaw(src *bufio.Reader) error {
	if d.raw == nil {
		d.raw = flate.NewReader(src)
	}
	d.Reader = d.raw
	return d.raw.(flate.Resetter).Reset(src, nil)
}

// isZlib reports whether a stream that begins with head has the header of RFC 1950 §2.2: method 8, a window of at most 32
// KiB, and two bytes that are a multiple of 31. In raw deflate such a first byte would begin a stored block, with bits set
// that no encoder sets.
func isZlib(head []byte) bool {
	return head[0]&0x0f == 8 && head[0]>>4 <= 7 && (uint(head[0])<<8|uint(head[1]))%31 == 0
}

// brotliDecoder decodes br (RFC 7932). The encoded data must end where its source ends.
type brotliDecoder struct {
	brotli.Reader
	excess bool // the library has reported data after the end
}

func (d *brotliDecoder) begin(src *bufio.Reader) error {
	d.excess = false
	return d.Reset(src)
}

// Read ignores the first report of data after the end. The library reports it by mistake when the last bytes have arrived
// in small pieces, of which it keeps a copy; another Read then finds the end. If there is such data the library reports it
// again.
func (d *brotliDecoder) Read(p []byte) (n int, err error) {
	n, err = d.Reader.Read(p)
	if err != nil && !d.excess && err.Error() == "brotli: excessive input" {
		d.excess = true
		return n, nil
	}
	return n, err
}

// zstdDecoder decodes zstd (RFC 8878), one frame after the other.
type zstdDecoder struct{ *zstd.Decoder }

// newZstd returns a decoder that starts no goroutine and refuses windows of more than 8 MiB (RFC 9659 §3).
func newZstd() *zstdDecoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxZstdWindow))
	if err != nil {
		panic(err) // an option is out of range
	}
	return &zstdDecoder{d}
}

const maxZstdWindow = 8 << 20

func (d *zstdDecoder) begin(src *bufio.Reader) error { return d.Reset(src) }
