package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
)

// mostComplaints is how many unexpected errors are printed in full.
const mostComplaints = 20

// tally counts the results of all clients.
type tally struct {
	mu         sync.Mutex
	requests   int64            // requests that got correct responses
	expected   int64            // expected failures
	unexpected int64            // unexpected failures
	episodes   map[string]int64 // successful episodes by kind
	complaints []string
	answered   requestSet
}

func newTally() *tally { return &tally{episodes: map[string]int64{}} }

// respond counts a request that got a whole and correct response.
func (t *tally) respond(number uint64) {
	t.answered.add(number)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.requests++
}

// expect counts an expected failure.
func (t *tally) expect() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.expected++
}

// episode counts an episode that has ended; err is nil or an unexpected error.
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

// succeeded reports whether an episode of this kind has.
func (t *tally) succeeded(kind string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.episodes[kind] > 0
}

// verdict prints the number of successful episodes of each kind. It returns an error if there were unexpected errors, or if
// no episode of a kind succeeded, because then that kind has tested nothing.
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
			return fmt.Errorf("%q has never succeeded in %v", k.name, slices.Sorted(maps.Keys(t.episodes)))
		}
	}
	return nil
}
