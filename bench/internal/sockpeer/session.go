package sockpeer

// session is what a server does for a connection, however it is told of messages.
type session struct {
	send func(p []byte) error
	join func()         // enters the room
	tell func(p []byte) // the room

	order string // empty: none is being followed
	account
	said []byte
}

// take takes a message.
func (s *session) take(p []byte) error {
	switch {
	case s.order == OrderRoom:
		s.tell(p)
		return nil
	case s.order == "":
		if s.order = string(p); s.order == OrderRoom {
			s.join()
		}
		s.account = begin()
		return nil
	case len(p) == 0:
		s.order = ""
		s.said = s.account.append(s.said[:0])
		return s.send(s.said)
	}
	s.check(p)
	if s.order == OrderEcho {
		return s.send(p)
	}
	return nil
}
