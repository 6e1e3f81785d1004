package tcpmux

import "time"

// Stats are the counters of a session.
type Stats struct {
	Channels                 int    // now
	Sent, Received           uint64 // messages
	SentBytes, ReceivedBytes uint64 // of messages
	Unacked                  uint64 // bytes on the wire that are kept because the peer has not acknowledged them
	Buffered                 uint64 // received and not yet taken by Receive, as windows count it
	Resumed                  uint64 // how often the session was resumed
	Resent                   uint64 // bytes on the wire that were sent again
	RTT                      time.Duration
}

// Stats returns the current counters.
func (s *Session) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.core.Stats()
	return Stats{
		Channels: s.core.Channels(), Sent: k.Sent, Received: k.Received, SentBytes: k.SentBytes,
		ReceivedBytes: k.ReceivedBytes, Unacked: uint64(s.core.Kept()), Buffered: uint64(max(s.core.Buffered(), 0)),
		Resumed: uint64(s.resumeCount), Resent: k.Resent, RTT: time.Duration(s.core.RTT()),
	}
}

// ChannelStats are the counters of a channel.
type ChannelStats struct {
	Sent, Acked, Received uint64 // messages
	Dropped               uint64 // messages sent with AtMostOnce that were dropped when a connection broke
	Buffered              int    // received and not yet taken by Receive, as windows count it
	Window                int    // current size of the receive window
}

// Stats returns the current counters.
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
	Sessions int    // now
	Waiting  int    // of them, disconnected
	Begun    uint64 // sessions in total
	Refused  uint64 // connections
}

// Stats returns the current counters.
func (l *Listener) Stats() ListenerStats {
	l.mu.Lock()
	defer l.mu.Unlock()
	return ListenerStats{Sessions: len(l.sessions), Waiting: len(l.waiting), Begun: l.begun, Refused: l.refusals}
}
