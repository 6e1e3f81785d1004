package tcpmux

import "time"

// Stats are the counters of a session.
type Stats struct {
	Channels                 int64 // now
	Sent, Received           int64 // messages
	SentBytes, ReceivedBytes int64 // of messages
	Unacked                  int64 // bytes on the wire that are kept because the peer has not acknowledged them
	Buffered                 int64 // received and not yet taken by Receive, as windows count it
	Resumed                  int64 // how often the session was resumed
	Resent                   int64 // bytes on the wire that were sent again
	RTT                      time.Duration
}

// Stats returns the current counters.
func (s *Session) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.core.Stats()
	return Stats{
		Channels: int64(s.core.Channels()), Sent: int64(k.Sent), Received: int64(k.Received), SentBytes: int64(k.SentBytes),
		ReceivedBytes: int64(k.ReceivedBytes), Unacked: int64(s.core.Kept()), Buffered: int64(max(s.core.Buffered(), 0)),
		Resumed: int64(s.resumeCount), Resent: int64(k.Resent), RTT: time.Duration(s.core.RTT()),
	}
}

// ChannelStats are the counters of a channel.
type ChannelStats struct {
	Sent, Acked, Received int64 // messages
	Dropped               int64 // messages sent with AtMostOnce that were dropped when a connection broke
	Buffered              int64 // received and not yet taken by Receive, as windows count it
	Window                int64 // current size of the receive window
}

// Stats returns the current counters.
func (c *Channel) Stats() ChannelStats {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	k := &c.core
	return ChannelStats{
		Sent: int64(k.Sent()), Acked: int64(k.Acked()), Received: int64(k.Received()), Dropped: int64(k.Voided()),
		Buffered: int64(k.Buffered()), Window: int64(k.Window()),
	}
}

// ListenerStats are the counters of a Listener.
type ListenerStats struct {
	Sessions int64 // now
	Waiting  int64 // of them, disconnected
	Accepted int64 // sessions in total
	Refused  int64 // connections
}

// Stats returns the current counters.
func (l *Listener) Stats() ListenerStats {
	l.mu.Lock()
	defer l.mu.Unlock()
	return ListenerStats{Sessions: int64(len(l.sessions)), Waiting: int64(len(l.waiting)), Accepted: l.accepted, Refused: l.refusals}
}
