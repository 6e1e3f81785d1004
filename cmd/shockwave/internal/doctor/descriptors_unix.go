//go:build unix

package doctor

import (
	"fmt"
	"syscall"
)

// descriptorLimit returns the process's limits of open descriptors.
func descriptorLimit() (soft, hard uint64, err error) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0, 0, fmt.Errorf("getrlimit: %w", err)
	}
	return uint64(limit.Cur), uint64(limit.Max), nil
}
