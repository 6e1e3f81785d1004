package http2

// A stream above MaxStreams is the peer's fault only if the peer could know. It does not know of MaxStreams before it has
// seen our SETTINGS, nor of owners that go on with requests which it has cancelled, long after they had begun.

// earlyStreams is how many streams a peer may open at once before it has acknowledged our SETTINGS: RFC 9113 §6.5.2 sets no
// limit then.
const earlyStreams = 500

// fewRefused is how many refusals are no reason to ask what the peer has seen.
const fewRefused = 32

// chargeRefused charges for a stream that is refused if there is no room for it by the peer's own count either: of the
// streams that have not ended, and those whose refusal it may not have seen, with which it may be two round trips behind.
// Streams that it has canceled at once count as well.
func (k *core) chargeRefused() {
	most, unseen := int64(k.cfg.MaxStreams), int64(k.debts.refused.total())
	open := int64(k.streams.active()) + int64(k.streams.counts[tallyCanceled])
	room := open < most && unseen < 4*max(most, fewRefused)
	if !k.own.acked {
		room = open+unseen < max(most, earlyStreams)
	}
	if !room {
		k.charge(costRefused)
	}
	k.debts.refused.add(1, maxWindow)
	if unseen >= max(most, fewRefused) {
		k.askProof()
	}
}
