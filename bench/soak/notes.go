package main

import "sync"

// notes are numbers of requests that something happened to. The zero value keeps none; begin makes it keep.
type notes struct {
	mu  sync.Mutex
	set map[uint64]struct{}
}

// begin forgets what there is and keeps from now on.
func (n *notes) begin() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.set = map[uint64]struct{}{}
}

// add notes a number, if notes are kept.
func (n *notes) add(number uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.set != nil {
		n.set[number] = struct{}{}
	}
}

// end returns what was noted and keeps no more.
func (n *notes) end() map[uint64]struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	set := n.set
	n.set = nil
	return set
}
