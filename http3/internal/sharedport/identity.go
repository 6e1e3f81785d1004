package sharedport

// Identity holds the keys that a process shares with the others, and its own number in connection identifiers.
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

// TokenKey returns the key of address validation tokens.
func (id *Identity) TokenKey() [32]byte { return id.keys.token }
