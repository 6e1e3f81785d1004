package streamsock

import (
	"fmt"
	"testing"
)

// A peer keeps no group that it has left.
func TestLeftGroupsAreForgotten(t *testing.T) {
	s := New(Config{})
	defer s.Shutdown(t.Context())
	p := &Peer{sock: &s.hub}
	for k := range 100 {
		g := s.Group(fmt.Sprint(k))
		if !g.Join(p) || g.Len() != 1 {
			t.Fatal("the peer is not a member")
		}
		g.Leave(p)
		if g.Len() != 0 || len(p.groups) != 0 || len(s.groups.groups) != 0 {
			t.Fatalf("%d members, the peer remembers %d groups, the socket %d", g.Len(), len(p.groups), len(s.groups.groups))
		}
	}
}
