package main

import (
	"syscall"
	"time"
)

// cpuTime is what the process has used of the processors so far, in user and in system mode.
func cpuTime() (user, system time.Duration) {
	self, err := syscall.GetCurrentProcess()
	if err != nil {
		return 0, 0
	}
	var creation, exit, inKernel, inUser syscall.Filetime
	if syscall.GetProcessTimes(self, &creation, &exit, &inKernel, &inUser) != nil {
		return 0, 0
	}
	return ticks(inUser), ticks(inKernel)
}

// ticks reads f as a span of time in units of 100 ns. (Its Nanoseconds method would count from 1970.)
func ticks(f syscall.Filetime) time.Duration {
	return time.Duration(int64(f.HighDateTime)<<32|int64(f.LowDateTime)) * 100
}
