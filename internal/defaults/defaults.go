// Package defaults resolves the fields of a Config, in which zero is the documented default and a negative limit or
// time is none.
package defaults

import "time"

// Set gives a field that is zero its default. A negative one stays, for whoever resolves it later.
func Set[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// SetLimit gives a field that is zero its default, and one that is negative zero, which means none from then on.
func SetLimit[T int | int64 | time.Duration](field *T, value T) {
	switch {
	case *field == 0:
		*field = value
	case *field < 0:
		*field = 0
	}
}
