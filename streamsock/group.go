package streamsock

import (
	"iter"
	"slices"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/wire/lenframe"
)

// SendMany sends p to the peers with these ids. p is framed once and shared by their queues. SendMany never waits: a peer
// without room is treated as Config.Slow says, and with BlockWhenSlow the message is dropped for it. It returns how many peers the
// message was sent to.
func (s *Socket) SendMany(ids []ID, p []byte) int {
	return sendAll(p, func(yield func(*Peer) bool) {
		for _, id := range ids {
			if peer, err := s.peers.get(id); err == nil && !yield(peer) {
				return
			}
		}
	})
}

// Broadcast is SendMany to all peers, including disconnected ones.
func (s *Socket) Broadcast(p []byte) int { return sendAll(p, slices.Values(s.peers.all())) }

// sendAll sends p to peers.
func sendAll(p []byte, to iter.Seq[*Peer]) (n int) {
	if lenframe.Check(len(p), 0) != nil {
		return 0
	}
	shared := bufpool.Share(lenframe.Append(bufpool.Get(lenframe.HeaderSize + len(p))[:0], p))
	defer shared.Release()
	m := outMsg{b: shared.Bytes()[lenframe.HeaderSize:], shared: shared}
	for peer := range to {
		if peer.send(m, noWaitDrop) == nil {
			n++
		}
	}
	return n
}

// Group is a named set of peers that get the same messages. It exists as long as it has members. A peer leaves its groups
// when it is gone. All methods may be called concurrently.
type Group struct {
	sock *hub
	name string
}

// Group returns the group with the given name.
func (s *Socket) Group(name string) Group { return Group{&s.hub, name} }

// Name returns the group's name.
func (g Group) Name() string { return g.name }

// Join makes p a member. It reports false if p is gone.
func (g Group) Join(p *Peer) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stay == gone {
		return false
	}
	if p.groups == nil {
		p.groups = map[string]struct{}{}
	}
	p.groups[g.name] = struct{}{}
	g.sock.groups.add(g.name, p)
	return true
}

// Leave removes p from the group. It does not wait for a Broadcast that is under way: that one may still send to p after Leave
// has returned.
func (g Group) Leave(p *Peer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.groups, g.name)
	g.sock.groups.remove(g.name, p)
}

// Len returns the number of members.
func (g Group) Len() int { return g.sock.groups.count(g.name) }

// Broadcast is Socket.SendMany to all members except those listed.
func (g Group) Broadcast(p []byte, except ...*Peer) int {
	return sendAll(p, slices.Values(g.sock.groups.list(g.name, except)))
}
