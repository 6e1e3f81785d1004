//go:build !linux

package instructions

import "errors"

// Counter is not implemented on this system.
type Counter struct{}

// Count returns errors.ErrUnsupported.
func Count(int) (*Counter, error) { return nil, errors.ErrUnsupported }

// Read returns zeros.
func (*Counter) Read() (Number, error) { return Number{}, nil }

// Close does nothing.
func (*Counter) Close() {}
