// Package instructions counts the machine instructions that a process executes. Unlike CPU time, which varies because
// machines share processors and caches, the number of instructions is reproducible.
//
// Only Linux is supported (perf_event_open), and only where the processor's counters are accessible: many virtual
// machines have none, and kernel.perf_event_paranoid may forbid counting other processes.
package instructions

// Number is a number of executed instructions, in user mode and in the kernel on behalf of the process.
type Number struct{ User, Kernel int64 }

// Total returns the sum of both.
func (n Number) Total() int64 { return n.User + n.Kernel }

// Minus returns the difference n - m.
func (n Number) Minus(m Number) Number { return Number{n.User - m.User, n.Kernel - m.Kernel} }
