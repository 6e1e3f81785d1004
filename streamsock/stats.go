package streamsock

// Stats are the counters of a socket. Message counters are sums over all peers, including those that are gone. Dropped
// includes messages that were queued for a peer when it was gone.
type Stats struct {
	Peers                      int64
	Accepted, Dialled, Refused int64 // connections
	Buffered                   int64 // received and not yet taken by Recv, as Config.ReceiveBytes counts

	Received, ReceivedBytes int64 // messages, and their payload bytes
	Sent, SentBytes         int64 // messages that were passed to a connection, and their payload bytes
	Queued                  int64 // messages in queues
	QueuedBytes             int64
	Dropped                 int64
}

// Stats returns the current counters. Its time is linear in the number of peers.
func (s *Socket) Stats() Stats {
	peers, all := s.peers.snapshot()
	for _, p := range peers {
		one := p.Stats()
		all.add(&one)
		all.Queued += one.Queued
		all.QueuedBytes += one.QueuedBytes
	}
	s.inbox.mu.Lock()
	all.Buffered = s.inbox.held
	s.inbox.mu.Unlock()
	all.Peers = int64(len(peers))
	all.Accepted, all.Dialled, all.Refused = s.counts.accepted.Load(), s.counts.dialled.Load(), s.counts.refused.Load()
	return all
}

// add adds the counters of a peer.
func (s *Stats) add(p *PeerStats) {
	s.Received += p.Received
	s.ReceivedBytes += p.ReceivedBytes
	s.Sent += p.Sent
	s.SentBytes += p.SentBytes
	s.Dropped += p.Dropped
}
