package http2

// ending is how a stream ended, which decides what may still arrive on it (RFC 9113 §5.1, "closed").
type ending uint8

const (
	endReset   ending = iota // we reset it, or it is too long ago to know: the peer may have sent frames before it knew
	endPeer                  // the peer reset it and should send nothing more
	endMessage               // the peer's message is complete: no more of it can follow
	endSkipped               // it was never opened: the peer opened a higher identifier first (RFC 9113 §5.1.1)
)

// endings records how the last rememberedEndings streams of one side ended, in two bits each.
type endings [rememberedEndings / 4]uint8

const rememberedEndings = 256

// set records how stream id ended, unless it is too far below latest, the highest identifier so far: then its place is that
// of a later stream.
func (e *endings) set(id, latest uint32, how ending) {
	if latest-id >= 2*rememberedEndings {
		return
	}
	i := id >> 1 % rememberedEndings
	shift := i % 4 * 2
	e[i/4] = e[i/4]&^(3<<shift) | uint8(how)<<shift
}

// get returns how stream id ended; endReset if it is too far below latest.
func (e *endings) get(id, latest uint32) ending {
	if latest-id >= 2*rememberedEndings {
		return endReset
	}
	i := id >> 1 % rememberedEndings
	return ending(e[i/4] >> (i % 4 * 2) & 3)
}

// skip marks the identifiers from next, the lowest that was not used, up to id as skipped.
func (e *endings) skip(next, id uint32) {
	if id-next >= 2*rememberedEndings {
		next = id - 2*(rememberedEndings-1)
	}
	for ; next < id; next += 2 {
		e.set(next, id, endSkipped)
	}
}
