package websocket

import (
	"sync"

	"github.com/shockwave-go/shockwave/internal/bufpool"
	"github.com/shockwave-go/shockwave/internal/wsframe"
)

// PreparedMessage is a message for many connections: it is framed once, and compressed once. It may be used
// concurrently.
type PreparedMessage struct {
	t     MessageType
	key   string
	plain *bufpool.Shared // frame of a server
	body  int             // where the payload begins in plain

	mu      sync.Mutex
	waiting int // in how many backlogs

	once     sync.Once
	squeezed *bufpool.Shared // frame with a compressed payload, nil if that is no shorter
}

// Prepare makes p ready to be sent. It copies p. With a t that is neither text nor binary SendPrepared refuses the message,
// and Broadcast sends it to nobody.
func Prepare(t MessageType, p []byte) *PreparedMessage { return PrepareKey("", t, p) }

// PrepareKey is Prepare of a message with a key: see Conn.SendKey.
func PrepareKey(key string, t MessageType, p []byte) *PreparedMessage {
	h := finalHeader(t)
	h.Length = int64(len(p))
	m := &PreparedMessage{t: t, key: key, body: h.Size()}
	m.plain = bufpool.Share(append(wsframe.Append(make([]byte, 0, h.Size()+len(p)), h), p...))
	return m
}

func (m *PreparedMessage) payload() []byte { return m.plain.Bytes()[m.body:] }

// frameFor returns the frame that a server sends to c. A compressor with a context has not seen the message, and its
// peer's must not see it either: it goes uncompressed (RFC 7692 §7.2.3.2).
func (m *PreparedMessage) frameFor(c *Conn) *bufpool.Shared {
	if n := len(m.payload()); !c.compresses(n) || !c.compress.takes(n) {
		return m.plain
	}
	m.once.Do(m.squeeze)
	if m.squeezed == nil {
		return m.plain
	}
	return m.squeezed
}

func (m *PreparedMessage) squeeze() {
	p, err := compressAlone(m.payload())
	if err != nil {
		return
	}
	defer bufpool.Put(p)
	if len(p) >= len(m.payload()) {
		return
	}
	h := wsframe.Header{Kind: wsframe.Kind{Opcode: wsframe.Opcode(m.t), RSV: wsframe.RSV1, Fin: true}, Length: int64(len(p))}
	m.squeezed = bufpool.Share(append(wsframe.Append(make([]byte, 0, h.Size()+len(p)), h), p...))
}
