// Package keep tests guarantees that a net/http handler may rely on for a long time: values that it keeps never change,
// memory use does not grow with the size of a body, and an event stream lasts until its client closes it.
//
// It has only tests. Some take a flag: TestEvents runs for a minute with -events 1m.
package keep
