package handshake

import (
	"crypto/rand"
	"crypto/sha1"
	"encoding/base64"
)

// newKey returns a random Sec-WebSocket-Key of 16 bytes (RFC 6455 §4.1).
func newKey() string {
	var nonce [16]byte
	rand.Read(nonce[:])
	return base64.StdEncoding.EncodeToString(nonce[:])
}

func validKey(key string) bool {
	var raw [18]byte
	if len(key) != 24 {
		return false
	}
	n, err := base64.StdEncoding.Decode(raw[:], []byte(key))
	return err == nil && n == 16
}

// AcceptKey returns the Sec-WebSocket-Accept for a Sec-WebSocket-Key (RFC 6455 §4.2.2).
func AcceptKey(key string) string {
	sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	return base64.StdEncoding.EncodeToString(sum[:])
}
