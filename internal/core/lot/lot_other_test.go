//go:build !linux

package lot

import "testing"

// On a system without epoll there is no lot, and no panic.
func TestNoLot(t *testing.T) {
	if l, err := Open(); l != nil || err == nil {
		t.Errorf("Open: %v, %v", l, err)
	}
}
