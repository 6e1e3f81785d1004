package http2

// streams holds the streams of a connection until they are released, counts them, and knows which identifiers were used.
// Only clients open streams, so there is one sequence of identifiers.
type streams struct {
	table
	counts  [tallies]int32
	next    uint32 // the identifier of the client's next stream
	opening bool   // Open has made a stream whose HEADERS were not appended yet
}

// tally is what the streams of some phases are counted as.
type tally uint8

const (
	tallyActive     tally = iota // have not ended, and were not released
	tallyDiscarding              // have not ended, and were released
	tallyComplete
	tallyCanceled
	tallyExcluded
	tallyOver // have ended otherwise
	tallies
)

var phaseTallies = [phases]tally{
	phaseDiscarding: tallyDiscarding, phaseComplete: tallyComplete, phaseReset: tallyOver, phaseCanceled: tallyCanceled,
	phaseExcluded: tallyExcluded, phaseDiscarded: tallyOver,
}

// enter changes the phase of a stream.
func (t *streams) enter(s *Stream, p phase) {
	if from, to := phaseTallies[s.phase], phaseTallies[p]; from != to {
		t.counts[from]--
		t.counts[to]++
	}
	s.phase = p
}

// open adds a stream, which is idle.
func (t *streams) open(id uint32) *Stream {
	t.counts[tallyActive]++
	return t.add(id)
}

// drop removes a stream that nobody uses any more.
func (t *streams) drop(s *Stream) {
	t.counts[phaseTallies[s.phase]]--
	t.remove(s)
}

// active returns how many streams have not ended.
func (t *streams) active() uint32 { return uint32(t.counts[tallyActive] + t.counts[tallyDiscarding]) }

// live returns the stream with the identifier, nil if it is idle or has ended.
func (t *streams) live(id uint32) *Stream {
	if s := t.find(id); s != nil && !s.phase.closed() && s.phase != phaseIdle {
		return s
	}
	return nil
}

// opened reports whether a stream is not idle.
func (t *streams) opened(id uint32) bool {
	// A server would open streams of even numbers with PUSH_PROMISE, which is not allowed.
	return id&1 != 0 && id < t.next && !(t.opening && id == t.next-2)
}

// newest returns the highest identifier that was used.
func (t *streams) newest() uint32 { return t.next - 2 }

// unopen undoes the opening of a stream whose HEADERS were not appended: the next stream gets the identifier.
func (t *streams) unopen(s *Stream) {
	t.enter(s, phaseReset)
	t.next -= 2
	t.opening = false
}
