package streamsock

// Message is a received message, or an event about a peer. Those of one peer come in the order in which they happened. Those of
// different peers come in no order: a peer that comes back as another one may be Connected before it is told how its old
// connection has ended.
type Message struct {
	Peer *Peer
	Kind Kind
	Data []byte // valid until Release; for ever if Release is not called
	End  *End   // why the connection has ended, for EventDisconnected

	hold *hold
}

// messageOverhead is added to the bytes of a received message when it is counted, for the memory of its bookkeeping.
const messageOverhead = 64

// cost returns the bytes that a received message counts as in the inbox; an event counts as none.
func (m *Message) cost() int64 {
	if m.Kind.IsEvent() {
		return 0
	}
	return int64(len(m.Data)) + messageOverhead
}

// Release returns the memory of Data to the pool. It must be called at most once; without it the garbage collector frees the
// memory. It does nothing for a Message passed to Config.OnMessage.
func (m *Message) Release() {
	if m.hold != nil {
		m.hold.release()
		m.hold, m.Data = nil, nil
	}
}
