package http2

// ending is how a stream came to its end, which says what may still arrive on it (RFC 9113 §5.1, "closed").
type ending uint8

const (
	endReset   ending = iota // we reset it, or it is too long ago to know: what arrives may have been sent before
	endPeer                  // the peer reset it, and should send nothing more
	endMessage               // the peer's message ended: nothing of it can follow
	endSkipped               // never opened: a higher identifier came first (RFC 9113 §5.1.1)
)

// endings remembers the last rememberedEndings streams of one side, two bits each.
type endings [rememberedEndings / 4]uint8

const rememberedEndings = 256

func (e *endings) set(id uint32, how ending) {
	i := id >> 1 % rememberedEndings
	shift := i % 4 * 2
	e[i/4] = e[i/4]&^(3<<shift) | uint8(how)<<shift
}

// get returns how the stream ended, if latest, the highest identifier so far, is not too far from it.
func (e *endings) get(id, latest uint32) ending {
	if latest-id >= 2*rememberedEndings {
		return endReset
	}
	i := id >> 1 % rememberedEndings
	return ending(e[i/4] >> (i % 4 * 2) & 3)
}

// skip marks the identifiers between the highest so far and the new one.
func (e *endings) skip(latest, id uint32) {
	first := latest + 2
	if latest == 0 {
		first = 1
	}
	if id-latest > 2*rememberedEndings {
		first = id - 2*(rememberedEndings-1)
	}
	for ; first < id; first += 2 {
		e.set(first, endSkipped)
	}
}
