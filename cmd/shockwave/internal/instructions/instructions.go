// Package instructions counts the machine instructions that a process executes. Where processor time has moods, for
// machines share their processors and caches, the number of instructions has none.
//
// Only Linux is supported (perf_event_open), on processors whose counters can be had: many virtual machines have none,
// and kernel.perf_event_paranoid may keep them from others' processes.
package instructions

// Number is how many instructions were executed: by the program itself, and by the kernel on its behalf.
type Number struct{ User, Kernel int64 }

// Total is the sum of both.
func (n Number) Total() int64 { return n.User + n.Kernel }

// Minus returns how many more n are than m.
func (n Number) Minus(m Number) Number { return Number{n.User - m.User, n.Kernel - m.Kernel} }
