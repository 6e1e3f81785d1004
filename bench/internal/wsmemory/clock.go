package wsmemory

import (
	"math"
	"runtime"
	"syscall"
)

// clock counts the CPU time and the allocations of the process during n operations.
type clock struct {
	n       int
	seconds float64 // CPU time, user and system
	mallocs uint64
}

func (c *clock) start() {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	c.mallocs, c.seconds = m.Mallocs, used()
}

func (c *clock) stop(n int) {
	c.n, c.seconds = n, used()-c.seconds
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	c.mallocs = m.Mallocs - c.mallocs
}

func (c *clock) add(d *clock) {
	c.n, c.seconds, c.mallocs = c.n+d.n, c.seconds+d.seconds, c.mallocs+d.mallocs
}

// figures returns the figures of one operation. Allocations are rounded to hundredths, so that those that a connection makes
// once do not show.
func (c *clock) figures() map[string]float64 {
	each := 1 / float64(c.n)
	return map[string]float64{
		Nanoseconds: 1e9 * c.seconds * each,
		Allocs:      math.Round(100*float64(c.mallocs)*each) / 100,
	}
}

// used returns the CPU time of this process, in seconds.
func used() float64 {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)/1e6
}
