package streamsock

import "sync"

// groups holds the members of each group.
type groups struct {
	mu      sync.Mutex
	members map[string]map[*Peer]struct{}
}

// remove removes p from the group with the given name.
func (all *groups) remove(name string, p *Peer) {
	all.mu.Lock()
	defer all.mu.Unlock()
	delete(all.members[name], p)
	if len(all.members[name]) == 0 {
		delete(all.members, name)
	}
}
