// Package fields has the field values of the gRPC protocol ("gRPC over HTTP2"): grpc-timeout, grpc-message, grpc-status
// and the metadata whose names end in "-bin".
package fields

import (
	"math"
	"strconv"
	"time"
)

// ParseTimeout parses the value of grpc-timeout: one to eight digits and a unit. What a Duration cannot hold is the
// longest Duration.
func ParseTimeout(v []byte) (d time.Duration, ok bool) {
	if len(v) < 2 || len(v) > 9 {
		return 0, false
	}
	digits, unit := v[:len(v)-1], unitOf(v[len(v)-1])
	if unit == 0 {
		return 0, false
	}
	var n int64
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	if n > math.MaxInt64/int64(unit) {
		return math.MaxInt64, true
	}
	return time.Duration(n) * unit, true
}

// unitOf returns what a unit of grpc-timeout stands for, 0 if it is none.
func unitOf(c byte) time.Duration {
	for _, u := range units {
		if u.name == c {
			return u.d
		}
	}
	return 0
}

// units are the units of grpc-timeout, the finest first.
var units = [...]struct {
	name byte
	d    time.Duration
}{{'n', 1}, {'u', time.Microsecond}, {'m', time.Millisecond}, {'S', time.Second}, {'M', time.Minute}, {'H', time.Hour}}

// AppendTimeout appends d as the value of grpc-timeout, in the finest unit whose digits suffice, rounded up. A d that is
// not positive is no time at all.
func AppendTimeout(b []byte, d time.Duration) []byte {
	if d <= 0 {
		return append(b, "0n"...)
	}
	for _, u := range units {
		n := int64(d / u.d)
		if d%u.d > 0 {
			n++
		}
		if n < 1e8 {
			return append(strconv.AppendInt(b, n, 10), u.name)
		}
	}
	return append(b, "99999999H"...)
}
