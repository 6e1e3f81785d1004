package main

import (
	"fmt"
	"os"
	"runtime"
)

// vitals are the resource usage and the counters of the server process at one moment.
type vitals struct {
	RSS         int64 // resident memory, bytes
	Heap        int64 // bytes of heap objects, including those that are not collected yet
	Goroutines  int
	Descriptors int
	Threads     int
	Open        int64 // open connections
	Parked      int64 // open connections without goroutine and buffer
	Streams     int64 // open event streams
	Requests    int64 // complete request heads since the servers started
	Panics      int64
	Timeouts    int64 // connections whose peer was too slow
}

// takeVitals returns the vitals of this process. h is nil if no servers run.
func takeVitals(h *serverGroup) (v vitals, err error) {
	s := h.stats()
	v = vitals{
		Goroutines: runtime.NumGoroutine(), Open: s.OpenConnections, Parked: s.ParkedConnections,
		Requests: s.Requests, Panics: s.Panics, Timeouts: s.Timeouts,
	}
	if h != nil {
		v.Streams = h.streams.Load()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	v.Heap = int64(m.HeapAlloc)
	var size, resident int64
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return v, err
	}
	if _, err := fmt.Sscan(string(text), &size, &resident); err != nil {
		return v, err
	}
	v.RSS = resident * int64(os.Getpagesize())
	descriptors, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return v, err
	}
	v.Descriptors = len(descriptors) - 1 // without the one that reads the directory
	threads, err := os.ReadDir("/proc/self/task")
	v.Threads = len(threads)
	return v, err
}

// String returns the resource usage as a part of an output line.
func (v vitals) String() string {
	return fmt.Sprintf("rss %5.1f MB, heap %5.1f MB, %d goroutines, %d descriptors, %d parked, %d streams",
		megabytes(v.RSS), megabytes(v.Heap), v.Goroutines, v.Descriptors, v.Parked, v.Streams)
}

func megabytes(n int64) float64 { return float64(n) / (1 << 20) }
