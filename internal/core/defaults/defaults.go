// Package defaults resolves the fields of a Config, where zero means the documented default and a negative limit or
// duration means none.
package defaults

import "time"

// Set replaces a zero field by its default. It keeps a negative one, which is resolved later.
func Set[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// SetLimit replaces a zero field by its default, and a negative one by zero, which means none from then on.
func SetLimit[T int | int64 | time.Duration](field *T, value T) {
	switch {
	case *field == 0:
		*field = value
	case *field < 0:
		*field = 0
	}
}
