package udp

import (
	"errors"
	"slices"
	"syscall"
)

// IsAny reports whether err is one of the given error numbers.
func IsAny(err error, of ...syscall.Errno) bool {
	return slices.ContainsFunc(of, func(e syscall.Errno) bool { return errors.Is(err, e) })
}
