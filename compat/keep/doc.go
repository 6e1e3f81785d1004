// Package keep holds tests of what a net/http handler may rely on for long: what it keeps never changes, memory stays
// flat however large a body is, and an event stream lives for as long as its client does.
//
// It has no code besides its tests. Those that take a flag say so: TestEvents runs for a minute with -events 1m.
package keep
