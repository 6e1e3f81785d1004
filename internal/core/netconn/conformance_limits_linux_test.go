package netconn_test

import (
	"syscall"
	"testing"
)

// manyConnections returns how many connections this process can hold both ends of: 3000 if it may.
func manyConnections(t *testing.T) int {
	t.Helper()
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	most := min(3000, (int(min(limit.Cur, 1<<20))-500)/2)
	if testing.Short() || raceEnabled {
		most = min(most, 1000)
	}
	if most < 100 {
		t.Skipf("only %d descriptors", limit.Cur)
	}
	return most
}
