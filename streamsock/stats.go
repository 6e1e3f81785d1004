package streamsock

// Stats are the counters of a socket. Those of messages are sums over all peers, also over those that are gone: what
// a peer has dropped because it is gone is among Dropped.
type Stats struct {
	Peers                      int
	Accepted, Dialled, Refused uint64 // connections
	Buffered                   int64  // bytes that were received and nobody has taken, as Config.ReceiveBytes counts them

	Received, ReceivedBytes uint64 // messages that came in, and their payload
	Sent, SentBytes         uint64 // messages that were given to a connection
	Queued                  int    // messages that wait
	QueuedBytes             int64
	Dropped                 uint64
}

// Stats returns the counters as they are now. It looks at every peer.
func (s *Socket) Stats() Stats {
	peers, all := s.peers.everybody()
	for _, p := range peers {
		one := p.Stats()
		all.add(&one)
		all.Queued += one.Queued
		all.QueuedBytes += one.QueuedBytes
	}
	s.inbox.mu.Lock()
	all.Buffered = s.inbox.held
	s.inbox.mu.Unlock()
	all.Peers = len(peers)
	all.Accepted, all.Dialled, all.Refused = s.counts.accepted.Load(), s.counts.dialled.Load(), s.counts.refused.Load()
	return all
}

// add takes in what a peer has counted.
func (s *Stats) add(p *PeerStats) {
	s.Received += p.Received
	s.ReceivedBytes += p.ReceivedBytes
	s.Sent += p.Sent
	s.SentBytes += p.SentBytes
	s.Dropped += p.Dropped
}
