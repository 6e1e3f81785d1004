package main

import "sync"

// requestSet is a set of request numbers. It records numbers only between begin and end. It is safe for concurrent use.
type requestSet struct {
	mu  sync.Mutex
	set map[uint64]struct{}
}

// begin empties the set and starts recording.
func (n *requestSet) begin() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.set = map[uint64]struct{}{}
}

// add records a number, if recording.
func (n *requestSet) add(number uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.set != nil {
		n.set[number] = struct{}{}
	}
}

// end stops recording and returns the recorded numbers.
func (n *requestSet) end() map[uint64]struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	set := n.set
	n.set = nil
	return set
}
