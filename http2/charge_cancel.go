package http2

// A client may cancel what it has asked for, as often as it likes, if it has waited for it: MaxStreams bounds how many of
// its requests wait at once, and so how many handlers it can start. What costs is to open streams and to reset them at once.

const (
	// cancelWait is how long a request must have waited to be canceled without a charge, in nanoseconds. What it has
	// waited longer counts for others: if we are slow to read, some seem to have waited for long, and others to be
	// canceled at once.
	cancelWait = 10 * 1_000_000
	// maxCancelWait bounds what counts.
	maxCancelWait = 200 * cancelWait
)

// chargeCancel charges for the client's RST_STREAM on a stream that has not ended, and returns the phase that the stream
// enters. For a server it is free: it can only reset streams that we chose to open. So is one behind our whole response.
func (k *core) chargeCancel(s *Stream) phase {
	if k.client || s.phase == phaseSent || s.phase == phaseDiscarding {
		return phaseReset
	}
	if age := k.now - s.recv.updatedAt; age >= cancelWait {
		k.waited = min(k.waited+age, maxCancelWait)
	}
	if k.waited >= cancelWait {
		k.waited -= cancelWait
		return phaseReset
	}
	cost := int32(costReset)
	if k.streams.counts[tallyCanceled] > 0 {
		cost++ // owners are still busy with others of this kind
	}
	k.charge(cost)
	return phaseCanceled
}
