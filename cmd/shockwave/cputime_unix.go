//go:build unix

package main

import (
	"syscall"
	"time"
)

// cpuTime is what the process has used of the processors so far, in user and in system mode.
func cpuTime() (user, system time.Duration) {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0, 0
	}
	return time.Duration(u.Utime.Nano()), time.Duration(u.Stime.Nano())
}
