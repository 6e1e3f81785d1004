// Package secret has the cryptography of sessions that can be resumed.
//
// The two sides of a session agree on its secret with X25519 (RFC 7748); it is never sent, so an eavesdropper does not learn
// it. A new connection belongs to the session if its dialler proves that it knows the secret, with a MAC over nonces of both
// sides. With TLS the proof is only valid for that TLS connection (RFC 9266's exporter with a label of our own).
package secret

import (
	"crypto/ecdh"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"encoding/binary"
	"fmt"

	"github.com/shockwave-go/shockwave/internal/wire/muxframe"
)

// exporterLabel is the label of the keying material that binds a proof to its TLS connection (RFC 8446 §7.5).
const exporterLabel = "EXPORTER-shockwave-mux"

// Binding returns the keying material that binds a Proof to a TLS connection, nil without TLS.
func Binding(state *tls.ConnectionState) ([]byte, error) {
	if state == nil {
		return nil, nil
	}
	b, err := state.ExportKeyingMaterial(exporterLabel, nil, 32)
	if err != nil {
		return nil, fmt.Errorf("tcpmux: TLS: %w", err)
	}
	return b, nil
}

// NewKey returns a key pair for one session. It relies on crypto/rand, which does not fail.
func NewKey() (*ecdh.PrivateKey, muxframe.Key) {
	private, _ := ecdh.X25519().GenerateKey(rand.Reader)
	return private, muxframe.Key(private.PublicKey().Bytes())
}

// Secret is what the two sides of a session have agreed on.
type Secret [sha256.Size]byte

// Derive returns the secret of a session. hello and welcome are the encoded greetings that have started it.
func Derive(private *ecdh.PrivateKey, public muxframe.Key, hello, welcome, binding []byte) (k Secret, err error) {
	theirs, _ := ecdh.X25519().NewPublicKey(public[:]) // any 32 bytes are a public key (RFC 7748 §5)
	shared, err := private.ECDH(theirs)
	if err != nil {
		return k, err
	}
	h := hmac.New(sha256.New, shared)
	for _, part := range [][]byte{[]byte("shockwave mux secret"), hello, welcome, binding} {
		var size [4]byte
		binary.BigEndian.PutUint32(size[:], uint32(len(part)))
		h.Write(size[:])
		h.Write(part)
	}
	h.Sum(k[:0])
	return k, nil
}

// Proof has the inputs of the MAC with which a side proves that it knows the session's secret, on this connection.
type Proof struct {
	Secret                      Secret
	ID                          muxframe.ID
	DiallerNonce, ListenerNonce muxframe.Nonce
	Binding                     []byte
	DiallerReceived             uint64
	ListenerReceived            uint64 // 0 in the dialler's proof
}

// MAC returns the MAC of the given side.
func (p *Proof) MAC(side Side) (m muxframe.MAC) {
	h := hmac.New(sha256.New, p.Secret[:])
	h.Write([]byte(side))
	h.Write(p.ID[:])
	h.Write(p.DiallerNonce[:])
	h.Write(p.ListenerNonce[:])
	var counts [16]byte
	binary.BigEndian.PutUint64(counts[:], p.DiallerReceived)
	binary.BigEndian.PutUint64(counts[8:], p.ListenerReceived)
	h.Write(counts[:])
	h.Write(p.Binding)
	h.Sum(m[:0])
	return m
}

// Verify reports whether m is the MAC of the given side.
func (p *Proof) Verify(side Side, m muxframe.MAC) bool {
	want := p.MAC(side)
	return hmac.Equal(want[:], m[:])
}

// Side is one of the two sides of a session, as it is named in a MAC.
type Side string

// The sides.
const (
	Dialler  Side = "dialler"
	Listener Side = "listener"
)

// NewNonce returns a random number that is used once.
func NewNonce() (n muxframe.Nonce) {
	_, _ = rand.Read(n[:])
	return n
}
