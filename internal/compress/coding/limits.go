package coding

import "github.com/shockwave-go/shockwave/internal/core/defaults"

// Limits bound the size of a decoded body. A zero field means its default, a negative one no limit. In a list of codings
// the limits apply to the result of each coding.
type Limits struct {
	// Bytes bounds the length of the decoded body. The default is DefaultBytes.
	Bytes int64
	// Ratio bounds the length of the decoded body to this multiple of the received bytes. The first 16 MiB are exempt;
	// they may be as compressible as they are. The default is DefaultRatio.
	Ratio int
}

const (
	// DefaultBytes is 1 GiB. That is far more than is usually read as a whole, and a small part of what a hostile body of
	// that received length could expand to. A program that loads larger files should raise it.
	DefaultBytes = 1 << 30
	// DefaultRatio is about what deflate achieves with zeros, which is at most 1032; half a GiB of them passes. br and
	// zstd achieve tens of thousands, and lists the product: such a body is stopped soon after its first 16 MiB.
	DefaultRatio = 1000

	ratioFree = 16 << 20
)

// withDefaults returns l with its defaults filled in. In the result zero means no limit.
func (l Limits) withDefaults() Limits {
	defaults.SetLimit(&l.Bytes, DefaultBytes)
	defaults.SetLimit(&l.Ratio, DefaultRatio)
	return l
}

// check returns an error if out decoded bytes, made from in received ones, exceed a limit.
func (l *Limits) check(in, out int64) error {
	switch {
	case l.Bytes > 0 && out > l.Bytes:
		return ErrTooBig
	case l.Ratio > 0 && (out-ratioFree)/int64(l.Ratio) > in:
		return ErrRatio
	}
	return nil
}
