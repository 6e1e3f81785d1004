package process

import (
	"syscall"
	"time"
)

// CPUTime returns the CPU time that the process has used so far, in user and in system mode.
func CPUTime() (user, system time.Duration) {
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

// ticks converts f, a time span in units of 100 ns. Its Nanoseconds method cannot be used: that counts from 1970.
func ticks(f syscall.Filetime) time.Duration {
	return time.Duration(int64(f.HighDateTime)<<32|int64(f.LowDateTime)) * 100
}
