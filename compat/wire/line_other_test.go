//go:build !linux

package wire

import "errors"

func newLine(weather, uint64) (network, error) {
	return nil, errors.New("they are Linux's")
}
