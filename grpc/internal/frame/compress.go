package frame

import (
	"bytes"
	"io"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/status"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
)

// Compress compresses b[from:] in place.
func Compress(b []byte, from int, comp encoding.Compressor) ([]byte, error) {
	z := sink{bufpool.Get(len(b) - from)[:0]}
	defer func() { bufpool.Put(z.b) }()
	w, err := comp.Compress(&z)
	if err == nil {
		_, err = w.Write(b[from:])
		if err == nil {
			err = w.Close()
		}
	}
	if err != nil {
		return b, status.Errorf(codes.Internal, "grpc: the message could not be compressed: %v", err)
	}
	return append(b[:from], z.b...), nil
}

// sink collects what is written.
type sink struct{ b []byte }

func (s *sink) Write(p []byte) (int, error) {
	s.b = append(s.b, p...)
	return len(p), nil
}

// Decompress returns the decompressed p, which the caller owns until it gives it to bufpool.Put. It reads no more than
// most bytes: a message that is longer is the status ResourceExhausted.
func Decompress(p []byte, comp encoding.Compressor, most int) ([]byte, error) {
	r, err := comp.Decompress(bytes.NewReader(p))
	if err != nil {
		return nil, decompressError(err)
	}
	out := bufpool.Get(min(2*len(p)+64, most+1))[:0]
	for {
		if len(out) == cap(out) {
			out = bufpool.Grow(out, len(out)+1)[:len(out)]
		}
		n, err := r.Read(out[len(out):min(cap(out), most+1)])
		out = out[:len(out)+n]
		if len(out) > most {
			bufpool.Put(out)
			return nil, status.Errorf(codes.ResourceExhausted, "grpc: the decompressed message is larger than the limit of %d bytes", most)
		}
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			bufpool.Put(out)
			return nil, decompressError(err)
		}
	}
}

func decompressError(err error) error {
	return status.Errorf(codes.Internal, "grpc: the message could not be decompressed: %v", err)
}
