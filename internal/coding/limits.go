package coding

import "github.com/shockwave-go/shockwave/internal/defaults"

// Limits bound what a body may become. A zero field is its default, a negative one no limit. In a list each coding's
// result is bounded, not only the last one's.
type Limits struct {
	// Bytes is how long a body may become. The default is DefaultBytes.
	Bytes int64
	// Ratio is how many times longer than what was received it may become, its first 16 MiB left out: they may be as empty
	// as they are. The default is DefaultRatio.
	Ratio int
}

const (
	// DefaultBytes is 1 GiB: far more than what is usually read as a whole, and a small part of what a hostile body of
	// the same length on the network can become. Who loads larger files asks for that.
	DefaultBytes = 1 << 30
	// DefaultRatio is about what deflate makes of zeros: 1032 bytes of one at the most, of which half a GiB passes. br and
	// zstd come to tens of thousands, and lists to the product: such a body ends a little behind its first 16 MiB.
	DefaultRatio = 1000

	ratioFrom = 16 << 20
)

// resolved returns l with its defaults, in which zero is no limit.
func (l Limits) resolved() Limits {
	defaults.SetLimit(&l.Bytes, DefaultBytes)
	defaults.SetLimit(&l.Ratio, DefaultRatio)
	return l
}

// judge returns what is wrong with out bytes that were made of in.
func (l *Limits) judge(in, out int64) error {
	switch {
	case l.Bytes > 0 && out > l.Bytes:
		return ErrTooBig
	case l.Ratio > 0 && (out-ratioFrom)/int64(l.Ratio) > in:
		return ErrRatio
	}
	return nil
}
