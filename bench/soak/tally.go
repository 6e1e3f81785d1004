package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
)

// mostComplaints is how many unexpected errors are told in full.
const mostComplaints = 20

// tally is what the clients have seen.
type tally struct {
	mu         sync.Mutex
	requests   int64            // answered as they must be
	expected   int64            // failures that were due
	unexpected int64            // failures that were not
	episodes   map[string]int64 // by kind, those that ended well
	complaints []string
	answered   notes
}

func newTally() *tally { return &tally{episodes: map[string]int64{}} }

// answer counts a request that was answered whole and right.
func (t *tally) answer(number uint64) {
	t.answered.add(number)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.requests++
}

// due counts a failure that had to be.
func (t *tally) due() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.expected++
}

// episode counts the end of a client's episode; err is one that was not due.
func (t *tally) episode(kind string, to target, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err == nil {
		t.episodes[kind]++
		return
	}
	t.unexpected++
	if len(t.complaints) < mostComplaints {
		t.complaints = append(t.complaints, fmt.Sprintf("%s at %v: %v", kind, to, err))
	}
}

// verdict prints what was seen of each kind, and fails if something unexpected was, or if a kind has never ended well:
// then it has shown nothing.
func (t *tally) verdict(out io.Writer, all []kind) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, k := range all {
		fmt.Fprintf(out, "  %-14s %8d episodes\n", k.name, t.episodes[k.name])
	}
	for _, c := range t.complaints {
		fmt.Fprintln(out, "  unexpected:", c)
	}
	if t.unexpected > 0 {
		return fmt.Errorf("%d unexpected errors", t.unexpected)
	}
	for _, k := range all {
		if t.episodes[k.name] == 0 {
			return fmt.Errorf("%q has not ended well once in %v", k.name, slices.Sorted(maps.Keys(t.episodes)))
		}
	}
	return nil
}
