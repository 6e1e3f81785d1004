package streamsock

// ID is the routing id of a peer, 1 to Config.LastID. 0 is not used.
type ID uint32

// Kind is the kind of a Message: a message or an event. A peer cannot send a message that looks like an event.
type Kind uint8

// The kinds.
const (
	KindBinary        Kind = iota + 1 // a binary message
	KindText                          // a text message on ws or wss, valid UTF-8; only with Config.Text
	EventConnected                    // the peer is connected and its handshake is complete
	EventReconnected                  // the same peer has a connection again after an EventDisconnected
	EventDisconnected                 // the peer's connection has ended; delivered once, after all messages of that connection
)

var kinds = [...]string{"", "binary", "text", "connected", "reconnected", "disconnected"}

// String returns the name of the kind.
func (k Kind) String() string { return kinds[k] }

// IsEvent reports whether k is an event, which has no Data.
func (k Kind) IsEvent() bool { return k > KindText }
