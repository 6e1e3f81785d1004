package sharedport

// Identity is what a process has in common with the others, and what it says of itself in identifiers of connections.
type Identity struct {
	keys    *keyring
	process uint16
}

// IDLen is how many bytes an identifier has.
func (id *Identity) IDLen() int { return idLen }

// AppendID appends a new identifier of a connection of this process.
func (id *Identity) AppendID(dst []byte) []byte { return appendID(dst, id.keys.id, id.process) }

// ResetKey returns the key of stateless resets.
func (id *Identity) ResetKey() [32]byte { return id.keys.reset }

// TokenKey returns the key of proofs of addresses.
func (id *Identity) TokenKey() [32]byte { return id.keys.token }
