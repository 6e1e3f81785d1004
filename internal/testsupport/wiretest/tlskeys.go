package wiretest

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// tlsKeys are the keys of one direction, for TLS_AES_128_GCM_SHA256.
type tlsKeys struct {
	secret []byte
	aead   cipher.AEAD
	iv     []byte
	seq    uint64
}

func unhex(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

// use derives the keys from a traffic secret (RFC 8446 §7.3).
func (k *tlsKeys) use(secret []byte) {
	block, err := aes.NewCipher(expand(secret, "key", 16))
	if err != nil {
		panic(err)
	}
	if k.aead, err = cipher.NewGCM(block); err != nil {
		panic(err)
	}
	k.secret, k.iv, k.seq = secret, expand(secret, "iv", 12), 0
}

// update derives the next generation of keys (RFC 8446 §7.2).
func (k *tlsKeys) update() { k.use(expand(k.secret, "traffic upd", sha256.Size)) }

// expand is HKDF-Expand-Label with an empty context (RFC 8446 §7.1).
func expand(secret []byte, label string, size int) []byte {
	info := binary.BigEndian.AppendUint16(nil, uint16(size))
	info = append(info, byte(6+len(label)))
	info = append(info, "tls13 "+label...)
	b, err := hkdf.Expand(sha256.New, secret, string(append(info, 0)), size)
	if err != nil {
		panic(err)
	}
	return b
}

// nonce returns the nonce of the next record (RFC 8446 §5.3).
func (k *tlsKeys) nonce() []byte {
	n := append([]byte(nil), k.iv...)
	var seq [8]byte
	binary.BigEndian.PutUint64(seq[:], k.seq)
	for i, b := range seq {
		n[4+i] ^= b
	}
	k.seq++
	return n
}
