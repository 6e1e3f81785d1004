package http2

// Opaque values of the connection's own PINGs. The owner's do not have the highest bit.
const (
	ownPing   = 1 << 63
	pingRTT   = ownPing | 1
	pingDrain = ownPing | 2
	pingProof = ownPing | 3
)

// askProof sends a PING whose answer proves that the peer has seen all that was sent before, unless one is unanswered.
func (k *core) askProof() {
	if k.debts.asked || !k.reserve(FrameHeaderLen+8) {
		return
	}
	k.out = appendPing(k.out, 0, pingProof)
	k.debts.ask()
}
