package streamsock

import "time"

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

// add adds the counters of a peer.
func (s *Stats) add(p *PeerStats) {
	s.Received += p.Received
	s.ReceivedBytes += p.ReceivedBytes
	s.Sent += p.Sent
	s.SentBytes += p.SentBytes
	s.Dropped += p.Dropped
}

// PeerStats are the counters of a peer, over all its connections.
type PeerStats struct {
	Received, ReceivedBytes int64 // messages, and their payload bytes
	Sent, SentBytes         int64 // messages that were passed to a connection, and their payload bytes
	Queued                  int64 // messages in the queue
	QueuedBytes             int64
	Dropped                 int64     // by Config.Slow, or because the peer was gone
	Connections             int64     // in total
	Window                  int64     // bound of the connection's unsent bytes; 0: the system decides
	Since                   time.Time // when the connection began; zero without one
}
