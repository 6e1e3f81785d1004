package muxsession

// numbering gives channels their numbers, odd ones to those that the dialler opens, even ones to the listener's. Each side uses
// its own one after the other. After the last one they are reused, except those still in use; by then the peer knows that
// the channel before is over.
type numbering struct {
	lastOurs, lastTheirs       uint32 // the numbers that were used last
	first                      uint8  // of this side
	oursWrapped, theirsWrapped bool
}

func newNumbering(dialler bool) numbering {
	if dialler {
		return numbering{first: 1}
	}
	return numbering{first: 2}
}

// next returns a number for a channel of this side, at most last.
func (n *numbering) next(last uint32, taken func(uint32) bool) (uint32, bool) {
	for range last {
		k := n.lastOurs + 2
		if n.lastOurs == 0 {
			k = uint32(n.first)
		}
		if k > last {
			k, n.oursWrapped = uint32(n.first), true
		}
		n.lastOurs = k
		if !taken(k) {
			return k, true
		}
	}
	return 0, false
}

// theyUse notes that the peer has opened a channel with the number k.
func (n *numbering) theyUse(k uint32) {
	if k < n.lastTheirs {
		n.theirsWrapped = true
	}
	n.lastTheirs = k
}

// isOurs reports whether k is one of this side's numbers.
func (n *numbering) isOurs(k uint32) bool { return k%2 == uint32(n.first)%2 }

// wasUsed reports whether a channel has had the number k. After numbers have wrapped around, it returns true for all.
func (n *numbering) wasUsed(k uint32) bool {
	if n.isOurs(k) {
		return n.oursWrapped || k <= n.lastOurs && n.lastOurs != 0 && k >= uint32(n.first)
	}
	return n.theirsWrapped || k <= n.lastTheirs
}
