//go:build !linux

package netconn_test

import "testing"

// manyConnections returns how many connections this process can hold both ends of.
func manyConnections(*testing.T) int { return 100 }
