package http2

// chargeUpdate charges for a WINDOW_UPDATE of n bytes, unless it gives back what was sent.
func (k *core) chargeUpdate(u *unreturned, n uint32) {
	switch {
	case u.take(n):
	case n < leastReturn:
		k.charge(costTinyWindow)
	default:
		k.charge(costWindow)
	}
}
