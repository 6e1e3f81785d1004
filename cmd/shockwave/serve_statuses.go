package main

import (
	"fmt"
	"strings"
	"sync/atomic"
)

// statuses counts answers by their status. All methods may be called concurrently.
type statuses struct {
	fine   spread // 200, by far the most
	others [1000]atomic.Int64
}

// spread is a counter whose work connections share, so that few of them write to the same memory. All methods may be
// called concurrently.
type spread struct {
	shares [16]countShare
	next   atomic.Uint32
}

// countShare is a counter on a cache line of its own.
type countShare struct {
	atomic.Int64
	_ [120]byte
}

// share returns where a connection counts.
func (s *spread) share() *atomic.Int64 { return &s.shares[s.next.Add(1)%uint32(len(s.shares))].Int64 }

// sum adds the shares up.
func (s *spread) sum() (n int64) {
	for i := range s.shares {
		n += s.shares[i].Load()
	}
	return n
}

// String tells them all: "1,204 × 200, 3 × 404".
func (s *statuses) String() string {
	var parts []string
	for code := range s.others {
		n := s.others[code].Load()
		if code == 200 {
			n += s.fine.sum()
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
