package sharedport

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
)

// keyring holds the keys that processes with one secret share.
type keyring struct {
	secret []byte
	id     cipher.Block // of connection identifiers
	reset  [32]byte     // of stateless resets
	token  [32]byte     // of proofs of addresses
}

// newKeyring derives the keys of a secret.
func newKeyring(secret []byte) (*keyring, error) {
	k := &keyring{secret: append([]byte(nil), secret...)}
	id, err := k.derive("connection identifiers", aes128)
	if err != nil {
		return nil, err
	}
	if k.id, err = aes.NewCipher(id); err != nil {
		return nil, err
	}
	for name, to := range map[string]*[32]byte{"stateless resets": &k.reset, "address tokens": &k.token} {
		key, err := k.derive(name, len(to))
		if err != nil {
			return nil, err
		}
		copy(to[:], key)
	}
	return k, nil
}

const aes128 = 16 // bytes of its key

// derive returns the key of n bytes for a purpose (HKDF, RFC 5869).
func (k *keyring) derive(purpose string, n int) ([]byte, error) {
	return hkdf.Key(sha256.New, k.secret, nil, "shockwave http3 "+purpose, n)
}
