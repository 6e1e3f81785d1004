package http3

import (
	"github.com/quic-go/quic-go"
)

// quicIdentity is what a listener has in common with others of the same port.
type quicIdentity struct {
	keys    *sharedKeys
	process uint16
}

// apply makes tr one of several. A nil identity leaves it alone.
func (id *quicIdentity) apply(tr *quic.Transport) {
	if id == nil {
		return
	}
	reset, token := quic.StatelessResetKey(id.keys.reset), quic.TokenGeneratorKey(id.keys.token)
	tr.ConnectionIDGenerator, tr.StatelessResetKey, tr.TokenGeneratorKey = id, &reset, &token
}

// GenerateConnectionID implements quic.ConnectionIDGenerator.
func (id *quicIdentity) GenerateConnectionID() (quic.ConnectionID, error) {
	var b [idLen]byte
	return quic.ConnectionIDFromBytes(appendID(b[:0], id.keys.id, id.process)), nil
}

// ConnectionIDLen implements quic.ConnectionIDGenerator.
func (id *quicIdentity) ConnectionIDLen() int { return idLen }
