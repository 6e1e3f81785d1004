package tcpmux

import "time"

// Stats are the counters of a session.
type Stats struct {
	Channels                 int    // at the moment
	Sent, Received           uint64 // messages
	SentBytes, ReceivedBytes uint64 // of messages
	Unacked                  uint64 // bytes on the wire that are kept to be sent again
	Buffered                 uint64 // what was received and nobody has taken, as windows count it
	Resumed                  uint64 // how often the session was resumed
	Resent                   uint64 // bytes on the wire that were sent again
	RTT                      time.Duration
}

// Stats returns the counters as they are now.
func (s *Session) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.core.Stats()
	return Stats{
		Channels: s.core.Channels(), Sent: k.Sent, Received: k.Received, SentBytes: k.SentBytes,
		ReceivedBytes: k.ReceivedBytes, Unacked: uint64(s.core.Kept()), Buffered: uint64(max(s.core.Buffered(), 0)),
		Resumed: s.resumed, Resent: k.Resent, RTT: time.Duration(s.core.RTT()),
	}
}

// ChannelStats are the counters of a channel.
type ChannelStats struct {
	Sent, Acked, Received uint64 // messages
	Dropped               uint64 // messages that were sent with AtMostOnce, and dropped when a connection broke
	Buffered              int    // what was received and nobody has taken, as windows count it
	Window                int    // how large the receive window has become
}

// Stats returns the counters as they are now.
func (c *Channel) Stats() ChannelStats {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	k := &c.core
	return ChannelStats{
		Sent: k.Sent(), Acked: k.Acked(), Received: k.Received(), Dropped: k.Voided(), Buffered: k.Buffered(), Window: k.Window(),
	}
}

// ListenerStats are the counters of a Listener.
type ListenerStats struct {
	Sessions int    // at the moment
	Waiting  int    // of them, for their peers
	Begun    uint64 // sessions
	Refused  uint64 // connections
}

// Stats returns the counters as they are now.
func (l *Listener) Stats() ListenerStats {
	l.mu.Lock()
	defer l.mu.Unlock()
	return ListenerStats{Sessions: len(l.sessions), Waiting: len(l.waiting), Begun: l.begun, Refused: l.refusals}
}
