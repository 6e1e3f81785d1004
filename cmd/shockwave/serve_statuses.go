package main

import (
	"fmt"
	"strings"
	"sync/atomic"
)

// statuses counts answers by their status. All methods may be called concurrently.
type statuses struct {
	fine   [16]fineCount // 200, by far the most: connections share these counters so that few write to the same one
	next   atomic.Uint32
	others [1000]atomic.Int64
}

// fineCount is a counter on a cache line of its own.
type fineCount struct {
	atomic.Int64
	_ [120]byte
}

// share returns where a connection counts its 200s.
func (s *statuses) share() *atomic.Int64 { return &s.fine[s.next.Add(1)%uint32(len(s.fine))].Int64 }

// String tells them all: "1,204 × 200, 3 × 404".
func (s *statuses) String() string {
	var parts []string
	for code := range s.others {
		n := s.others[code].Load()
		if code == 200 {
			for i := range s.fine {
				n += s.fine[i].Load()
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%s × %d", grouped(n), code))
		}
	}
	if parts == nil {
		return "none yet"
	}
	return strings.Join(parts, ", ")
}
