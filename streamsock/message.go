package streamsock

import (
	"sync"
	"sync/atomic"

	"github.com/shockwave-go/shockwave/internal/bufpool"
)

// ID is the routing id of a peer: 1 to Config.LastID. 0 is nobody's.
type ID uint32

// Kind says what a Message is. No payload can make a message an event.
type Kind uint8

// The kinds.
const (
	Binary       Kind = iota + 1 // a message
	Text                         // a text message of ws or wss, which is UTF-8; only with Config.Text
	Connected                    // the peer is there: its connection and handshake are complete
	Reconnected                  // the same peer, after a Disconnected
	Disconnected                 // its connection is over; behind all messages that came on it, and once
)

var kinds = [...]string{"", "binary", "text", "connected", "reconnected", "disconnected"}

// String returns the name of the kind.
func (k Kind) String() string { return kinds[k] }

// IsEvent reports whether the message is an event, which has no Data.
func (k Kind) IsEvent() bool { return k > Text }

// Message is something received: a message of a peer, or an event about it.
type Message struct {
	Peer *Peer
	Kind Kind
	Data []byte // until Release, and for ever if that is not called
	End  *End   // of a Disconnected: why

	hold *hold
}

// burden is what a message that waits to be taken counts for beside its bytes: it is more than a pointer.
const burden = 64

// cost is what a message that waits to be taken counts for; events do not.
func (m *Message) cost() int64 {
	if m.Kind.IsEvent() {
		return 0
	}
	return int64(len(m.Data)) + burden
}

// Release gives the memory of Data back. It may be called once, or not at all: then the garbage collector has it. On what
// a callback is given it does nothing.
func (m *Message) Release() {
	if m.hold != nil {
		m.hold.release()
		m.hold, m.Data = nil, nil
	}
}

// hold is the memory of messages that arrived together.
type hold struct {
	shared *bufpool.Shared // what they lie in, or
	lease  []byte
	left   atomic.Int32
}

var holds = sync.Pool{New: func() any { return new(hold) }}

// newHold returns the hold of n messages.
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
