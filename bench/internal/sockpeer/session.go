package sockpeer

// session is the server's side of a connection. It works with blocking reads and with callbacks.
type session struct {
	send func(p []byte) error
	join func()         // joins the room
	tell func(p []byte) // sends a message to the room

	order string // the current order; "" if the next message is an order
	account
	said []byte
}

// take handles a message from the client.
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
