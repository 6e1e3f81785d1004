package websocket

import (
	"sync"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/join/backlog"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
	"github.com/shockwave-go/shockwave/websocket/internal/permessage"
)

// PreparedMessage is a message for many connections. It is framed and compressed only once. It is safe for concurrent
// use.
type PreparedMessage struct {
	t     MessageType
	key   string
	plain *bufpool.Shared // the frame of a server
	body  int             // offset of the payload in plain

	weight backlog.Weight // in the backlogs that it waits in

	once       sync.Once
	compressed *bufpool.Shared // the frame with a compressed payload, nil if that is not shorter
}

// Prepare returns a PreparedMessage with a copy of p. If t is neither text nor binary, SendPrepared returns an error and
// Broadcast sends nothing.
func Prepare(t MessageType, p []byte) *PreparedMessage { return PrepareKey("", t, p) }

// PrepareKey is Prepare of a message with a key: see Conn.SendKey.
func PrepareKey(key string, t MessageType, p []byte) *PreparedMessage {
	h := wsframe.Header{Kind: t.finalKind(), Length: int64(len(p))}
	m := &PreparedMessage{t: t, key: key, body: h.Size()}
	m.plain = bufpool.Share(append(wsframe.Append(make([]byte, 0, h.Size()+len(p)), h), p...))
	return m
}

func (m *PreparedMessage) payload() []byte { return m.plain.Bytes()[m.body:] }

// sendTo is SendPrepared. If wait is false, BlockWhenSlow drops the message instead of waiting for room.
func (m *PreparedMessage) sendTo(s *sender, wait bool) error {
	if !m.t.valid() {
		return errType
	}
	if s.role == wsframe.Client {
		return s.send(m.key, m.t, m.payload(), wait) // RFC 6455 §5.3: a client masks each frame with a key of its own
	}
	return s.post(backlog.Item{Shared: m.frameFor(s).Retain(), Key: m.key, Weight: &m.weight}, wait)
}

// frameFor returns the frame that a server sends to a peer. A connection with context takeover gets the uncompressed frame:
// its compressor has not seen the message, so the peer's decompressor must not see it either (RFC 7692 §7.2.3.2).
func (m *PreparedMessage) frameFor(s *sender) *bufpool.Shared {
	if n := len(m.payload()); !s.compresses(n) || !s.compress.PeerCanRead(n) {
		return m.plain
	}
	m.once.Do(m.compress)
	if m.compressed == nil {
		return m.plain
	}
	return m.compressed
}

func (m *PreparedMessage) compress() {
	p, err := permessage.CompressAlone(m.payload())
	if err != nil {
		return
	}
	defer bufpool.Put(p)
	if len(p) >= len(m.payload()) {
		return
	}
	h := wsframe.Header{Kind: m.t.finalKind().With(wsframe.RSV1), Length: int64(len(p))}
	m.compressed = bufpool.Share(append(wsframe.Append(make([]byte, 0, h.Size()+len(p)), h), p...))
}
