//go:build !linux

package instructions

import "errors"

// Counter counts nothing here.
type Counter struct{}

// Count fails with errors.ErrUnsupported.
func Count(int) (*Counter, error) { return nil, errors.ErrUnsupported }

// Read returns nothing.
func (*Counter) Read() (Number, error) { return Number{}, nil }

// Close does nothing.
func (*Counter) Close() {}
