package tcpmux

import (
	"crypto/ecdh"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"encoding/binary"
	"fmt"

	"github.com/shockwave-go/shockwave/internal/muxframe"
)

// The secret of a session is agreed on with X25519 (RFC 7748) and never sent: who only listens does not learn it. A new
// connection is the session's when its dialler proves that it has the secret, for numbers of both sides that are used once;
// with TLS the proof holds for that TLS connection only (RFC 9266's exporter with a label of our own).

// exporterLabel is that of the keying material that binds a proof to its TLS connection (RFC 8446 §7.5).
const exporterLabel = "EXPORTER-shockwave-mux"

// binding returns what binds a proof to a connection, nothing without TLS.
func binding(state *tls.ConnectionState) ([]byte, error) {
	if state == nil {
		return nil, nil
	}
	b, err := state.ExportKeyingMaterial(exporterLabel, nil, 32)
	if err != nil {
		return nil, fmt.Errorf("tcpmux: TLS: %w", err)
	}
	return b, nil
}

// newKey returns a key for one session. Package rand does not fail.
func newKey() (*ecdh.PrivateKey, muxframe.Key) {
	private, _ := ecdh.X25519().GenerateKey(rand.Reader)
	return private, muxframe.Key(private.PublicKey().Bytes())
}

// agree returns the secret of the session that hello and welcome, the bytes of both greetings, have begun.
func agree(private *ecdh.PrivateKey, public muxframe.Key, hello, welcome, bound []byte) ([]byte, error) {
	theirs, _ := ecdh.X25519().NewPublicKey(public[:]) // any 32 bytes are one (RFC 7748 §5)
	shared, err := private.ECDH(theirs)
	if err != nil {
		return nil, err
	}
	h := hmac.New(sha256.New, shared)
	for _, part := range [][]byte{[]byte("shockwave mux secret"), hello, welcome, bound} {
		var size [4]byte
		binary.BigEndian.PutUint32(size[:], uint32(len(part)))
		h.Write(size[:])
		h.Write(part)
	}
	return h.Sum(nil), nil
}

// proof is what shows that the side called who has the session's secret, on this connection.
type proof struct {
	secret         []byte
	id             muxframe.ID
	dialler, asked muxframe.Nonce // the dialler's nonce and the listener's
	bound          []byte
	theDiallerHas  uint64
	theListenerHas uint64 // 0 in the dialler's
}

// mac returns it.
func (p *proof) mac(who string) (m muxframe.MAC) {
	h := hmac.New(sha256.New, p.secret)
	h.Write([]byte(who))
	h.Write(p.id[:])
	h.Write(p.dialler[:])
	h.Write(p.asked[:])
	var counts [16]byte
	binary.BigEndian.PutUint64(counts[:], p.theDiallerHas)
	binary.BigEndian.PutUint64(counts[8:], p.theListenerHas)
	h.Write(counts[:])
	h.Write(p.bound)
	h.Sum(m[:0])
	return m
}

// shows reports whether m is the one of who.
func (p *proof) shows(who string, m muxframe.MAC) bool {
	want := p.mac(who)
	return hmac.Equal(want[:], m[:])
}

// The sides, as their proofs name them.
const (
	sideDialler  = "dialler"
	sideListener = "listener"
)

// newNonce returns a number that is used once.
func newNonce() (n muxframe.Nonce) {
	_, _ = rand.Read(n[:])
	return n
}
