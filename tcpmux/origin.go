package tcpmux

// origin is where a session gets its connections from. After one has broken, a dialler opens another one, and a listener waits
// for the peer's. Its methods are called with the session's lock held.
type origin interface {
	// attachedLocked is called when s has a connection.
	attachedLocked(s *Session)
	// brokenLocked is called when s has lost its connection and is to be resumed.
	brokenLocked(s *Session)
	// countHeldLocked is called when s has no connection and may hold more or fewer bytes than before, or has one again.
	countHeldLocked(s *Session)
	// endedLocked is called when s has ended.
	endedLocked(s *Session)
}

// noOrigin is the origin of sessions on connections that were passed to Client and Server. There is no other connection.
type noOrigin struct{}

func (noOrigin) attachedLocked(*Session)  {}
func (noOrigin) brokenLocked(*Session)    {}
func (noOrigin) countHeldLocked(*Session) {}
func (noOrigin) endedLocked(*Session)     {}
