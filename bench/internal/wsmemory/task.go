// Package wsmemory measures the code of WebSocket peers without any I/O: frames lie in memory, and what is written is
// counted. Whatever is measured is checked first, byte by byte.
package wsmemory

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/wspeer"
)

// The tasks. All are about 1 KiB.
const (
	Read    = "read"    // a masked text into memory of the caller's, or as a view of it
	Message = "message" // the same into memory that the reader may keep
	Write   = "write"   // a text
	Mask    = "mask"    // in place, beside a loop over words of eight bytes
	UTF8    = "utf8"    // Chinese and Japanese, beside unicode/utf8
)

// Keys of the figures.
const (
	Nanoseconds = "ns"
	Allocs      = "allocs"
	Writes      = "writes"   // on the connection
	Other       = "other_ns" // of what it is compared with in the same process
	Speed       = "speed"    // how much faster it is than that
)

// ErrNone means that a peer has no such task.
var ErrNone = errors.New("nothing to measure")

// readers and writers by the names of their peers; each is made for a connection.
var (
	readers = map[string]func(s *stream, got func(p []byte)) (func() error, error){
		wspeer.Blocking: readInto, wspeer.Callbacks: readViews, wspeer.Gorilla: readGorilla, wspeer.Coder: readCoder,
		wspeer.Gobwas: readGobwas, wspeer.GWS: readGWS,
	}
	keepers = map[string]func(s *stream, got func(p []byte)) (func() error, error){
		wspeer.Blocking: keepOurs, wspeer.Gorilla: keepGorilla, wspeer.Coder: keepCoder, wspeer.Gobwas: keepGobwas,
		wspeer.GWS: readGWS,
	}
	writers = map[string]func(s *stream) (func(p []byte) error, error){
		wspeer.Blocking: writeOurs, wspeer.Gorilla: writeGorilla, wspeer.Coder: writeCoder, wspeer.Gobwas: writeGobwas,
		wspeer.GWS: writeGWS,
	}
)

// Peers returns who has a task, in the order of the reports.
func Peers(task string) []string {
	var names []string
	switch task {
	case Read:
		names = slices.Collect(maps.Keys(readers))
	case Message:
		names = slices.Collect(maps.Keys(keepers))
	case Write:
		names = slices.Collect(maps.Keys(writers))
	default:
		names = []string{wspeer.Blocking}
	}
	return slices.DeleteFunc(slices.Clone(wspeer.All), func(name string) bool { return !slices.Contains(names, name) })
}

// Measure has a peer do a task for about d and returns its figures for one time. ErrNone means that it has none.
func Measure(task, name string, d time.Duration) (map[string]float64, error) {
	if !slices.Contains(Peers(task), name) {
		return nil, fmt.Errorf("%w: %s of %s", ErrNone, task, name)
	}
	switch task {
	case Read:
		return measureReading(readers[name], d)
	case Message:
		return measureReading(keepers[name], d)
	case Write:
		return measureWriting(writers[name], d)
	case Mask:
		return measureMask(d)
	case UTF8:
		return measureUTF8(d)
	}
	return nil, fmt.Errorf("%w: there is no task %q", ErrNone, task)
}
