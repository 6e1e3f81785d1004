package cli

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Count is the value of a flag for a whole number, such as 64 or 10k.
type Count int

// String implements flag.Value.
func (c *Count) String() string { return strconv.Itoa(int(*c)) }

// Set implements flag.Value.
func (c *Count) Set(s string) error {
	f, err := Thousands(s)
	if err != nil || f != float64(int32(f)) {
		return errors.New("want a whole number such as 64 or 10k")
	}
	*c = Count(f)
	return nil
}

// Frequency is the value of a flag for events per second, such as 250, 0.5 or 10k.
type Frequency float64

// String implements flag.Value.
func (f *Frequency) String() string { return strconv.FormatFloat(float64(*f), 'f', -1, 64) }

// Set implements flag.Value.
func (f *Frequency) Set(s string) error {
	v, err := Thousands(s)
	if err != nil {
		return errors.New("want a number such as 250 or 10k")
	}
	*f = Frequency(v)
	return nil
}

// Thousands parses a finite number of at least 0 that may end in k.
func Thousands(s string) (float64, error) {
	digits, k := strings.CutSuffix(strings.ToLower(s), "k")
	v, err := strconv.ParseFloat(digits, 64)
	if k {
		v *= 1000
	}
	if err == nil && !(v >= 0 && v <= 1e12) {
		err = strconv.ErrRange
	}
	return v, err
}

// Span is the value of a flag for a duration of at least 0, such as 10s, 1m30s, or 10 for seconds.
type Span time.Duration

// String implements flag.Value.
func (d *Span) String() string { return time.Duration(*d).String() }

// Set implements flag.Value.
func (d *Span) Set(s string) error {
	v, err := time.ParseDuration(s)
	if err != nil {
		v, err = time.ParseDuration(s + "s")
	}
	if err != nil || v < 0 {
		return errors.New("want a time such as 10s or 2m")
	}
	*d = Span(v)
	return nil
}

// OrNone returns v, or -1 if v is 0.
func OrNone[T ~int | ~int64](v T) T {
	if v == 0 {
		return -1
	}
	return v
}

// Bytes is the value of a flag for a number of bytes, such as 1000, 64KiB or 16MiB.
type Bytes int64

var sizeUnits = []struct {
	name  string
	bytes int64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"B", 1}, {"", 1}}

// String implements flag.Value.
func (b *Bytes) String() string {
	for _, u := range slices.Backward(sizeUnits[:3]) {
		if *b != 0 && int64(*b)%u.bytes == 0 {
			return fmt.Sprint(int64(*b)/u.bytes, u.name)
		}
	}
	return strconv.FormatInt(int64(*b), 10)
}

// Set implements flag.Value.
func (b *Bytes) Set(s string) error {
	for _, u := range sizeUnits {
		digits, ok := strings.CutSuffix(s, u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseUint(digits, 10, 63)
		if err != nil || n > math.MaxInt64/uint64(u.bytes) {
			break
		}
		*b = Bytes(int64(n) * u.bytes)
		return nil
	}
	return errors.New("want a number of bytes such as 65536, 64KiB or 16MiB")
}
