package server

// agree gives the status line at dst[start:] the version of the request, if the server answers in kind.
func (m *h1Message) agree(dst []byte, start int) []byte {
	if m.head.Minor == 0 && m.res.keeps(answersInKind) {
		dst[start+len("HTTP/1.")] = '0'
	}
	return dst
}

// closesUnsaid tells whether the answer ends the connection without a word: a status line of HTTP/1.0 says it
// (RFC 9112 §9.3). A wish of the handler's is passed on.
func (m *h1Message) closesUnsaid(a asked) bool {
	return m.head.Minor == 0 && m.res.keeps(answersInKind) && !a.wishes.has(wantsClose)
}

// leavesBody tells whether a body that a handler has left in full duplex ends the connection.
func (m *h1Message) leavesBody() bool {
	body := &m.req.body
	return m.res.duplex && m.res.keeps(abandonsDuplex) && (!body.Ended() || body.Held() > 0)
}
