package streamsock

import (
	"sync"
	"sync/atomic"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
)

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

// messageOverhead is how much a received message counts for besides its bytes, for the memory of its bookkeeping.
const messageOverhead = 64

// cost returns how much a received message counts for in the inbox; an event is free.
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

// hold counts the messages that share a piece of memory.
type hold struct {
	shared *bufpool.Shared // the read buffer they lie in, or
	lease  []byte
	left   atomic.Int32
}

var holds = sync.Pool{New: func() any { return new(hold) }}

// newHold returns a hold for n messages.
func newHold(shared *bufpool.Shared, lease []byte, n int) *hold {
	h := holds.Get().(*hold)
	h.shared, h.lease = shared, lease
	h.left.Store(int32(n))
	return h
}

func (h *hold) release() {
	if h.left.Add(-1) > 0 {
		return
	}
	if h.shared != nil {
		h.shared.Release()
	}
	bufpool.Put(h.lease)
	h.shared, h.lease = nil, nil
	holds.Put(h)
}
