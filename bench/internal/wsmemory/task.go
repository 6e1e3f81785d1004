// Package wsmemory measures the code of WebSocket peers without any I/O: frames are read from memory, and written bytes are
// only counted. It compares every byte once before it measures.
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
	Read    = "read"    // read a masked text into the caller's memory, or as a view in a callback
	Message = "message" // read a masked text into memory that the caller may keep
	Write   = "write"   // write a text
	Mask    = "mask"    // mask in place, compared with a loop over words of eight bytes
	UTF8    = "utf8"    // validate Chinese and Japanese, compared with unicode/utf8
)

// Keys of the figures.
const (
	Nanoseconds = "ns"
	Allocs      = "allocs"
	Writes      = "writes"   // calls of Write of the connection
	Other       = "other_ns" // nanoseconds of the code that it is compared with in the same process
	Speed       = "speed"    // how many times faster than that it is
)

// ErrNone means that a peer does not have a task.
var ErrNone = errors.New("nothing to measure")

// readers, keepers and writers start the tasks Read, Message and Write on a connection, by the names of the peers.
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

// Peers returns the peers that have a task, in the order of the reports.
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

// Measure makes a peer do a task repeatedly for about d and returns the figures per repetition. The error is ErrNone if the
// peer does not have the task.
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
	return nil, fmt.Errorf("%w: unknown task %q", ErrNone, task)
}
