//go:build unix

package process

import (
	"syscall"
	"time"
)

// CPUTime returns the CPU time that the process has used so far, in user and in system mode.
func CPUTime() (user, system time.Duration) {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0, 0
	}
	return time.Duration(u.Utime.Nano()), time.Duration(u.Stime.Nano())
}
