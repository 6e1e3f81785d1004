package streamsock

import (
	"slices"
	"sync"
)

// members has the members of each group, by the group's name. A group exists while it has members. All methods may be called
// concurrently.
type members[M comparable] struct {
	mu     sync.Mutex
	groups map[string]map[M]struct{}
}

// add makes m a member.
func (all *members[M]) add(name string, m M) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.groups == nil {
		all.groups = map[string]map[M]struct{}{}
	}
	if all.groups[name] == nil {
		all.groups[name] = map[M]struct{}{}
	}
	all.groups[name][m] = struct{}{}
}

// remove removes m.
func (all *members[M]) remove(name string, m M) {
	all.mu.Lock()
	defer all.mu.Unlock()
	delete(all.groups[name], m)
	if len(all.groups[name]) == 0 {
		delete(all.groups, name)
	}
}

// count returns the number of members.
func (all *members[M]) count(name string) int {
	all.mu.Lock()
	defer all.mu.Unlock()
	return len(all.groups[name])
}

// list returns the members, without those in except.
func (all *members[M]) list(name string, except []M) []M {
	all.mu.Lock()
	defer all.mu.Unlock()
	list := make([]M, 0, len(all.groups[name]))
	for m := range all.groups[name] {
		if !slices.Contains(except, m) {
			list = append(list, m)
		}
	}
	return list
}
